import assert from "node:assert/strict";
import { barcodeOf } from "../../../sdk/testing/secrets/mfa/totp-secrets";
import { useEmulator } from "../../support/use-emulator";
import { type Exchange, assertResponses, at } from "../call";
import { SecretsClient } from "./client";
import { readBarcode } from "./mfa/read-barcode";

const unknownId = "00000000-0000-0000-0000-000000000000";
const mount_accessor = "auth_userpass_00000001";
const methodsPath = "identity/mfa/method/totp";
const aliasesPath = "identity/entity-alias";

describe("the emulator's TOTP methods", () => {
  const emulator = useEmulator();
  const products = useEmulator({ dialect: { secrets: "hashicorp" } });
  const create = `POST /v1/${methodsPath}`;
  const stored = () => emulator.inspect().secrets.totpMethods;

  it("the emulator's TOTP methods are replaced as a whole by an update by path or by the id in the body", async () => {
    const { id } = emulator.secrets.addTotpMethod({ issuer: "acme", digits: 8, skew: 0 });
    await assertResponses(emulator, "secrets", [
      [`${create}/${id}`, { issuer: "a", id: unknownId }, 400, /differs/],
      [create, { issuer: "x", id: unknownId }, 204],
      [create, { issuer: "other", digits: 8, id }, 204],
    ]);
    const values = () => stored().map(({ issuer, digits, skew }) => [issuer, digits, skew]);
    assert.deepEqual(values(), [["other", 8, 1]]);
    await assertResponses(emulator, "secrets", [[`${create}/${id}`, { issuer: "third", id }, 204]]);
    assert.deepEqual(values(), [["third", 6, 1]]);
  });

  it("the emulator's TOTP methods warn in the products of what nobody reads, beside other warnings", async () => {
    const { id: method_id } = products.secrets.addTotpMethod({ issuer: "acme" });
    const { id: entity_id } = products.secrets.addEntity();
    products.secrets.addTotpSecret(method_id, entity_id);
    const body = { method_id, entity_id, colour: "red" };
    const client = new SecretsClient(products);
    const envelope = await client.envelope("POST", `${methodsPath}/admin-generate`, body);
    const found = at(envelope, "warnings");
    assert.deepEqual(found, [
      'Entity already has a secret for MFA method ""',
      "Endpoint ignored these unrecognized parameters: [colour]",
    ]);
  });
});

describe("the emulator's push methods", () => {
  const emulator = useEmulator();

  it("the emulator's push methods have a name of any kind, which the body may repeat", async () => {
    const path = "/v1/sys/mfa/method/pushauth";
    await assertResponses(emulator, "secrets", [
      [`POST ${path}/a%2Fb%20%C3%BC`, { mount_accessor, name: "a/b ü" }, 204],
      [`GET ${path}/a%2Fb%20%C3%BC`, undefined, 200],
      [`POST ${path}/x`, { mount_accessor, name: "y" }, 400, /differs/],
    ]);
    assert.equal(emulator.inspect().secrets.pushMethods[0]?.name, "a/b ü");
  });
});

describe("a barcode", () => {
  const url = `otpauth://totp/acme:x?algorithm=SHA1&digits=6&issuer=acme&period=30&secret=${"A".repeat(32)}`;

  it("a barcode of any size can be scanned", async () => {
    for (const size of [49, 100, 101, 163, 199, 200, 205, 208, 256, 1_000]) {
      assert.deepEqual(readBarcode(await barcodeOf(url, size)()), { text: url, width: size, height: size });
    }
  });

  it("a barcode cannot be smaller than its symbol, nor have more text than any symbol holds", () => {
    const smaller = /can not scale barcode to an image smaller than \d+x\d+/;
    assert.throws(() => barcodeOf(url, 20), { status: 500, message: smaller });
    assert.throws(() => barcodeOf("x".repeat(5_000), 1_000), { status: 500, message: /too big/ });
  });
});

describe("the emulator's entity aliases", () => {
  const emulator = useEmulator({ seed: { entities: [{ id: "alice" }, { id: "bob" }] } });
  const products = useEmulator({ dialect: { secrets: "hashicorp" }, seed: { entities: [{ id: "alice" }] } });
  const write = `POST /v1/${aliasesPath}`;
  const named = (name: string, canonical_id = "alice") => ({ name, canonical_id, mount_accessor });

  it("the emulator's entity aliases are several of an entity on a mount, made or moved, and updated by the id in the body", async () => {
    const { id } = emulator.secrets.addEntityAlias({
      name: "web",
      canonicalId: "alice",
      customMetadata: { team: "a" },
    });
    await assertResponses(emulator, "secrets", [
      [write, { id, ...named("docs") }, 200],
      [write, named("site"), 200],
      [write, named("shop", "bob"), 200],
      [write, named("site", "bob"), 200],
      [write, { id: unknownId, ...named("x") }, 400, /^invalid alias ID provided$/],
    ]);
    assert.deepEqual(
      emulator
        .inspect()
        .secrets.entityAliases.map((alias) => [alias.name, alias.canonicalId, alias.customMetadata]),
      [
        ["docs", "alice", { team: "a" }],
        ["site", "bob", {}],
        ["shop", "bob", {}],
      ],
    );
  });

  it("the emulator's entity aliases of the products have limits for metadata, and are made with an entity where none is given", async () => {
    const many = Object.fromEntries(Array.from({ length: 65 }, (_, number) => [`key-${number}`, "x"]));
    const refused = (custom_metadata: object, error: RegExp): Exchange => {
      return [write, { ...named("web"), custom_metadata }, 500, error];
    };
    await assertResponses(products, "secrets", [
      refused(many, /at most 64 keys, provided 65/),
      refused({ ["ü".repeat(65)]: "x" }, /length of key "ü+" is 130 but/),
      refused({ key: "a\nb" }, /unprintable/),
      [write, { name: "bob", mount_accessor: "none" }, 400, /^invalid mount accessor "none"$/],
      [write, { name: "bob", mount_accessor }, 200],
      [write, { name: "bob", mount_accessor }, 204],
    ]);
    const { entities, entityAliases } = products.inspect().secrets;
    const [alias] = entityAliases;
    assert.deepEqual([alias?.name, entityAliases.length], ["bob", 1]);
    assert.deepEqual([entities.length, entities[1]?.id], [2, alias?.canonicalId]);
  });
});

describe("the emulated scheduler engine, where its access configuration counts", () => {
  const emulator = useEmulator({ secrets: { schedulerAccess: "checked" } });
  const products = useEmulator({ dialect: "hashicorp", secrets: { schedulerAccess: "checked" } });

  it("the emulated scheduler engine issues tokens without one, and with the right address and a management token", async () => {
    const credentials = "GET /v1/scheduler/creds/r";
    const ask = async (change: object, status: number, error?: RegExp) => {
      emulator.secrets.changeSchedulerAccess(change);
      await assertResponses(emulator, "secrets", [[credentials, undefined, status, error]]);
    };
    emulator.secrets.addSchedulerRole({ name: "r", type: "management" });
    await assertResponses(emulator, "secrets", [[credentials, undefined, 200]]);
    const { address, token } = emulator.scheduler;
    await ask({ address: `${address}/`, token }, 200);
    await ask({ address, token: emulator.inspect().scheduler.aclTokens.at(-1)?.secretId }, 200);
    const denied = /Unexpected response code: 403 \(Permission denied\)/;
    const client = emulator.scheduler.addToken({ access: { readNodes: true } });
    const frames = emulator.inspect().scheduler.frames.length;
    await ask({ token: "wrong" }, 500, denied);
    await ask({ token: client }, 500, denied);
    await ask(
      { token: "", address: "https://elsewhere:4646" },
      500,
      /elsewhere:4646\/v1\/acl\/token": dial tcp/,
    );
    assert.equal(emulator.inspect().scheduler.frames.length, frames);
  });

  it("the emulated scheduler engine adopts the scheduler once in the products, and changes nothing when it cannot", async () => {
    const post = "POST /v1/nomad/config/access";
    const refusal = /^Token not provided and failed to bootstrap ACLs$/;
    const { address } = products.scheduler;
    const token = () => products.inspect().secrets.schedulerAccess[0]?.token;
    await assertResponses(products, "secrets", [
      [post, { address: "http://127.0.0.1:4646" }, 400, refusal],
      ["GET /v1/nomad/config/access", undefined, 404],
      [post, { address }, 204],
    ]);
    const first = token();
    await assertResponses(products, "secrets", [
      [post, { address: "http://other:4646" }, 204],
      [post, { token: "" }, 400, refusal],
    ]);
    assert.equal(token(), first, "a token that is stored stays");
    await assertResponses(products, "secrets", [
      ["DELETE /v1/nomad/config/access", undefined, 204],
      [post, { address }, 400, refusal],
    ]);
    products.reset();
    await assertResponses(products, "secrets", [[post, { address: products.scheduler.address }, 204]]);
  });

  it("the emulated scheduler engine reads policies in the products that were never given as null, and cleared ones as an empty list", async () => {
    const nomad = new SecretsClient(products, "nomad/");
    const policiesAfter = async (body: object): Promise<unknown> => {
      await nomad.write("role/ops", { type: "management", ...body });
      return at(await nomad.data("GET", "role/ops"), "policies");
    };
    assert.deepEqual(
      [await policiesAfter({}), await policiesAfter({ global: true }), await policiesAfter({ policies: "" })],
      [null, null, []],
    );
    products.secrets.addSchedulerRole({ name: "ops", type: "management" });
    assert.deepEqual(at(await nomad.data("GET", "role/ops"), "policies"), []);
  });
});
