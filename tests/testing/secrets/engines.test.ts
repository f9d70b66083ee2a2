import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { useEmulator } from "../../support/use-emulator";
import { at, call, type Recording } from "../call";

type Engine = "openbao" | "vault";

interface Exchange extends Pick<Recording, "note" | "request"> {
  readonly responses: Readonly<Record<Engine, Recording["response"]>>;
}

const file = join(__dirname, "../../fixtures/wire/ldap-engines.json");
const exchanges = JSON.parse(readFileSync(file, "utf8")) as readonly Exchange[];

const directory = "ou=users,dc=example,dc=org";

/** Where the emulator has the status of the recorded engine, but other words: it says what would have been valid. */
const otherWords = ["invalid ttl", "negative ttl", "invalid max_ttl", "invalid max_page_size"];

/** Where the emulator is not as the recorded engine, by note, and why. */
const departures: Readonly<Record<Engine, Readonly<Record<string, string>>>> = {
  openbao: { "ttl above max_ttl": "the emulator refuses what it does not implement" },
  vault: {
    "ttl above max_ttl": "the emulator refuses what it does not implement",
    "rotation period below the smallest": "Vault Enterprise wants 10 seconds or more",
    "static role with a schedule": "Vault Enterprise has schedules for roles",
    "static role with a period of 0": "Vault Enterprise takes 0 beside a schedule",
  },
};

/** The engine's own words after Go's list of errors. */
function wordsOf(body: unknown): unknown {
  const errors = at(body, "errors");
  return Array.isArray(errors)
    ? errors.map((text) => String(text).replace(/^1 error occurred:\n\t\* |\n\n$/g, ""))
    : undefined;
}

// Recorded from OpenBao 2.6.2 with its own LDAP engine and with that of Vault, vault-plugin-secrets-openldap 0.18.0.
for (const engine of ["openbao", "vault"] as const) {
  describe(`the emulated directory engine of ${engine}`, () => {
    const emulator = useEmulator({
      dialect: "hashicorp",
      resets: false,
      secrets: { directoryEngine: engine },
      seed: {
        directoryEntries: [
          { dn: "cn=admin,dc=example,dc=org", password: "adminpw" },
          ...[1, 2, 3, 4].map((number) => ({ dn: `cn=wire-${number},${directory}` })),
        ],
      },
    });

    for (const { note, request, responses } of exchanges) {
      it(`the directory engine of ${engine} responds as the recorded one: ${note}`, async () => {
        const { method, path, body } = request;
        const expected = responses[engine];
        const reply = await call(emulator, "secrets", method, `/v1/ldap${path}`, { body }).catch(
          () => undefined,
        );
        const found = {
          status: reply?.status ?? null,
          words: wordsOf(reply?.body),
          data: at(reply?.body, "data"),
        };
        const recorded = {
          status: expected.status,
          words: wordsOf(expected.body),
          data: at(expected.body, "data"),
        };
        const isSame = JSON.stringify(found) === JSON.stringify(recorded);
        if (note in departures[engine]) {
          assert.ok(!isSame, `${note} is no longer a departure`);
        } else if (otherWords.includes(note)) {
          assert.equal(found.status, recorded.status);
        } else {
          assert.deepEqual(found, recorded);
        }
      });
    }
  });
}

// In OpenBao 2.6.2: lists the parameters of a path for a token without policies, and needs a token.
describe("descriptions of paths at the emulator", () => {
  const emulator = useEmulator({ dialect: "hashicorp", secrets: { directoryEngine: "openbao" } });
  const described = async (path: string, token?: string) => {
    const reply = await call(emulator, "secrets", "GET", `/v1/${path}?help=1`, { ...(token && { token }) });
    const help = at(reply.body, "help");
    const names =
      typeof help === "string" ? [...help.matchAll(/^ {4}(\w+) \(/gm)].map(([, name]) => name) : [];
    return { status: reply.status, names };
  };

  it("the emulator describes the parameters of a path, for each valid token", async () => {
    const nobody = emulator.secrets.addToken({ policies: ["default"], access: "none" });
    const { status, names } = await described("ldap/config", nobody);
    assert.equal(status, 200);
    assert.ok(names.includes("binddn") && !names.includes("self_managed"), names.join());
    const role = ["dn", "name", "rotation_period", "skip_import_rotation", "username"];
    assert.deepEqual((await described("ldap/static-role/x")).names, role);
    assert.equal((await described("ldap/config", "wrong")).status, 403);
    assert.equal((await described("ldap/nosuch/x")).status, 404);
    assert.equal((await described("nosuch/config")).status, 404);
    assert.ok((await described("identity/mfa/method/totp")).names.includes("issuer"));
  });
});
