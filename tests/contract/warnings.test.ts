import assert from "node:assert/strict";
import type { Properties } from "../support/provider-process";
import { gadgetStub } from "./support/gadget";
import { GadgetContract } from "./support/gadget-contract";
import { unknownValues } from "./support/values";
import { type Emulator, startEmulator } from "pulumi-trivium/testing";
import { resourceCases } from "../cases";
import { type Receiver, startReceiver } from "../engine/support/receiver";
import { tokens } from "../faults/support/bench";
import { createWithoutNotes, troubles } from "../faults/support/unwritable-notes";

const __urn = "urn:pulumi:test::test::pulumi-nodejs:dynamic/trivium/provisioning:Gadget::gadget";
const password = "canary-password-5d1";
const label = "canary-unlikely";

describe("warnings of check in the provider process", () => {
  const contract = new GadgetContract([password]);
  const check = (args: Properties) =>
    contract.provider.check({}, { owner: "team-a", ...args, __provider: gadgetStub, __urn });
  const shown = async (args: Properties, last: RegExp) => {
    const result = await check(args);
    await contract.provider.engine.line(last);
    return { result, lines: contract.provider.engine.lines.splice(0) };
  };

  it("are shown once against the resource, to stay, and refuse nothing", async () => {
    const { result, lines } = await shown({ label: "unlikely" }, /^label/);
    assert.deepEqual(result.failures, []);
    const message = "label unlikely is unlikely to work";
    assert.deepEqual(lines, [{ severity: "warning", message, urn: __urn, ephemeral: false }]);
  });

  it("are shown beside what is refused", async () => {
    const { result, lines } = await shown({ label: "unlikely", owner: 5 }, /^label/);
    assert.deepEqual(result.failures, [{ property: "owner", reason: "must be a string, not a number" }]);
    assert.equal(lines.length, 1);
  });

  it("never show a secret, also where the program marked it as one", async () => {
    const args = { password, label, __secrets: ["label"] };
    const { lines } = await shown(args, /^password/);
    assert.deepEqual(
      lines.map(({ message }) => message),
      ["label [secret] is unlikely to work", "password [secret] has no effect without key"],
    );
  });

  it("say nothing of what is not known yet", async () => {
    for (const unknown of Object.values(unknownValues)) {
      await check({ label: unknown, password: unknown });
      await check({ password: "long-enough-1", key: unknown });
    }
    const { lines } = await shown({ label: "unlikely" }, /^label/);
    assert.equal(lines.length, 1);
  });
});

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
