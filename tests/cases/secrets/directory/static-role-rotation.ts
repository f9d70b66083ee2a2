import { defineCase, unannounced } from "../../support/case";
import { directoryIn, inAnotherCase, pathIn } from "../../support/engines";

const pathOf = pathIn("static-role");

export const staticRoleRotation = defineCase({
  type: "secrets/directory:StaticRoleRotation",
  async prepare(services) {
    const engine = await directoryIn(services, ["svc-1", "svc-2"], ({ directoryStaticRoles }) =>
      directoryStaticRoles.filter((each) => each.lastRotation !== null),
    );
    const { mount, otherMount } = engine;
    const usernames = {
      [`${mount}/static-role/payments`]: "svc-1",
      [`${mount}/static-role/search`]: "svc-2",
      [`${otherMount}/static-role/search`]: "svc-2",
    };
    for (const [path, username] of Object.entries(usernames)) {
      const role = { username, rotation_period: "1h", skip_import_rotation: true };
      await services.secrets.api.write(path, role);
    }
    return engine;
  },
  needs: ["directory engine", "directory"],
  count: async ({ services }, ids) => {
    const roles = await Promise.all(ids.map((id) => services.secrets.api.read(pathOf(id))));
    return roles.filter((role) => typeof role?.["last_vault_rotation"] === "string").length;
  },
  valid: ({ given }) => ({ ...given, roleName: "payments", triggers: { incident: 1 } }),
  spellings: ({ services }) => ({ roleName: inAnotherCase(services, "payments") }),
  changes: [{ triggers: { incident: 2 } }, { roleName: "search" }, { mount: ({ otherMount }) => otherMount }],
  // A rotation cannot be undone.
  leftByDeletion: unannounced,
  // There is a previous password only from the second rotation on.
  async populate(_emulator, { services, mount }) {
    for (let round = 0; round < 2; round++) {
      await services.secrets.api.write(`${mount}/rotate-role/payments`);
    }
  },
});
