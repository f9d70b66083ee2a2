import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ServiceName } from "../../sdk/testing";
import { useEmulator } from "../support/use-emulator";
import { at, call } from "./call";

interface Recording {
  readonly note: string;
  readonly request: { readonly method: string; readonly path: string; readonly body?: unknown };
  readonly response: { readonly status: number; readonly body: unknown };
}

function recordingsOf(file: string): readonly Recording[] {
  return JSON.parse(readFileSync(join(__dirname, "../fixtures/wire", file), "utf8")) as readonly Recording[];
}

/** Members of a real token that the emulator does not know. */
const unknown = new Set(["CreateIndex", "Hash", "ModifyIndex", "issue_time"]);

/** The kinds of values by their names, without those in maps that a method fills as it likes. */
function shapeOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    // A list without entries is also written as null.
    return Array.isArray(value) ? "null or a list" : value === null ? "null or a list" : typeof value;
  }
  const members = Object.entries(value).filter(([name]) => !unknown.has(name));
  return Object.fromEntries(
    members
      .map(
        ([name, member]) => [name, name === "metadata" || name === "meta" ? "any" : shapeOf(member)] as const,
      )
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}

describe("logins of the emulator, beside the recorded ones", () => {
  const emulator = useEmulator({ dialect: "hashicorp" });

  for (const [service, file] of [
    ["secrets", "openbao-2.6.2-logins.json"],
    ["scheduler", "nomad-1.10.5-logins.json"],
  ] as const satisfies readonly (readonly [ServiceName, string])[]) {
    it(`respond to each recorded request as ${file} does`, async () => {
      emulator.secrets.addLogin({ path: "jwt", parameters: { role: "ci", jwt: "<identity>" } });
      emulator.secrets.addLogin({
        path: "approle",
        parameters: { role_id: "<role_id>", secret_id: "<secret_id>" },
      });
      emulator.secrets.addLogin({
        path: "userpass",
        parameters: { username: "ci", password: "pass-word-ci" },
      });
      emulator.secrets.addLogin({ path: "cert", parameters: { name: "ci" } });
      emulator.scheduler.addLogin({ method: "ci", jwt: "<identity>" });
      let token: string | undefined;
      for (const { note, request, response } of recordingsOf(file)) {
        // The emulator does not check certificates.
        if (note === "cert, without one") {
          continue;
        }
        const isInvalid = note === "look up an invalid token";
        const presented = request.path.includes("login") ? null : isInvalid ? "invalid" : token;
        const { method, path, body } = request;
        const reply = await call(emulator, service, method, `/v1${path}`, {
          ...(body === undefined ? {} : { body }),
          headers: presented === null || presented === undefined ? {} : { "X-Vault-Token": presented },
          token: presented ?? null,
        });
        assert.equal(reply.status, response.status, note);
        if (response.status < 300) {
          assert.deepEqual(shapeOf(reply.body === "" ? null : reply.body), shapeOf(response.body), note);
        }
        const granted = at(reply.body, "auth", "client_token") ?? at(reply.body, "SecretID");
        token = typeof granted === "string" && token === undefined ? granted : token;
      }
    });
  }

  it("let a token of the scheduler end", async () => {
    emulator.scheduler.addLogin({ method: "ci", jwt: "identity", ttl: "1h" });
    const body = { AuthMethodName: "ci", LoginToken: "identity" };
    const reply = await call(emulator, "scheduler", "POST", "/v1/acl/login", { body, token: null });
    const token = String(at(reply.body, "SecretID"));
    assert.equal((await call(emulator, "scheduler", "GET", "/v1/acl/token/self", { token })).status, 200);
    emulator.advance("61m");
    assert.equal((await call(emulator, "scheduler", "GET", "/v1/acl/token/self", { token })).status, 403);
  });
});
