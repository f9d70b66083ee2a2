import assert from "node:assert/strict";
import { adminOrganizationDefinition } from "../../sdk/provisioning/admin-organization";
import { configDefinition } from "../../sdk/secrets/directory/config";
import { rootRotationDefinition } from "../../sdk/secrets/directory/root-rotation";
import { Managed } from "../support/managed";
import { useEmulator } from "../support/use-emulator";

const binddn = "cn=admin,dc=acme,dc=example";
const args = { binddn, bindpass: "bind-password", requestTimeout: 90 };

describe("a value that no response tells, in state without marks", () => {
  const emulator = useEmulator();
  let managed: Managed;

  beforeEach(async () => {
    emulator.secrets.addDirectoryEntry({ dn: binddn, password: args.bindpass });
    managed = new Managed(configDefinition, emulator);
    await managed.up(args);
    await new Managed(rootRotationDefinition, emulator).up({});
    managed.outputs = Object.fromEntries(
      Object.entries(managed.outputs).filter(([name]) => name !== "__managed" && name !== "__at"),
    );
    emulator.journal.clear();
  });

  const sentPasswords = (): unknown[] =>
    emulator.journal
      .requests({ method: "POST", path: "/v1/ldap/config" })
      .map(({ body }) => (body as { readonly bindpass?: unknown }).bindpass);

  it("is not sent again although it is not recorded as managed: it may have been rotated since", async () => {
    assert.equal(await managed.up(args), "updated");
    assert.deepEqual(
      sentPasswords().filter((password) => password !== undefined),
      [],
    );
    assert.equal(await managed.up(args), "same");
  });

  it("is sent when the program has another one", async () => {
    assert.equal(await managed.up({ ...args, bindpass: "canary-second-password" }), "updated");
    assert.deepEqual(sentPasswords(), ["canary-second-password"]);
  });
});

describe("an organization whose former values are not in state", () => {
  const emulator = useEmulator();

  it("stays as it is when its resource is destroyed", async () => {
    emulator.provisioning.addOrganization({ name: "acme", workspaceLimit: 10 });
    const managed = new Managed(adminOrganizationDefinition, emulator);
    await managed.up({ name: "acme", workspaceLimit: 20, onDestroy: "restore" });
    managed.outputs = Object.fromEntries(
      Object.entries(managed.outputs).filter(([name]) => name !== "__private"),
    );
    await managed.destroy();
    assert.deepEqual(
      emulator.inspect().provisioning.organizations.map(({ workspaceLimit }) => workspaceLimit),
      [20],
    );
  });
});
