import assert from "node:assert/strict";
import { listStaticRoles } from "../../../sdk/secrets/directory/list-static-roles";
import { type Emulator, startEmulator } from "../../../sdk/testing";
import { useEnvironment } from "../../connection/environment";

describe("secrets.directory.listStaticRoles", () => {
  let emulator: Emulator;

  before(async () => {
    emulator = await startEmulator();
  });
  after(async () => emulator.close());
  useEnvironment(() => emulator.environment);
  beforeEach(() => emulator.reset());

  it("answers nothing where there is nothing", async () => {
    assert.deepEqual(await listStaticRoles(), { names: [] });
    assert.deepEqual(
      emulator.journal.requests().map(({ target }) => target),
      ["/v1/ldap/static-role?list=true"],
    );
  });

  for (const [how, body] of [
    ["a bare list, as documented", ["payments", "search"]],
    ["a list in the envelope, as real servers answer", { data: { keys: ["payments", "search"] } }],
    ["a bare list in the envelope", { data: ["payments", "search"] }],
  ] as const) {
    it(`understands ${how}`, async () => {
      emulator.faults.add({ method: "GET", path: "/v1/ldap/static-role", status: 200, body });
      assert.deepEqual(await listStaticRoles({ mount: "ldap" }), { names: ["payments", "search"] });
    });
  }
});
