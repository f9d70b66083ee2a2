import assert from "node:assert/strict";
import { useEmulator } from "../../support/use-emulator";
import { call, type CallOptions, type Reply } from "../call";
import { assertRefused, numbered } from "./client";

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

    it("can have their rights by path: the longest that fits decides", async () => {
      const token = emulator.secrets.addToken({
        access: "none",
        paths: { "identity/": "read", "identity/mfa/": "full" },
      });
      assert.equal((await ask("POST", methods, { token, body: method })).status, 200);
      assert.equal((await ask("GET", `${aliases}?list=true`, { token })).status, 200);
      assert.equal((await ask("DELETE", `${aliases}/x`, { token })).status, 403);
      assert.equal((await ask("GET", "/sys/mfa/method/pushauth/x", { token })).status, 403);
      assert.equal((await ask("DELETE", "/identity%2Fmfa/method/totp/x", { token })).status, 404);
    });
  });

  describe("paths", () => {
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

    it("take no other query", async () => {
      assertRefused(await ask("GET", `${methods}?list=yes`), 400, /list is true or false/);
      assertRefused(await ask("GET", `${methods}?list=true&after=x`), 400, /"after"/);
      assert.equal((await ask("GET", `${methods}?list=false`)).status, 405);
    });
  });

  describe("bodies", () => {
    for (const body of ["{", "[]", "null", '"text"']) {
      it(`are JSON objects: ${body} is refused`, async () => {
        assertRefused(await ask("POST", methods, { body }), 400, /failed to parse JSON input/);
      });
    }
  });
});
