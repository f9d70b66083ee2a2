import assert from "node:assert/strict";
import { useEmulator } from "../../../support/use-emulator";
import { at } from "../../call";
import { HashicorpClient, assertRefused } from "../client";

describe("what a token learns about itself from the emulated secrets service", () => {
  const emulator = useEmulator({
    dialect: { secrets: "hashicorp" },
    frozenAt: new Date("2026-01-01T00:00:00Z"),
  });

  it("can be read by every token, and no more", async () => {
    const token = emulator.secrets.addToken({ access: "none", policies: ["readers"] });
    const client = new HashicorpClient(emulator, token);
    const data = await client.data("GET", "auth/token/lookup-self");
    assert.deepEqual([at(data, "id"), at(data, "policies")], [token, ["readers"]]);
    assertRefused(await client.send("DELETE", "auth/token/lookup-self"), 403, "permission denied");
    assertRefused(await client.send("GET", "ldap/config"), 403, "permission denied");
  });
});
