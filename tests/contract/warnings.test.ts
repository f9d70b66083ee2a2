import assert from "node:assert/strict";
import type { Properties } from "../support/provider-process";
import { gadgetStub } from "./support/gadget";
import { GadgetContract } from "./support/gadget-contract";
import { unknownValues } from "./support/values";

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
