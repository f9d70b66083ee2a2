import assert from "node:assert/strict";
import { ServiceError } from "../../../sdk/base/errors";
import { configDefinition } from "../../../sdk/secrets/directory/config";
import { rotateRootPassword } from "../../../sdk/secrets/directory/root-rotation";
import type { Step } from "../../../sdk/resource/definition";
import type { SecretsClient } from "../../../sdk/secrets/client";
import { failure } from "../../http/calls";
import { useEmulator } from "../../support/use-emulator";
import { stepAt } from "./step";

const path = "/v1/ldap/config";
const binddn = "cn=admin,dc=acme,dc=example";
const bindpass = "canary-bind-password";
const userdn = "ou=users,dc=acme,dc=example";
const noOthers = {
  isElsewhere: () => false,
  move: () => undefined,
  refuse: () => undefined,
};
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
  const change = (
    desired: object = { binddn, bindpass, userdn },
    changed: readonly string[] = ["userdn"],
    more: Partial<Step<SecretsClient>> = {},
  ) =>
    configDefinition.update(
      { ...step(), ...more },
      "ldap",
      { mount: "ldap", ...desired } as never,
      new Set(changed),
      {
        mount: "ldap",
        binddn,
        bindpass,
      },
    );

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

  // The document shows no words and no status for it.
  for (const refusal of [
    { status: 400, body: { errors: ["bad request"] } },
    { status: 422, body: { errors: [] } },
    { status: 400 },
  ]) {
    it(`is retried once with bindpass whatever a ${refusal.status} says: ${JSON.stringify(refusal.body)}`, async () => {
      emulator.faults.add({ service: "secrets", method: "POST", path, times: 1, ...refusal });
      await change();
      assert.deepEqual(written(), [
        { binddn, userdn },
        { binddn, userdn, bindpass },
      ]);
    });
  }

  it("is never sent with an outdated password: not after a rotation in this process", async () => {
    const { client } = step();
    await rotateRootPassword(client, "ldap");
    emulator.faults.add({ service: "secrets", method: "POST", path, ...lack });
    const error = await failure(change(undefined, undefined, { client }));
    assert.ok(ServiceError.isInstance(error));
    assert.match(error.message, /400.*missing required field: bindpass.*was rotated \(RootRotation\)/);
    assert.deepEqual([written(), announced], [[{ binddn, userdn }], []]);
  });

  it("is never sent with an outdated password: not if state has a RootRotation of the mount", async () => {
    const others = { ...noOthers, inherited: { memory: {}, managed: [] } };
    emulator.faults.add({ service: "secrets", method: "POST", path, ...lack });
    assert.match((await failure(change(undefined, undefined, { others }))).message, /was rotated/);
    assert.deepEqual([written(), announced], [[{ binddn, userdn }], []]);
  });

  const refusals = [
    ["a want of rights", { status: 403, body: { errors: ["permission denied: bindpass"] } }],
    ["a failure", { status: 501, body: { errors: ["bindpass"] } }],
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
