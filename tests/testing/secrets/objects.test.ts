import assert from "node:assert/strict";
import { barcodeOf } from "../../../sdk/testing/secrets/mfa/totp-secrets";
import { useEmulator } from "../../support/use-emulator";
import { type Exchange, assertResponses, at } from "../call";
import { SecretsClient } from "./client";
import { readBarcode } from "./mfa/read-barcode";

const unknownId = "00000000-0000-0000-0000-000000000000";
const mount_accessor = "auth_userpass_00000001";

describe("the emulator's objects of identities and factors", () => {
  const seed = { entities: [{ id: "alice" }, { id: "bob" }] };
  const emulator = useEmulator({ seed });
  const products = useEmulator({ dialect: { secrets: "hashicorp" }, seed });
  const stored = () => emulator.inspect().secrets;
  const respond = (...exchanges: readonly Exchange[]) => assertResponses(emulator, "secrets", exchanges);
  const write = "POST /v1/identity/entity-alias";
  const named = (name: string, canonical_id = "alice") => ({ name, canonical_id, mount_accessor });

  it("the emulator's TOTP methods are replaced as a whole by an update with the ID in the path or in the body", async () => {
    const create = "POST /v1/identity/mfa/method/totp";
    const { id } = emulator.secrets.addTotpMethod({ issuer: "acme", digits: 8, skew: 0 });
    const values = () =>
      stored().totpMethods.map(({ issuer, digits, skew }) => [issuer, digits, skew].join());
    await respond(
      [`${create}/${id}`, { issuer: "a", id: unknownId }, 400, /in the body, but/],
      [create, { issuer: "x", id: unknownId }, 204],
      [create, { issuer: "other", digits: 8, id }, 204],
    );
    assert.deepEqual(values(), ["other,8,1"]);
    await respond([`${create}/${id}`, { issuer: "third", id }, 204]);
    assert.deepEqual(values(), ["third,6,1"]);
  });

  it("the emulator allows several entity aliases of an entity on one mount, created or moved, and updates by the ID in the body", async () => {
    const customMetadata = { team: "a" };
    const { id } = emulator.secrets.addEntityAlias({ name: "web", canonicalId: "alice", customMetadata });
    await respond(
      [write, { id, ...named("docs") }, 200],
      [write, named("site"), 200],
      [write, named("shop", "bob"), 200],
      [write, named("site", "bob"), 200],
      [write, { id: unknownId, ...named("x") }, 400, /^invalid alias ID provided$/],
    );
    const found = stored().entityAliases.map(({ name, canonicalId }) => `${name} of ${canonicalId}`);
    assert.deepEqual(found, ["docs of alice", "site of bob", "shop of bob"]);
    assert.deepEqual(stored().entityAliases[0]?.customMetadata, customMetadata);
  });

  it("the emulator's entity aliases of the products have limits for metadata, and are created with an entity if none is set", async () => {
    const many = Object.fromEntries(Array.from({ length: 65 }, (_, number) => [`key-${number}`, "x"]));
    const refused = (custom_metadata: object, error: RegExp): Exchange => {
      return [write, { ...named("web"), custom_metadata }, 500, error];
    };
    await assertResponses(products, "secrets", [
      refused(many, /at most 64 keys, provided 65/),
      refused({ ["ü".repeat(65)]: "x" }, /length of key "ü+" is 130 but/),
      refused({ key: "a\nb" }, /unprintable/),
      [write, { name: "carol", mount_accessor: "none" }, 400, /^invalid mount accessor "none"$/],
      [write, { name: "carol", mount_accessor }, 200],
      [write, { name: "carol", mount_accessor }, 204],
    ]);
    const { entities, entityAliases } = products.inspect().secrets;
    const found = entityAliases.map(({ name, canonicalId }) => [name, canonicalId]);
    assert.deepEqual(found, [["carol", entities[2]?.id]]);
  });

  it("a barcode can be scanned at any size that fits its symbol, and its text can be as long as a symbol allows", async () => {
    const url = `otpauth://totp/acme:x?algorithm=SHA1&digits=6&issuer=acme&period=30&secret=${"A".repeat(32)}`;
    for (const size of [49, 100, 101, 163, 199, 200, 205, 208, 256, 1_000]) {
      assert.deepEqual(readBarcode(await barcodeOf(url, size)()), { text: url, width: size, height: size });
    }
    const smaller = /can not scale barcode to an image smaller than \d+x\d+/;
    assert.throws(() => barcodeOf(url, 20), { status: 500, message: smaller });
    assert.throws(() => barcodeOf("x".repeat(5_000), 1_000), { status: 500, message: /too big/ });
  });
});

describe("the emulated scheduler engine with a checked access configuration", () => {
  const emulator = useEmulator({ secrets: { schedulerAccess: "checked" } });
  const products = useEmulator({ dialect: "hashicorp", secrets: { schedulerAccess: "checked" } });

  it("the emulated scheduler engine issues tokens without one, and with the right address and a management token", async () => {
    const credentials = "GET /v1/scheduler/creds/r";
    const { address, token } = emulator.scheduler;
    emulator.secrets.addSchedulerRole({ name: "r", type: "management" });
    await assertResponses(emulator, "secrets", [[credentials, undefined, 200]]);
    const issued = emulator.inspect().scheduler.aclTokens.at(-1)?.secretId;
    const client = emulator.scheduler.addToken({ access: { readNodes: true } });
    const denied = /Unexpected response code: 403 \(Permission denied\)/;
    const frames = () => emulator.inspect().scheduler.frames.length;
    const elsewhere = { token: "", address: "https://elsewhere:4646" };
    for (const [change, status, error] of [
      [{ address: `${address}/`, token }, 200],
      [{ address, token: issued }, 200],
      [{ token: "wrong" }, 500, denied],
      [{ token: client }, 500, denied],
      [elsewhere, 500, /elsewhere:4646\/v1\/acl\/token": dial tcp/],
    ] as const) {
      emulator.secrets.changeSchedulerAccess(change);
      const before = frames();
      await assertResponses(emulator, "secrets", [[credentials, undefined, status, error]]);
      assert.equal(frames() > before, status === 200);
    }
  });

  it("the emulated scheduler engine of the products bootstraps the scheduler once, and changes nothing if it cannot", async () => {
    const path = "/v1/nomad/config/access";
    const refusal = /^Token not provided and failed to bootstrap ACLs$/;
    const { address } = products.scheduler;
    const token = () => products.inspect().secrets.schedulerAccess[0]?.token;
    await assertResponses(products, "secrets", [
      [`POST ${path}`, { address: "http://127.0.0.1:4646" }, 400, refusal],
      [`GET ${path}`, undefined, 404],
      [`POST ${path}`, { address }, 204],
    ]);
    const first = token();
    await assertResponses(products, "secrets", [[`POST ${path}`, { address: "http://other:4646" }, 204]]);
    assert.equal(token(), first, "a token that is stored stays");
    await assertResponses(products, "secrets", [
      [`POST ${path}`, { token: "" }, 400, refusal],
      [`DELETE ${path}`, undefined, 204],
      [`POST ${path}`, { address }, 400, refusal],
    ]);
    products.reset();
    const again = { address: products.scheduler.address };
    await assertResponses(products, "secrets", [[`POST ${path}`, again, 204]]);
  });

  it("the emulated scheduler engine of the products returns null for policies that were never set, and an empty list for cleared ones", async () => {
    const nomad = new SecretsClient(products, "nomad/");
    const policies = async (): Promise<unknown> => at(await nomad.data("GET", "role/ops"), "policies");
    for (const [body, expected] of [
      [{}, null],
      [{ global: true }, null],
      [{ policies: "" }, []],
    ] as const) {
      await nomad.write("role/ops", { type: "management", ...body });
      assert.deepEqual(await policies(), expected);
    }
    products.secrets.addSchedulerRole({ name: "ops", type: "management" });
    assert.deepEqual(await policies(), []);
  });
});
