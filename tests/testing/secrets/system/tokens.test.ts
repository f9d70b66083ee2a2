import assert from "node:assert/strict";
import type { SecretsTokenOptions } from "../../../../sdk/testing";
import { useEmulator } from "../../../support/use-emulator";
import { at } from "../../call";
import { HashicorpClient } from "../hashicorp";
import { assertRefused } from "../refusals";

describe("what a token learns about itself from the emulated secrets service", () => {
  const emulator = useEmulator({
    dialect: { secrets: "hashicorp" },
    frozenAt: new Date("2026-01-01T00:00:00Z"),
  });
  const clientOf = (options: SecretsTokenOptions): [HashicorpClient, string] => {
    const token = emulator.secrets.addToken(options);
    return [new HashicorpClient(emulator, token), token];
  };

  for (const [what, options, expected] of [
    ["everything", {}, { "ldap/config": ["root"], "sys/mounts": ["root"] }],
    [
      "everything by a policy",
      { policies: ["admin"] },
      {
        "ldap/config": ["create", "delete", "list", "read", "update"],
        "sys/mounts": ["create", "delete", "list", "read", "update"],
      },
    ],
    ["reading", { access: "read" }, { "ldap/config": ["list", "read"], "sys/mounts": ["list", "read"] }],
    [
      "some paths",
      { access: "none", paths: { "ldap/": "full" } },
      { "ldap/config": ["create", "delete", "list", "read", "update"], "sys/mounts": ["deny"] },
    ],
  ] as const) {
    it(`is what it may do: ${what}`, async () => {
      const [client] = clientOf(options);
      const paths = Object.keys(expected);
      const envelope = await client.envelope("PUT", "sys/capabilities-self", { paths });
      assert.deepEqual(at(envelope, "data"), expected);
      for (const [path, capabilities] of Object.entries(expected)) {
        assert.deepEqual(at(envelope, path), capabilities, "beside the envelope's members");
      }
    });
  }

  it("is what every token may do", async () => {
    const [client] = clientOf({ access: "none" });
    const data = await client.data("POST", "sys/capabilities-self", { paths: ["auth/token/lookup-self"] });
    assert.deepEqual(data, { "auth/token/lookup-self": ["read"], capabilities: ["read"] });
    assertRefused(await client.send("DELETE", "auth/token/lookup-self"), 403, "permission denied");
  });

  it("needs paths to tell what it may do", async () => {
    const reply = await new HashicorpClient(emulator).send("POST", "sys/capabilities-self", {});
    assertRefused(reply, 400, "paths must be supplied");
  });
});
