import assert from "node:assert/strict";
import { ServiceError } from "../../../sdk/base/errors";
import { configDefinition } from "../../../sdk/secrets/directory/config";
import { failure } from "../../http/calls";
import { useEmulator } from "../../support/use-emulator";
import { stepAt } from "./step";

const path = "/v1/ldap/config";
const binddn = "cn=admin,dc=acme,dc=example";
const bindpass = "canary-bind-password";
const userdn = "ou=users,dc=acme,dc=example";
const lack = { status: 400, body: { errors: ["missing required field: bindpass"] } };

describe("a change of a secrets.directory.Config", () => {
  const emulator = useEmulator();
  let announced: string[];

  beforeEach(async () => {
    announced = [];
    emulator.secrets.addDirectoryEntry({ dn: binddn, password: bindpass });
    await configDefinition.create(step(), { mount: "ldap", binddn, bindpass });
    emulator.journal.clear();
  });

  const step = () => ({
    ...stepAt(emulator, (kind, message) => announced.push(`${kind}: ${message}`)),
    managed: new Set(["binddn", "bindpass", "userdn"]),
  });
  const written = () => emulator.journal.requests({ method: "POST", path }).map(({ body }) => body);
  /** Sends another search base, or another password. */
  const change = (desired: object = { binddn, bindpass, userdn }, changed = ["userdn"]) =>
    configDefinition.update(step(), "ldap", { mount: "ldap", ...desired } as never, new Set(changed), {
      mount: "ldap",
      binddn,
      bindpass,
    });

  it("is retried with bindpass if the service refuses it without, and a warning says what that means", async () => {
    emulator.faults.add({ service: "secrets", method: "POST", path, times: 1, ...lack });
    await change();
    assert.deepEqual(written(), [
      { binddn, userdn },
      { binddn, userdn, bindpass },
    ]);
    const [warning = "", ...others] = announced;
    assert.deepEqual(others, []);
    assert.match(
      warning,
      /^warning: .* of ldap, .*If the password of cn=admin.* was rotated in the meantime \(RootRotation\)/,
    );
    assert.ok(!warning.includes(bindpass));
  });

  it("is sent once, and without bindpass, where the service takes that", async () => {
    await change();
    assert.deepEqual([written(), announced], [[{ binddn, userdn }], []]);
  });

  it("fails when it is refused with bindpass as well, and warns of nothing", async () => {
    emulator.faults.add({ service: "secrets", method: "POST", path, times: 2, ...lack });
    const error = await failure(change());
    assert.match(error.message, /400.*missing required field: bindpass/);
    assert.deepEqual([written().length, announced], [2, []]);
  });

  const refusals = [
    ["other words", { status: 400, body: { errors: ["unknown schema"] } }],
    ["no words", { status: 400 }],
    ["a want of rights", { status: 403, body: { errors: ["permission denied: bindpass"] } }],
  ] as const;
  for (const [what, refusal] of refusals) {
    it(`is not repeated where the service refuses it with ${what}`, async () => {
      emulator.faults.add({ service: "secrets", method: "POST", path, ...refusal });
      const error = await failure(change());
      assert.ok(ServiceError.isInstance(error));
      assert.equal(error.status, refusal.status);
      assert.deepEqual([written(), announced], [[{ binddn, userdn }], []]);
    });
  }

  it("is not repeated when it has held bindpass", async () => {
    emulator.faults.add({ service: "secrets", method: "POST", path, ...lack });
    await failure(change({ binddn, bindpass: "canary-other-password" }, ["bindpass"]));
    assert.deepEqual([written().length, announced], [1, []]);
  });
});
