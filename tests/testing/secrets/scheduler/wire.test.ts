import assert from "node:assert/strict";
import { startEmulator, type Emulator } from "../../../../sdk/testing";
import { at, call } from "../../call";
import { recordingsOf } from "../recordings";

/** Where the documents are stricter than the server was. */
const refusedHere = ["access with cert but no key"];
const exchanges = recordingsOf("/nomad/").filter(({ note }) => !refusedHere.includes(note));

describe("the emulated scheduler engine, beside a recorded real one", () => {
  let emulator: Emulator;
  before(async () => {
    emulator = await startEmulator({ secrets: { schedulerReads: "real" } });
    emulator.secrets.addMount({ type: "scheduler", path: "nomad" });
    // Written before the recording began.
    emulator.secrets.changeSchedulerAccess({ address: "http://127.0.0.1:4646" }, "nomad");
  });
  after(async () => emulator.close());

  it("has something to compare with", () => assert.ok(exchanges.length > 25));

  for (const { note, request, response } of exchanges) {
    const { method, path, body } = request;
    it(`answers the same: ${note}, ${method} ${path}`, async () => {
      const reply = await call(emulator, "secrets", method, `/v1${path}`, { body });
      assert.equal(reply.status, response.status);
      if (path.startsWith("/nomad/creds/") && response.status === 200) {
        const names = (answer: unknown): string[] => Object.keys(at(answer, "data") as object);
        assert.deepEqual(names(reply.body), names(response.body));
        assert.equal(at(reply.body, "renewable"), at(response.body, "renewable"));
        assert.equal(at(reply.body, "lease_duration"), at(response.body, "lease_duration"));
      } else if (response.status === 200) {
        assert.deepEqual(at(reply.body, "data"), at(response.body, "data"));
      } else {
        assert.deepEqual(reply.body, response.body ?? "");
      }
    });
  }
});
