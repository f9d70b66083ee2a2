import assert from "node:assert/strict";
import { ServiceError } from "../../../sdk/base/errors";
import { readLibraryStatus } from "../../../sdk/secrets/directory/library-status";
import { type Emulator, startEmulator } from "../../../sdk/testing";
import { failure } from "../../http/calls";
import { secretsClientOf } from "../emulated-client";
import { addLibrarySet, borrow, checkOuts } from "./emulated-library";

const set = { mount: "ldap", name: "operators" };
const status = { method: "GET", path: "/v1/ldap/library/:name/status" };

describe("the status of a library set", () => {
  let emulator: Emulator;

  before(async () => {
    emulator = await startEmulator();
  });
  after(async () => emulator.close());
  beforeEach(async () => {
    emulator.reset();
    await addLibrarySet(emulator, ["svc-1", "svc-2", "svc-3"]);
  });

  it("tells which accounts are free and who has the others", async () => {
    const { id } = emulator.secrets.addEntity({});
    await borrow(emulator, emulator.secrets.addToken({ entityId: id }));
    await borrow(emulator, emulator.secrets.addToken());
    const hashes = checkOuts(emulator);
    assert.deepEqual(await readLibraryStatus(secretsClientOf(emulator), set), {
      "svc-1": { available: false, borrowerClientToken: hashes["svc-1"], borrowerEntityId: id },
      "svc-2": { available: false, borrowerClientToken: hashes["svc-2"] },
      "svc-3": { available: true },
    });
  });

  it("takes one request where the set has accounts", async () => {
    emulator.journal.clear();
    await readLibraryStatus(secretsClientOf(emulator), set);
    assert.equal(emulator.journal.count(), 1);
  });

  const missing = { ...set, name: "none" };
  it("is none when the set does not exist, which real servers answer with 400", async () => {
    assert.equal(await readLibraryStatus(secretsClientOf(emulator), missing), undefined);
  });

  it("is none when the service answers 404 for it", async () => {
    emulator.faults.add({ ...status, status: 404, body: { errors: [] } });
    assert.equal(await readLibraryStatus(secretsClientOf(emulator), missing), undefined);
  });

  for (const data of [null, {}]) {
    it(`is empty, not missing, when the set has no accounts: ${JSON.stringify(data)}`, async () => {
      emulator.faults.add({ ...status, status: 200, body: { data, lease_id: "" } });
      assert.deepEqual(await readLibraryStatus(secretsClientOf(emulator), set), {});
    });
  }

  for (const code of [400, 403, 500]) {
    it(`is not taken for missing when a set that exists is answered with ${code}`, async () => {
      emulator.faults.add({ ...status, status: code, body: { errors: ["no"] } });
      const error = await failure(readLibraryStatus(secretsClientOf(emulator), set));
      assert.ok(ServiceError.isInstance(error));
      assert.equal(error.status, code);
    });
  }
});
