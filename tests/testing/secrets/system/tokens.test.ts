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

  it("is that it is the root token, which never ends", async () => {
    const data = await new HashicorpClient(emulator).data("GET", "auth/token/lookup-self");
    const { accessor, ...rest } = data as Record<string, unknown>;
    assert.match(String(accessor), /^[0-9a-f]{24}$/);
    assert.equal(
      at(await new HashicorpClient(emulator).data("POST", "auth/token/lookup-self"), "id"),
      rest.id,
    );
    assert.deepEqual(rest, {
      creation_time: 1_767_225_600,
      creation_ttl: 0,
      display_name: "root",
      entity_id: "",
      expire_time: null,
      explicit_max_ttl: 0,
      id: emulator.secrets.token,
      meta: null,
      num_uses: 0,
      orphan: true,
      path: "auth/token/root",
      policies: ["root"],
      ttl: 0,
      type: "service",
    });
  });

  it("is whose it is, its policies and when it ends, without any rights", async () => {
    const { id: entityId } = emulator.secrets.addEntity();
    const [client, token] = clientOf({
      access: "none",
      displayName: "ci",
      entityId,
      policies: ["deploy", "default"],
      ttl: "1h",
    });
    emulator.advance("10m");
    const data = await client.data("GET", "auth/token/lookup-self");
    const of = (...names: string[]): unknown[] => names.map((name) => at(data, name));
    assert.deepEqual(of("id", "display_name", "entity_id"), [token, "ci", entityId]);
    assert.deepEqual(of("policies"), [["deploy", "default"]]);
    assert.deepEqual(of("creation_ttl", "ttl", "renewable"), [3_600, 3_000, false]);
    assert.deepEqual(of("issue_time", "expire_time"), [
      "2026-01-01T00:00:00.000Z",
      "2026-01-01T01:00:00.000Z",
    ]);
    assert.deepEqual(of("path", "orphan"), ["auth/token/create", false]);
  });

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
