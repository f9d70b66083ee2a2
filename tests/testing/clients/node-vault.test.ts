import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { useEmulator } from "../../support/use-emulator";
import { nodeVaultSteps } from "./node-vault";
import { outcomesIn } from "./outcomes";

const file = join(__dirname, "../../fixtures/wire/clients.json");
const recorded = JSON.parse(readFileSync(file, "utf8")) as readonly { readonly service: string }[];

describe("node-vault", () => {
  const emulator = useEmulator({
    dialect: "hashicorp",
    seed: { directoryEntries: [{ dn: "cn=admin,dc=example,dc=org", password: "adminpw" }] },
  });

  it("node-vault gives a program at the emulator what it gives at OpenBao 2.6.2", async () => {
    const { address, token } = emulator.secrets;
    const outcomes = await nodeVaultSteps(address, token, "ldap://127.0.0.1:3891");
    const lines = outcomes.map((outcome) =>
      JSON.stringify({ ...outcome, client: "node-vault", exchanges: [] }),
    );
    assert.deepEqual(
      outcomesIn(lines.join("\n")).map(({ client, exchanges, ...outcome }) => ({
        ...outcome,
        service: client,
      })),
      recorded.filter(({ service }) => service === "node-vault"),
    );
  });
});
