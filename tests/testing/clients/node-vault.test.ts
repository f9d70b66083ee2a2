import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import createVault from "node-vault";
import { useEmulator } from "../../support/use-emulator";
import { outcomesIn } from "./outcomes";

const file = join(__dirname, "../../fixtures/wire/clients.json");
const recorded = JSON.parse(readFileSync(file, "utf8")) as readonly { readonly service: string }[];

describe("node-vault", () => {
  const binding = { binddn: "cn=admin,dc=example,dc=org", bindpass: "adminpw" };
  const emulator = useEmulator({
    dialect: "hashicorp",
    seed: { directoryEntries: [{ dn: binding.binddn, password: binding.bindpass }] },
  });

  it("node-vault gives a program at the emulator what it gives at OpenBao 2.6.2", async () => {
    const { address: endpoint, token } = emulator.secrets;
    const vault = createVault({ endpoint, token });
    const other = (use: string) => createVault({ endpoint, token: use });
    const own = "vault-node";
    const auth = `${own}-auth`;
    const config = { ...binding, url: "ldap://127.0.0.1:3891", userdn: "ou=users,dc=example,dc=org" };
    const lines: string[] = [];
    for (const [step, run] of [
      ["health", () => vault.health()],
      ["status", () => vault.status()],
      ["initialized", () => vault.initialized()],
      ["mount", () => vault.mount({ mount_point: own, type: "ldap" })],
      ["enableAuth", () => vault.enableAuth({ mount_point: auth, type: "userpass" })],
      ["write", () => vault.write(`${own}/config`, config)],
      ["read", () => vault.read(`${own}/config`)],
      ["list of nothing", () => vault.list(`${own}/library`)],
      ["read of nothing", () => vault.read(`${own}/static-role/none`)],
      ["write without data", () => vault.write(`${own}/rotate-role/none`, null)],
      // The client goes on with the token that it gets.
      ["tokenCreate", () => other(token).tokenCreate({ ttl: "1h", policies: ["default"] })],
      ["tokenLookupSelf of a wrong token", () => other("wrong").tokenLookupSelf()],
      ["unwrap of nothing", () => vault.unwrap({ token: "none" })],
      ["unmount", () => vault.unmount({ mount_point: own })],
      ["disableAuth", () => vault.disableAuth({ mount_point: auth })],
    ] as const) {
      const outcome = await (run() as Promise<unknown>).then(
        (result) => ({ result: result ?? null }),
        (error: unknown) => ({ error: error instanceof Error ? error.message : String(error) }),
      );
      lines.push(JSON.stringify({ step, ...outcome, client: "node-vault", exchanges: [] }));
    }
    assert.deepEqual(
      outcomesIn(lines.join("\n")).map(({ client, exchanges, ...outcome }) => ({
        ...outcome,
        service: client,
      })),
      recorded.filter(({ service }) => service === "node-vault"),
    );
  });
});
