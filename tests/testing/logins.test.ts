import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ServiceName } from "../../sdk/testing";
import { useEmulator } from "../support/use-emulator";
import { at, call, type Recording } from "./call";

/** Members of a real token that the emulator does not know. */
const unknown = ["CreateIndex", "Hash", "ModifyIndex", "issue_time"];

/** The kinds of values by their names, without those in maps that a method fills as it likes. */
function shapeOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    // A list without entries is also written as null.
    return value === null || Array.isArray(value) ? "null or a list" : typeof value;
  }
  const members = Object.entries(value).filter(([name]) => !unknown.includes(name));
  const isMap = (name: string): boolean => name === "metadata" || name === "meta";
  return Object.fromEntries(members.map(([name, member]) => [name, isMap(name) || shapeOf(member)]));
}

describe("logins of the emulator, compared with the recorded ones", () => {
  const emulator = useEmulator({
    dialect: "hashicorp",
    seed: {
      logins: [
        { path: "jwt", parameters: { role: "ci", jwt: "<identity>" } },
        { path: "approle", parameters: { role_id: "<role_id>", secret_id: "<secret_id>" } },
        { path: "userpass", parameters: { username: "ci", password: "pass-word-ci" } },
        { path: "cert", parameters: { name: "ci" } },
      ],
      schedulerLogins: [{ method: "ci", jwt: "<identity>", ttl: "1h" }],
    },
  });

  const files = { secrets: "openbao-2.6.2-logins.json", scheduler: "nomad-1.10.5-logins.json" };
  for (const [service, file] of Object.entries(files)) {
    it(`the emulator's logins respond to each recorded request as ${file} does`, async () => {
      const text = readFileSync(join(__dirname, "../fixtures/wire", file), "utf8");
      let granted: string | undefined;
      const recordings = JSON.parse(text) as readonly Recording[];
      // The emulator does not check certificates.
      const comparable = recordings.filter(({ note }) => note !== "cert, without one");
      for (const { note, request, response } of comparable) {
        const { method, path, body } = request;
        const presented = note === "look up an invalid token" ? "invalid" : granted;
        const token = path.includes("login") ? null : (presented ?? null);
        const reply = await call(emulator, service as ServiceName, method, `/v1${path}`, { body, token });
        assert.equal(reply.status, response.status, note);
        if (reply.status < 300) {
          assert.deepEqual(shapeOf(reply.body === "" ? null : reply.body), shapeOf(response.body), note);
        }
        const made = at(reply.body, "auth", "client_token") ?? at(reply.body, "SecretID");
        granted ??= typeof made === "string" ? made : undefined;
      }
    });
  }

  it("the emulator's logins issue scheduler tokens that expire", async () => {
    const body = { AuthMethodName: "ci", LoginToken: "<identity>" };
    const reply = await call(emulator, "scheduler", "POST", "/v1/acl/login", { body, token: null });
    const token = String(at(reply.body, "SecretID"));
    for (const status of [200, 403]) {
      const self = await call(emulator, "scheduler", "GET", "/v1/acl/token/self", { token });
      assert.equal(self.status, status);
      emulator.advance("61m");
    }
  });
});
