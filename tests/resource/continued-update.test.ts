import assert from "node:assert/strict";
import { totpMethodDefinition } from "../../sdk/secrets/mfa/totp-method";
import { inClear } from "../contract/support/values";
import { lifecycleOn } from "../support/managed";
import type { Properties } from "../support/provider-process";
import { useEmulator } from "../support/use-emulator";

describe("an update that was written and could not be read back", () => {
  const emulator = useEmulator({ resets: false });

  it("is read by the update that continues it, so that state has what the service says", async () => {
    const lifecycle = lifecycleOn(emulator, totpMethodDefinition);
    const inputs = { issuer: "Acme", period: "30s", digits: 6 };
    const made = await lifecycle.create(inputs);
    const news = { ...inputs, digits: 8 };

    emulator.faults.add({ method: "GET", skip: 1, status: 502 });
    const outputs = inClear(made.outs);
    const partial = await lifecycle.update(made.id, outputs, news).then(
      () => assert.fail("it succeeded"),
      (error: unknown) => error as { readonly properties: Properties },
    );
    const continued = await lifecycle.update(made.id, inClear(partial.properties), news);
    assert.deepEqual(inClear(continued.outs), {
      ...outputs,
      digits: 8,
      __managed: ["issuer,digits", { period: { as: "30s" } }],
    });
  });
});
