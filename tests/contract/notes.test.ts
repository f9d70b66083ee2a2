import assert from "node:assert/strict";
import { type Emulator, startEmulator } from "pulumi-trivium/testing";
import { resourceCases } from "../cases";
import { type Receiver, startReceiver } from "../engine/support/receiver";
import { tokens } from "../faults/support/bench";
import { createWithoutNotes, troubles } from "../faults/support/unwritable-notes";

/** One that is found by its name when its creation is repeated, and one whose secret is told once. */
const types = ["provisioning:Project", "secrets/directory:LibraryCheckout"];

describe("a creation whose notes cannot be written, of which the whole matrix is `npm run test:faults`", function () {
  this.timeout(60_000);

  let emulator: Emulator;
  let receiver: Receiver;
  before(async () => {
    [emulator, receiver] = await Promise.all([startEmulator({ tokens }), startReceiver()]);
  });
  after(() => Promise.all([emulator.close(), receiver.close()]));

  for (const adapter of ["dynamic", "plugin"] as const) {
    for (const type of types) {
      it(`brings ${type} into state when the directory is missing or the disk is full (${adapter})`, async () => {
        const faultCase = resourceCases.get(type);
        assert.ok(faultCase);
        const findings = await createWithoutNotes({ emulator, receiver }, faultCase, adapter);
        assert.deepEqual(findings, new Map(troubles.map((trouble) => [trouble, []])));
      });
    }
  }
});
