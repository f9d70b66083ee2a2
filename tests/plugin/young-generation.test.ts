import assert from "node:assert/strict";
import { join } from "node:path";
import { ProviderProcess } from "../support/provider-process";
import { useEmulator } from "../support/use-emulator";

/** In MB. Below what each version of Node.js would take. */
const limit = 32;

describe("the memory of the plugin", function () {
  this.timeout(60_000);
  const emulator = useEmulator({ dialect: "hashicorp" });

  it("the plugin keeps less than 32 MB for what calls make, however many there are", async () => {
    const { address, token } = emulator.secrets;
    const settings = { secretsAddress: address, secretsToken: token, secretsDialect: "hashicorp" };
    const report = JSON.stringify(join(__dirname, "support", "report-young-generation.cjs"));
    const plugin = await ProviderProcess.startPlugin(settings, { NODE_OPTIONS: `--require=${report}` });
    plugin.about = { urn: "urn:pulumi:test::test::trivium:secrets/mfa:TotpMethod::subject" };
    try {
      for (let round = 0; round < 8; round++) {
        await Promise.all(
          Array.from({ length: 100 }, async () => {
            const { id, outputs } = await plugin.create({ issuer: "Acme", period: "30s" });
            await plugin.refresh(id, outputs);
          }),
        );
      }
    } finally {
      await plugin.stop();
    }
    const sizes = plugin.output.split("\n").filter(Boolean).map(Number);
    assert.ok(sizes.length > 5, "The process reports its sizes.");
    assert.ok(Math.max(...sizes) < limit, `It kept ${Math.max(...sizes)} MB.`);
  });
});
