import { bindPassword, defineCase, unannounced } from "../../support/case";
import { engineIn } from "../../support/engines";

export const rootRotation = defineCase({
  type: "secrets/directory:RootRotation",
  async prepare(services) {
    const engine = await engineIn(services, "directory", ({ directoryConfigs }) =>
      directoryConfigs.filter((each) => each.lastBindPasswordRotation !== null),
    );
    const { api, directory } = services.secrets;
    const userdn = await directory.base();
    const binders = new Map<string, string>();
    for (const [index, mount] of [engine.mount, engine.otherMount].entries()) {
      const binddn = await directory.add(`binder-${index}`, bindPassword);
      await api.write(`${mount}/config`, { binddn, bindpass: bindPassword, url: directory.url, userdn });
      binders.set(mount, binddn);
    }
    return { ...engine, binders };
  },
  needs: ["directory engine", "directory", "own passwords"],
  // A response might not mention the rotation, so this asks the directory.
  count: async ({ services, binders }, ids) => {
    const accepted = await Promise.all(
      ids.map((mount) => services.secrets.directory.accepts(binders.get(mount) ?? "", bindPassword)),
    );
    return accepted.filter((each) => !each).length;
  },
  valid: ({ given }) => ({ ...given, triggers: { quarter: "2026-1", urgent: false } }),
  spellings: () => ({ triggers: { urgent: false, quarter: "2026-1" } }),
  changes: [{ triggers: { quarter: "2026-2" } }, { mount: ({ otherMount }) => otherMount }],
  // A rotation cannot be undone.
  leftByDeletion: unannounced,
});
