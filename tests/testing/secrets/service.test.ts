import assert from "node:assert/strict";
import { useEmulator } from "../../support/use-emulator";
import { at, call, textAt, type CallOptions, type Reply } from "../call";
import { assertRefused, numbered } from "./refusals";

describe("the emulator's secrets service", () => {
  const emulator = useEmulator();

  const ask = async (method: string, path: string, options?: CallOptions): Promise<Reply> =>
    call(emulator, "secrets", method, `/v1${path}`, options);
  const aliases = "/identity/entity-alias/id";
  const methods = "/identity/mfa/method/totp";
  const method = { issuer: "acme" };

  describe("tokens", () => {
    it("are needed for everything, as X-Secrets-Token only", async () => {
      const headers = { Authorization: `Bearer ${emulator.secrets.token}` };
      for (const path of [aliases, "/nowhere"]) {
        for (const options of [{ token: null }, { token: "wrong" }, { token: null, headers }]) {
          assertRefused(await ask("GET", path, options), 403, "permission denied");
        }
      }
    });

    it("can be added, revoked and rotated", async () => {
      const status = async (token: string): Promise<number> => (await ask("GET", "/x", { token })).status;
      const added = emulator.secrets.addToken();
      assert.equal(await status(added), 404);
      emulator.secrets.revokeToken(added);
      assert.equal(await status(added), 403);
      const { token } = emulator.secrets;
      emulator.secrets.rotateToken();
      assert.deepEqual([await status(token), await status(emulator.secrets.token)], [403, 404]);
    });

    it("can be limited to reading, or to nothing", async () => {
      emulator.secrets.addTotpMethod(method);
      const read = { token: emulator.secrets.addToken({ access: "read" }) };
      const none = { token: emulator.secrets.addToken({ access: "none" }) };
      assert.equal((await ask("GET", `${methods}?list=true`, read)).status, 200);
      assertRefused(await ask("POST", methods, { ...read, body: method }), 403, "permission denied");
      assertRefused(await ask("DELETE", `${methods}/x`, read), 403, "permission denied");
      assertRefused(await ask("GET", `${methods}?list=true`, none), 403, "permission denied");
      assert.equal(emulator.inspect().secrets.totpMethods.length, 1);
    });

    it("can have their rights by path: the longest that fits decides", async () => {
      const token = emulator.secrets.addToken({
        access: "none",
        paths: { "identity/": "read", "identity/mfa/": "full" },
      });
      assert.equal((await ask("POST", methods, { token, body: method })).status, 200);
      assert.equal((await ask("GET", `${aliases}?list=true`, { token })).status, 404);
      assert.equal((await ask("DELETE", `${aliases}/x`, { token })).status, 403);
      assert.equal((await ask("GET", "/sys/mfa/method/pushauth/x", { token })).status, 403);
      assert.equal((await ask("DELETE", "/identity%2Fmfa/method/totp/x", { token })).status, 404);
    });

    it("belong to entities that exist only", () => {
      assert.throws(() => emulator.secrets.addToken({ entityId: "none" }), /no entity "none"/);
    });
  });

  describe("paths", () => {
    for (const path of ["/nope/x", "/ldapx/config", "/identity", "/auth/userpass/login", "/corp/ldap"]) {
      it(`${path} has no handler`, async () => {
        const words = `no handler for route ${JSON.stringify(path.slice(1))}. route entry not found.`;
        assertRefused(await ask("GET", path), 404, words);
      });
    }

    for (const path of [
      "/identity/nothing",
      "/sys/mfa/method/duo/x",
      "/ldap/nothing",
      "/ldap",
      "/ldap/",
      "/identity/entity-alias/id/",
      "/identity//entity-alias/id",
      "/identity/entity-alias/id/%E0%A4%A",
    ]) {
      it(`${path} is unsupported`, async () => {
        assertRefused(await ask("GET", path), 404, numbered("unsupported path"));
      });
    }

    it("outside of /v1/ are unknown", async () => {
      for (const path of ["/", "/v1", "/v2/identity/entity-alias/id", "/identity/entity-alias/id"]) {
        const reply = await call(emulator, "secrets", "GET", path);
        assertRefused(reply, 404, /no handler for route/);
      }
    });

    it("know their operations", async () => {
      const unsupported = numbered("unsupported operation");
      assertRefused(await ask("GET", aliases), 405, unsupported);
      assertRefused(await ask("DELETE", aliases), 405, unsupported);
      assertRefused(await ask("PATCH", methods), 405, unsupported);
      assertRefused(await ask("GET", `${methods}/x?list=true`), 405, unsupported);
    });
  });

  describe("operations", () => {
    it("come as PUT as well as POST", async () => {
      assert.equal((await ask("PUT", methods, { body: method })).status, 200);
    });

    for (const [how, verb, query] of [
      ["GET with list=true", "GET", "?list=true"],
      ["the method LIST", "LIST", ""],
    ] as const) {
      it(`list by ${how}`, async () => {
        const { id } = emulator.secrets.addTotpMethod(method);
        assert.deepEqual(at((await ask(verb, methods + query)).body, "data", "keys"), [id]);
      });
    }

    it("take no other query", async () => {
      assertRefused(await ask("GET", `${methods}?list=yes`), 400, /list is true or false/);
      assertRefused(await ask("GET", `${methods}?list=true&after=x`), 400, /"after"/);
      assert.equal((await ask("GET", `${methods}?list=false`)).status, 405);
    });
  });

  describe("bodies", () => {
    it("hold known attributes only", async () => {
      const body = { ...method, colour: "red", size: 1 };
      const reply = await ask("POST", methods, { body });
      assertRefused(reply, 400, /^unrecognized parameters: \[colour size\]; known here: .*issuer/);
      assert.deepEqual(emulator.inspect().secrets.totpMethods, []);
    });

    it("are no concern of operations that take none, unless they hold something", async () => {
      assert.equal((await ask("DELETE", `${aliases}/x`, { body: {} })).status, 204);
      assertRefused(await ask("DELETE", `${aliases}/x`, { body: { a: 1 } }), 400, /\[a\]; none are known/);
    });

    for (const body of ["{", "[]", "null", '"text"']) {
      it(`are JSON objects: ${body} is refused`, async () => {
        assertRefused(await ask("POST", methods, { body }), 400, /failed to parse JSON input/);
      });
    }
  });

  describe("answers", () => {
    it("wrap data in an envelope, each with an id of its own", async () => {
      const first = await ask("POST", methods, { body: method });
      const second = await ask("POST", methods, { body: method });
      const { request_id: id, ...envelope } = first.body as Record<string, unknown>;
      assert.match(String(id), /^[0-9a-f-]{36}$/);
      assert.notEqual(id, textAt(second.body, "request_id"));
      assert.deepEqual(envelope, {
        lease_id: "",
        renewable: false,
        lease_duration: 0,
        data: { method_id: textAt(first.body, "data", "method_id") },
        wrap_info: null,
        warnings: null,
        auth: null,
      });
      assert.equal(first.headers.get("content-type"), "application/json");
    });

    it("have no body when there is nothing to say", async () => {
      const reply = await ask("DELETE", `${aliases}/x`);
      assert.deepEqual([reply.status, reply.body], [204, ""]);
    });

    it("say nothing about what is absent", async () => {
      for (const path of [`${aliases}/x`, `${aliases}?list=true`, "/sys/mfa/method/pushauth/x"]) {
        const reply = await ask("GET", path);
        assert.deepEqual([reply.status, reply.body], [404, { errors: [] }], path);
      }
    });
  });
});
