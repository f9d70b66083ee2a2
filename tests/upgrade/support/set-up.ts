import type { Emulator } from "pulumi-trivium/testing";
import { setUp, type SetUpCall, type World } from "./recording";

/** Longer than a recording is kept. */
const aCentury = "876000h";

/** Sets up what the program of a recording needs and no resource makes, and notes how. */
export function setUpForProgram(emulator: Emulator): {
  readonly calls: readonly SetUpCall[];
  readonly world: World;
} {
  const calls: SetUpCall[] = [];
  /** @returns a member of what the call has made */
  const call = (on: SetUpCall["on"], name: string, given: unknown, member = "id"): string => {
    const result = setUp(emulator, { on, call: name, arguments: [given] });
    calls.push({
      on,
      call: name,
      arguments: [given],
      result: JSON.parse(JSON.stringify(result)) as unknown,
    });
    return String(result[member]);
  };

  const organization = "acme";
  const defaultProject = call(
    "provisioning",
    "addOrganization",
    { name: organization, workspaceLimit: 10 },
    "defaultProjectId",
  );
  call("provisioning", "addOrganization", { name: "platform" });
  const [firstWorkspace = "", secondWorkspace = ""] = ["web", "api"].map((name) =>
    call("provisioning", "addWorkspace", { organization, name }),
  );
  const user = call("provisioning", "addUser", { organization, username: "ada" });

  const accessor = call("secrets", "addMount", { type: "userpass", path: "people" }, "accessor");
  const entity = call("secrets", "addEntity", { name: "alice" });
  for (const type of ["directory", "scheduler"]) {
    const path = type === "directory" ? "teams/ldap" : "teams/scheduler";
    call("secrets", "addMount", { type, path, defaultLeaseTtl: aCentury, maxLeaseTtl: aCentury });
  }
  const bindpass = "canary-upgrade-bind-password-64cd";
  call("secrets", "addDirectoryEntry", { dn: "cn=binds,dc=acme,dc=example", password: bindpass });
  for (const name of ["svc-ledger", "svc-operator"]) {
    call("secrets", "addDirectoryEntry", { dn: `cn=${name},ou=services,dc=acme,dc=example` });
  }
  call("events", "emit", {
    topic: "Deployment",
    type: "DeploymentStatusUpdate",
    key: "d1",
    filterKeys: ["web"],
  });
  return { calls, world: { defaultProject, firstWorkspace, secondWorkspace, user, accessor, entity } };
}
