import assert from "node:assert/strict";
import { type Emulator, type EmulatorOptions, startEmulator } from "../../../sdk/testing";
import { barcodeOf } from "../../../sdk/testing/secrets/mfa/barcode";
import { Refusal } from "../../../sdk/testing/secrets/refusal";
import { useEmulator } from "../../support/use-emulator";
import { type Reply, at, call, textAt } from "../call";
import { HashicorpClient, assertRefused, numbered } from "./client";
import { readBarcode } from "./mfa/read-barcode";

describe("the emulator's TOTP methods", () => {
  const emulator = useEmulator();

  const collection = "/v1/identity/mfa/method/totp";
  const ask = async (method: string, path = "", body?: unknown): Promise<Reply> =>
    call(emulator, "secrets", method, collection + path, { body });
  const created = async (body: unknown): Promise<string> =>
    textAt((await ask("POST", "", body)).body, "data", "method_id");
  const methods = () => emulator.inspect().secrets.totpMethods;
  const unknownId = "00000000-0000-0000-0000-000000000000";
  const defaults = {
    algorithm: "SHA1",
    digits: 6,
    key_size: 20,
    max_validation_attempts: 5,
    namespace: "root",
    period: 30,
    qr_size: 200,
    skew: 1,
    type: "totp",
  };
  const everything = {
    issuer: "acme",
    period: "1m30s",
    key_size: 32,
    qr_size: 0,
    algorithm: "SHA512",
    digits: 8,
    skew: 0,
    max_validation_attempts: 3,
  };

  describe("create", () => {
    const refused: readonly [Record<string, unknown>, string | RegExp][] = [
      [{ issuer: undefined }, "issuer must be set"],
      [{ issuer: "" }, "issuer must be set"],
      [{ digits: 7 }, "digits can only be 6 or 8"],
      [{ skew: 2 }, "skew must be 0 or 1"],
      [{ skew: -1 }, "skew must be 0 or 1"],
      [{ algorithm: "MD5" }, "unrecognized algorithm"],
      [{ algorithm: "sha1" }, "unrecognized algorithm"],
      [{ period: "soon" }, /converting input for field "period".*"soon"/],
      [{ period: -30 }, /converting input for field "period"/],
      [{ digits: "6" }, /converting input for field "digits"/],
      [{ type: "totp" }, /unrecognized parameters: \[type\]/],
      [{ name: "x" }, /unrecognized parameters: \[name\]/],
    ];
    const products = useEmulator({ dialect: { secrets: "hashicorp" } });
    for (const [part, words] of [
      [{ period: 0 }, "period must be greater than zero"],
      [{ key_size: 0 }, "key_size must be greater than zero"],
      [{ qr_size: -1 }, "qr_size must be zero or greater"],
      [{ max_validation_attempts: -1 }, "max_validation_attempts must be zero or greater"],
    ] as const) {
      it(`takes ${JSON.stringify(part)}, which only the products refuse`, async () => {
        const body = { issuer: "acme", ...part };
        const reply = await ask("POST", "", body);
        const read = await ask("GET", `/${textAt(reply.body, "data", "method_id")}`);
        const [[name, value]] = Object.entries(part) as [[string, unknown]];
        assert.equal(at(read.body, "data", name), value);
        const client = new HashicorpClient(products);
        assertRefused(await client.send("POST", "identity/mfa/method/totp", body), 400, words);
      });
    }

    for (const [part, words] of refused) {
      it(`refuses ${JSON.stringify(part)}`, async () => {
        assertRefused(await ask("POST", "", { issuer: "acme", ...part }), 400, words);
        assert.deepEqual(methods(), []);
      });
    }
  });

  describe("update", () => {
    for (const [how, path, idInBody] of [
      ["by path", true, false],
      ["by path, with the same id in the body", true, true],
      ["by the id in the body", false, true],
    ] as const) {
      it(`${how} replaces the whole method`, async () => {
        const id = await created(everything);
        const body = { issuer: "other", ...(idInBody ? { id } : {}) };
        const reply = await ask("POST", path ? `/${id}` : "", body);
        assert.deepEqual([reply.status, reply.body], [204, ""]);
        assert.deepEqual(at((await ask("GET", `/${id}`)).body, "data"), { ...defaults, id, issuer: "other" });
        assert.equal(methods().length, 1);
      });
    }

    it("refuses what creation refuses, and changes nothing", async () => {
      const id = await created(everything);
      const before = methods();
      assertRefused(await ask("POST", `/${id}`, { digits: 6 }), 400, "issuer must be set");
      assertRefused(await ask("POST", `/${id}`, { issuer: "a", skew: 5 }), 400, "skew must be 0 or 1");
      assertRefused(await ask("POST", `/${id}`, { issuer: "a", id: unknownId }), 400, /differs/);
      assert.deepEqual(methods(), before);
    });
  });

  describe("behind a program's back", () => {
    it("leave the enforcements that use them", () => {
      const { secrets } = emulator;
      const ids = [secrets.addTotpMethod({ issuer: "a" }).id, secrets.addTotpMethod({ issuer: "b" }).id];
      const { id, name } = secrets.addEnforcement({ methodIds: ids });
      assert.match(name, /^enforcement_[0-9a-f]{8}$/);
      secrets.removeTotpMethod(ids[0] ?? "");
      const [enforcement] = emulator.inspect().secrets.enforcements;
      assert.deepEqual(enforcement, { id, name, methodIds: [ids[1]] });
    });

    it("must exist", () => {
      const { secrets } = emulator;
      assert.throws(() => secrets.changeTotpMethod("none", {}), /no TOTP method "none"/);
      assert.throws(() => secrets.removeTotpMethod("none"), /no TOTP method "none"/);
      assert.throws(() => secrets.addEnforcement({ methodIds: ["none"] }), /no TOTP method "none"/);
      assert.throws(() => secrets.removeEnforcement("none"), /no enforcement "none"/);
    });
  });
});

describe("the emulator's TOTP secrets", () => {
  const emulator = useEmulator();
  let alice: string;
  let methodId: string;
  beforeEach(() => {
    alice = emulator.secrets.addEntity({ name: "alice" }).id;
    methodId = emulator.secrets.addTotpMethod({ issuer: "acme" }).id;
  });

  const post = async (action: string, body: unknown, token?: string): Promise<Reply> =>
    call(emulator, "secrets", "POST", `/v1/identity/mfa/method/totp/${action}`, {
      body,
      ...(token === undefined ? {} : { token }),
    });
  const adminGenerate = async (method = methodId, entity = alice): Promise<Reply> =>
    post("admin-generate", { method_id: method, entity_id: entity });
  const secrets = () => emulator.inspect().secrets.totpSecrets;
  const assertExists = (reply: Reply): void => {
    assert.equal(reply.status, 200);
    assert.equal(at(reply.body, "data"), null);
    assert.deepEqual(at(reply.body, "warnings"), ['Entity already has a secret for MFA method ""']);
  };

  it("are added and removed behind a program's back", async () => {
    const secret = emulator.secrets.addTotpSecret(methodId, alice);
    assert.deepEqual(secrets(), [secret]);
    assertExists(await adminGenerate());
    emulator.secrets.removeTotpSecret(methodId, alice);
    assert.deepEqual(secrets(), []);
    assert.throws(() => emulator.secrets.removeTotpSecret(methodId, alice), /no TOTP secret/);
    assert.throws(() => emulator.secrets.addTotpSecret(methodId, "none"), /no entity "none"/);
    assert.throws(() => emulator.secrets.addTotpSecret("none", alice), /no TOTP method "none"/);
  });
});

describe("the emulator's push methods", () => {
  const emulator = useEmulator();

  const collection = "/v1/sys/mfa/method/pushauth";
  const ask = async (method: string, name: string, body?: unknown): Promise<Reply> =>
    call(emulator, "secrets", method, `${collection}/${name}`, { body });
  const methods = () => emulator.inspect().secrets.pushMethods;
  const mountAccessor = "auth_userpass_00000001";
  const everything = {
    mount_accessor: mountAccessor,
    username_format: "{{alias.name}}@acme",
    secret_key: "secret-key-value",
    integration_key: "integration-key-value",
    api_hostname: "api.example",
    push_info: "from=login",
  };

  it("have a name of any kind, which the body may repeat", async () => {
    assert.equal((await ask("POST", "a%2Fb%20%C3%BC", { ...everything, name: "a/b ü" })).status, 204);
    assert.equal(methods()[0]?.name, "a/b ü");
    assert.equal((await ask("GET", "a%2Fb%20%C3%BC")).status, 200);
    assertRefused(await ask("POST", "x", { ...everything, name: "y" }), 400, /differs/);
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
  const emulator = useEmulator({ frozenAt: new Date("2030-01-01T00:00:00Z") });
  let alice: string;
  let bob: string;
  let userpass: string;
  beforeEach(() => {
    alice = emulator.secrets.addEntity({ name: "alice" }).id;
    bob = emulator.secrets.addEntity({ name: "bob" }).id;
    userpass = emulator.inspect().secrets.mounts.find(({ type }) => type === "userpass")?.accessor ?? "";
  });

  const collection = "/v1/identity/entity-alias";
  const post = async (body: unknown, path = ""): Promise<Reply> =>
    call(emulator, "secrets", "POST", collection + path, { body });
  const named = (name: string, entity = alice, accessor = userpass, custom?: Record<string, string>) => ({
    name,
    canonical_id: entity,
    mount_accessor: accessor,
    ...(custom === undefined ? {} : { custom_metadata: custom }),
  });
  const created = async (...parts: Parameters<typeof named>): Promise<string> =>
    textAt((await post(named(...parts))).body, "data", "id");
  const aliases = () => emulator.inspect().secrets.entityAliases;
  const unknownId = "00000000-0000-0000-0000-000000000000";

  describe("create", () => {
    it("updates the alias whose id is in the body, and keeps its metadata", async () => {
      const id = await created("web", alice, userpass, { team: "a" });
      assert.equal((await post({ id, ...named("site") })).status, 200);
      assert.deepEqual(
        aliases().map(({ name, customMetadata }) => [name, customMetadata]),
        [["site", { team: "a" }]],
      );
      assertRefused(await post({ id: unknownId, ...named("x") }), 400, "invalid alias ID provided");
    });

    it("lets an entity have several aliases on a mount, made or moved", async () => {
      await post(named("web", alice));
      await post(named("site", alice));
      await post(named("shop", bob));
      await post(named("web", bob));
      assert.deepEqual(
        aliases().map(({ name, canonicalId }) => [name, canonicalId]),
        [
          ["web", bob],
          ["site", alice],
          ["shop", bob],
        ],
      );
    });

    it("refuses a mount and an entity that do not exist", async () => {
      assertRefused(await post(named("web", alice, "nope")), 400, 'invalid mount accessor "nope"');
      assertRefused(await post(named("web", unknownId)), 400, "invalid canonical ID");
      assert.deepEqual(aliases(), []);
    });
  });

  describe("custom metadata in the hashicorp dialect", () => {
    const products = useEmulator({ dialect: { secrets: "hashicorp" } });
    const manyKeys = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, number) => [`key-${number}`, "x"]));

    const refused: readonly [string, Record<string, string>, RegExp][] = [
      ["65 keys", manyKeys(65), /at most 64 keys, provided 65/],
      ["a key of 129 bytes", { ["k".repeat(129)]: "x" }, /length of key is 129/],
      ["a key of 65 letters of two bytes", { ["ü".repeat(65)]: "x" }, /length of key is 130/],
      ["an empty key", { "": "x" }, /length of key is 0/],
      ["a value of 513 bytes", { key: "v".repeat(513) }, /length of value is 513/],
      ["an empty value", { key: "" }, /length of value is 0/],
      ["a line break", { key: "a\nb" }, /unprintable/],
    ];
    for (const [what, metadata, words] of refused) {
      it(`may not have ${what}`, async () => {
        const { id } = products.secrets.addEntity();
        const client = new HashicorpClient(products);
        const body = named("web", id, userpass, metadata);
        assertRefused(await client.send("POST", "identity/entity-alias", body), 500, words);
        assert.deepEqual(products.inspect().secrets.entityAliases, []);
      });
    }
  });

  describe("behind a program's back", () => {
    it("refer to what exists only", () => {
      const { secrets } = emulator;
      const { id } = secrets.addEntityAlias({ name: "web", canonicalId: alice });
      assert.throws(() => secrets.addEntityAlias({ name: "x", canonicalId: "none" }), /no entity "none"/);
      assert.throws(() => secrets.changeEntityAlias(id, { mountAccessor: "none" }), /accessor "none"/);
      assert.throws(() => secrets.changeEntityAlias("none", {}), /no entity alias "none"/);
      assert.throws(() => secrets.removeEntityAlias("none"), /no entity alias "none"/);
      assert.equal(aliases()[0]?.mountAccessor, userpass);
    });
  });
});

const start = new Date("2027-03-01T12:00:00.000Z");

describe("the emulated scheduler engine's credentials", () => {
  let emulator: Emulator;
  const begin = async (options: EmulatorOptions = {}): Promise<void> => {
    emulator = await startEmulator({ frozenAt: start, ...options });
  };
  beforeEach(async () => begin());
  afterEach(async () => emulator.close());

  const ask = async (name = "r", mount = "scheduler"): Promise<Reply> =>
    call(emulator, "secrets", "GET", `/v1/${mount}/creds/${name}`);
  const issue = async (name?: string, mount?: string) => {
    const { status, body } = await ask(name, mount);
    assert.equal(status, 200);
    return {
      accessorId: textAt(body, "data", "accessor_id"),
      secretId: textAt(body, "data", "secret_id"),
      leaseId: textAt(body, "lease_id"),
      renewable: at(body, "renewable"),
      duration: at(body, "lease_duration"),
    };
  };
  const events = () => emulator.inspect().scheduler.frames.flatMap(({ Events }) => Events);

  describe("where the access configuration counts", () => {
    beforeEach(async () => {
      await emulator.close();
      await begin({ secrets: { schedulerAccess: "checked" } });
      emulator.secrets.addSchedulerRole({ name: "r", type: "management" });
    });

    it("are issued without one, and with the right one", async () => {
      await issue();
      const { address, token } = emulator.scheduler;
      emulator.secrets.changeSchedulerAccess({ address: `${address}/`, token });
      const { secretId } = await issue();
      emulator.secrets.changeSchedulerAccess({ address, token: secretId });
      await issue();
    });

    it("are not issued with another address, a wrong token, or a client's", async () => {
      const forbidden = numbered("Unexpected response code: 403 (Permission denied)");
      emulator.secrets.changeSchedulerAccess({ token: "wrong" });
      assertRefused(await ask(), 500, forbidden);
      const client = emulator.scheduler.addToken({ access: { readNodes: true } });
      emulator.secrets.changeSchedulerAccess({ token: client });
      assertRefused(await ask(), 500, forbidden);
      emulator.secrets.changeSchedulerAccess({ token: "", address: "https://elsewhere:4646" });
      assertRefused(await ask(), 500, /elsewhere:4646\/v1\/acl\/token": dial tcp/);
      assert.deepEqual(events(), []);
    });
  });
});
