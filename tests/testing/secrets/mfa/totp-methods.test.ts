import assert from "node:assert/strict";
import { useEmulator } from "../../../support/use-emulator";
import { at, call, textAt, type Reply } from "../../call";
import { HashicorpClient } from "../hashicorp";
import { assertRefused } from "../refusals";

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
