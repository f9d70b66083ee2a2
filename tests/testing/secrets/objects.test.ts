import assert from "node:assert/strict";
import { type Emulator, startEmulator } from "../../../sdk/testing";
import { barcodeOf } from "../../../sdk/testing/secrets/mfa/totp-secrets";
import { Refusal } from "../../../sdk/testing/secrets/refusal";
import { useEmulator } from "../../support/use-emulator";
import { type Reply, at, call, textAt } from "../call";
import { HashicorpClient, assertRefused, numbered } from "./client";
import { readBarcode } from "./mfa/read-barcode";

const unknownId = "00000000-0000-0000-0000-000000000000";

describe("the emulator's TOTP methods", () => {
  const emulator = useEmulator();
  const products = useEmulator({ dialect: { secrets: "hashicorp" } });

  const ask = async (method: string, path = "", body?: unknown): Promise<Reply> =>
    call(emulator, "secrets", method, `/v1/identity/mfa/method/totp${path}`, { body });
  const created = async (body: unknown): Promise<string> =>
    textAt((await ask("POST", "", body)).body, "data", "method_id");
  const methods = () => emulator.inspect().secrets.totpMethods;

  for (const [part, words] of [
    [{ period: 0 }, "period must be greater than zero"],
    [{ key_size: 0 }, "key_size must be greater than zero"],
    [{ qr_size: -1 }, "qr_size must be zero or greater"],
    [{ max_validation_attempts: -1 }, "max_validation_attempts must be zero or greater"],
  ] as const) {
    it(`take ${JSON.stringify(part)}, which only the products refuse`, async () => {
      const body = { issuer: "acme", ...part };
      const read = await ask("GET", `/${await created(body)}`);
      const [[name, value]] = Object.entries(part) as [[string, unknown]];
      assert.equal(at(read.body, "data", name), value);
      const reply = await new HashicorpClient(products).send("POST", "identity/mfa/method/totp", body);
      assertRefused(reply, 400, words);
    });
  }

  for (const [part, words] of [
    [{ issuer: "" }, "issuer must be set"],
    [{ digits: 7 }, "digits can only be 6 or 8"],
    [{ skew: 2 }, "skew must be 0 or 1"],
    [{ algorithm: "MD5" }, "unrecognized algorithm"],
    [{ period: -30 }, /converting input for field "period"/],
    [{ digits: "6" }, /converting input for field "digits"/],
    [{ type: "totp" }, /unrecognized parameters: \[type\]/],
  ] as const) {
    it(`cannot have ${JSON.stringify(part)}`, async () => {
      assertRefused(await ask("POST", "", { issuer: "acme", ...part }), 400, words);
      assert.deepEqual(methods(), []);
    });
  }

  for (const inPath of [true, false]) {
    it(`are replaced as a whole by an update ${inPath ? "by path" : "by the id in the body"}`, async () => {
      const id = await created({ issuer: "acme", digits: 8, skew: 0 });
      const reply = await ask("POST", inPath ? `/${id}` : "", { issuer: "other", id });
      assert.deepEqual([reply.status, reply.body], [204, ""]);
      assert.deepEqual(
        methods().map(({ issuer, digits, skew }) => [issuer, digits, skew]),
        [["other", 6, 1]],
      );
    });
  }

  it("are not changed by an update that is refused", async () => {
    const id = await created({ issuer: "acme", digits: 8 });
    const before = methods();
    assertRefused(await ask("POST", `/${id}`, { digits: 6 }), 400, "issuer must be set");
    assertRefused(await ask("POST", `/${id}`, { issuer: "a", id: unknownId }), 400, /differs/);
    assert.deepEqual(methods(), before);
  });

  it("leave the enforcements that use them when they are removed behind a program's back", () => {
    const { secrets } = emulator;
    const [one, other] = ["a", "b"].map((issuer) => secrets.addTotpMethod({ issuer }).id) as [string, string];
    const { id, name } = secrets.addEnforcement({ methodIds: [one, other] });
    assert.match(name, /^enforcement_[0-9a-f]{8}$/);
    secrets.removeTotpMethod(one);
    assert.deepEqual(emulator.inspect().secrets.enforcements, [{ id, name, methodIds: [other] }]);
    assert.throws(() => secrets.removeTotpMethod(one), /no TOTP method/);
    assert.throws(() => secrets.addEnforcement({ methodIds: ["none"] }), /no TOTP method "none"/);
  });

  it("have secrets that can be added and removed behind a program's back", async () => {
    const { secrets } = emulator;
    const entity = secrets.addEntity().id;
    const method = secrets.addTotpMethod({ issuer: "acme" }).id;
    const secret = secrets.addTotpSecret(method, entity);
    assert.deepEqual(emulator.inspect().secrets.totpSecrets, [secret]);
    const reply = await ask("POST", "/admin-generate", { method_id: method, entity_id: entity });
    assert.equal(at(reply.body, "data"), null);
    assert.deepEqual(at(reply.body, "warnings"), ['Entity already has a secret for MFA method ""']);
    secrets.removeTotpSecret(method, entity);
    assert.throws(() => secrets.removeTotpSecret(method, entity), /no TOTP secret/);
    assert.throws(() => secrets.addTotpSecret(method, "none"), /no entity "none"/);
  });
});

describe("the emulator's push methods", () => {
  const emulator = useEmulator();

  it("have a name of any kind, which the body may repeat", async () => {
    const ask = async (method: string, path: string, name?: string): Promise<Reply> => {
      const body = name === undefined ? undefined : { mount_accessor: "auth_userpass_00000001", name };
      return call(emulator, "secrets", method, `/v1/sys/mfa/method/pushauth/${path}`, { body });
    };
    assert.equal((await ask("POST", "a%2Fb%20%C3%BC", "a/b ü")).status, 204);
    assert.equal(emulator.inspect().secrets.pushMethods[0]?.name, "a/b ü");
    assert.equal((await ask("GET", "a%2Fb%20%C3%BC")).status, 200);
    assertRefused(await ask("POST", "x", "y"), 400, /differs/);
  });
});

describe("a barcode", () => {
  const url = `otpauth://totp/acme:x?algorithm=SHA1&digits=6&issuer=acme&period=30&secret=${"A".repeat(32)}`;

  for (const size of [49, 100, 101, 163, 199, 200, 205, 208, 256, 1_000]) {
    it(`of ${size} pixels can be scanned`, async () => {
      assert.deepEqual(readBarcode(await barcodeOf(url, size)()), { text: url, width: size, height: size });
    });
  }

  for (const [what, text, size, words] of [
    ["a size smaller than the symbol", url, 20, /can not scale barcode to an image smaller than \d+x\d+/],
    ["more text than any symbol holds", "x".repeat(5_000), 1_000, /too big/],
  ] as const) {
    it(`cannot be made for ${what}`, () => {
      assert.throws(
        () => barcodeOf(text, size),
        (error) => error instanceof Refusal && error.status === 500 && words.test(error.message),
      );
    });
  }
});

describe("the emulator's entity aliases", () => {
  const emulator = useEmulator();
  const products = useEmulator({ dialect: { secrets: "hashicorp" } });
  const userpass = "auth_userpass_00000001";
  let alice: string;
  let bob: string;
  beforeEach(() => {
    alice = emulator.secrets.addEntity({ name: "alice" }).id;
    bob = emulator.secrets.addEntity({ name: "bob" }).id;
  });

  const post = async (body: unknown): Promise<Reply> =>
    call(emulator, "secrets", "POST", "/v1/identity/entity-alias", { body });
  const named = (name: string, entity = alice, mount_accessor = userpass) => {
    return { name, canonical_id: entity, mount_accessor };
  };
  const aliases = () => emulator.inspect().secrets.entityAliases;

  it("are updated by the id in the body, and keep their metadata", async () => {
    const reply = await post({ ...named("web"), custom_metadata: { team: "a" } });
    assert.equal((await post({ id: textAt(reply.body, "data", "id"), ...named("site") })).status, 200);
    assert.deepEqual(
      aliases().map(({ name, customMetadata }) => [name, customMetadata]),
      [["site", { team: "a" }]],
    );
    assertRefused(await post({ id: unknownId, ...named("x") }), 400, "invalid alias ID provided");
  });

  it("lets an entity have several aliases on a mount, made or moved", async () => {
    for (const body of [named("web"), named("site"), named("shop", bob), named("web", bob)]) {
      await post(body);
    }
    assert.deepEqual(
      aliases().map(({ name, canonicalId }) => [name, canonicalId]),
      [
        ["web", bob],
        ["site", alice],
        ["shop", bob],
      ],
    );
  });

  it("refuse a mount and an entity that do not exist", async () => {
    assertRefused(await post(named("web", alice, "nope")), 400, 'invalid mount accessor "nope"');
    assertRefused(await post(named("web", unknownId)), 400, "invalid canonical ID");
    assert.deepEqual(aliases(), []);
    const { secrets } = emulator;
    const { id } = secrets.addEntityAlias({ name: "web", canonicalId: alice });
    assert.throws(() => secrets.addEntityAlias({ name: "x", canonicalId: "none" }), /no entity "none"/);
    assert.throws(() => secrets.changeEntityAlias(id, { mountAccessor: "none" }), /accessor "none"/);
  });

  const many = Array.from({ length: 65 }, (_, number) => [`key-${number}`, "x"]);
  for (const [what, metadata, words] of [
    ["65 keys", Object.fromEntries(many) as object, /at most 64 keys, provided 65/],
    ["a key of 65 letters of two bytes", { ["ü".repeat(65)]: "x" }, /length of key is 130/],
    ["an empty value", { key: "" }, /length of value is 0/],
    ["a line break", { key: "a\nb" }, /unprintable/],
  ] as const) {
    it(`of the products may not have ${what} in their metadata`, async () => {
      const body = { ...named("web", products.secrets.addEntity().id), custom_metadata: metadata };
      const reply = await new HashicorpClient(products).send("POST", "identity/entity-alias", body);
      assertRefused(reply, 500, words);
      assert.deepEqual(products.inspect().secrets.entityAliases, []);
    });
  }
});

describe("the emulated scheduler engine, where its access configuration counts", () => {
  let emulator: Emulator;
  beforeEach(async () => {
    emulator = await startEmulator({ secrets: { schedulerAccess: "checked" } });
    emulator.secrets.addSchedulerRole({ name: "r", type: "management" });
  });
  afterEach(async () => emulator.close());

  const ask = async (): Promise<Reply> => call(emulator, "secrets", "GET", "/v1/scheduler/creds/r");

  it("issues tokens without one, and with the right one", async () => {
    assert.equal((await ask()).status, 200);
    const { address, token } = emulator.scheduler;
    emulator.secrets.changeSchedulerAccess({ address: `${address}/`, token });
    const secretId = textAt((await ask()).body, "data", "secret_id");
    emulator.secrets.changeSchedulerAccess({ address, token: secretId });
    assert.equal((await ask()).status, 200);
  });

  it("issues none with another address, a wrong token, or a client's", async () => {
    const client = emulator.scheduler.addToken({ access: { readNodes: true } });
    for (const token of ["wrong", client]) {
      emulator.secrets.changeSchedulerAccess({ token });
      assertRefused(await ask(), 500, numbered("Unexpected response code: 403 (Permission denied)"));
    }
    emulator.secrets.changeSchedulerAccess({ token: "", address: "https://elsewhere:4646" });
    assertRefused(await ask(), 500, /elsewhere:4646\/v1\/acl\/token": dial tcp/);
    assert.deepEqual(emulator.inspect().scheduler.frames, []);
  });
});
