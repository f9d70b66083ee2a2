import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "../../../sdk/testing";
import { useEmulator } from "../../support/use-emulator";
import { at, call, type Recording } from "../call";

type RecordedResponse = Recording["response"];

const file = join(__dirname, "../../fixtures/wire/openbao-2.6.2.json");
const recordings = JSON.parse(readFileSync(file, "utf8")) as readonly Recording[];

/** Why the emulator has other words than a recording, and by note where. */
const otherWords = {
  "the emulator says what would have been a duration": "create totp, period words",
  "the recorded server counts a line more than there are": "bad ldif",
};
const otherWordsIn: Readonly<Record<"hashicorp" | "documented", Readonly<Record<string, string>>>> = {
  hashicorp: { ...otherWords, "the recorded server takes nanoseconds for seconds": "ttl above max" },
  documented: {
    ...otherWords,
    "the emulator says what is required": "config without bindpass",
    "the documents have other names for the schemas": "bad schema",
    "the recorded text ends with a stray quotation mark":
      "remove a checked-out account; delete with check-outs",
  },
};

/** The same, where the response is another: the documents say something else, or real servers behave badly. */
const departuresIn: typeof otherWordsIn = {
  hashicorp: { "the recorded edition has no push methods": "documented push path on this edition" },
  documented: {
    "the documents have a list there, if an empty one":
      "list aliases, none; list by query, none; list totp, none; list sets, none",
    "the documents have the list of static roles as a plain GET":
      "list static roles, none; LIST static roles, none",
    "the documents have the alias in every response": "identical create; update by id: same again",
    "the documents do not forbid it":
      "second alias of one entity on one mount; create totp, period 0; create totp, key_size 0; " +
      "skip_import_rotation on update; same user twice; ttl above max; client role without policies; " +
      "to management, policies kept",
    "the recorded server breaks down": "static role without config",
    "with the second alias of one entity": "list aliases",
    "names keep their case": "LIST static roles",
    "the emulator is strict": "unknown key",
    "the documents say that the password cannot be returned": "static-cred never rotated",
    "the documents say that the name cannot be changed; the recorded server unsets it": "empty dn",
    "the recorded server fails when it has no static role": "delete missing: /ldap2/static-role/none",
    "the documents always have the member": "read: /ldap2/static-role/alice2",
    "not in the documents": "LIST roles: /ldap2/role",
    "the documents require the name; the recorded server warns": "check out with name in the body",
    "the documents want both": "access with cert but no key",
  },
};

/** The reasons by note, with the path where that is not enough. */
const byNote = (reasons: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(Object.entries(reasons).flatMap(([why, notes]) => notes.split("; ").map((note) => [note, why])));

/** Members that real servers return and the documents do not name, or the other way round. */
const undocumented = new Set(
  (
    "anonymous_group_search connection_timeout credential_type deny_null_bind dereference_aliases discoverdn " +
    "groupattr groupdn groupfilter key_info last_bind_password_rotation length max_page_size " +
    "merged_from_canonical_ids namespace namespace_id namespace_path password_policy request_timeout " +
    "skip_static_role_import_rotation upndomain use_token_groups userattr userdn userfilter username_as_alias"
  ).split(" "),
);

/** What is compared in the documented dialect. */
function documentedPart({ status, body }: RecordedResponse, path: string): unknown {
  // The documents show these lists as bare arrays.
  const isBare = ["/ldap2/static-role", "/ldap2/library"].includes(path);
  const text = JSON.stringify((isBare ? at(body, "data", "keys") : undefined) ?? body);
  const part = JSON.parse(text, (name, value: unknown) => {
    // Real servers give TOTP methods a name, which nobody sets, and keep URLs in lower case.
    // The documents show the entity of a borrower, which the recorded ones did not have.
    const isLeftOut =
      undocumented.has(name) || (["name", "borrower_entity_id"].includes(name) && value === "");
    return isLeftOut ? undefined : name === "url" ? String(value).toLowerCase() : value;
  }) as unknown;
  return { status, body: part };
}

/** The documents require that these requests name the set. */
function withName({ method, path, body }: Recording["request"]): Recording["request"] {
  const [, name] = /^\/ldap2\/library\/(?:manage\/)?(\w+)(?:\/check-(?:out|in))?$/.exec(path) ?? [];
  return { method, path, body: name === undefined || method !== "POST" ? body : { name, ...Object(body) } };
}

const random = ["accessor_id", "borrower_client_token", "request_id", "secret_id"];

/** Without what differs each time: times, generated secrets, ids of requests, and the order of keys in lists. */
function scrubbed(value: unknown): unknown {
  const text = JSON.stringify(value ?? null, (name, member: unknown) => {
    if (typeof member !== "string" || member === "") {
      return name === "keys" && Array.isArray(member) ? (member as unknown[]).toSorted() : member;
    }
    if (random.includes(name)) {
      return "<random>";
    }
    return ["password", "last_password", "lease_id"].includes(name)
      ? member.replace(/[A-Za-z0-9]{20,}$/, "<random>")
      : member
          .replace(/^(?!0001)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/, "<time>")
          .replace(/^iVBORw0KGgo.*$/s, "<PNG>")
          .replace(/secret=[A-Z2-7]+$/, "secret=<key>");
  });
  return JSON.parse(text) as unknown;
}

const totpMethod = "9ae3c393-1ef2-2a9c-a938-71bf6f6e4c87";
const enforcement = "a571ed7a-66a2-a6aa-c26f-6d24f515e2b9";

for (const dialect of ["hashicorp", "documented"] as const) {
  describe(`a real server's responses, compared with the emulator in the ${dialect} dialect`, () => {
    const isDocumented = dialect === "documented";
    const emulator = useEmulator({
      ...(isDocumented
        ? { secrets: { schedulerReads: "real" } }
        : { dialect: { secrets: dialect }, secrets: { directoryEngine: "openbao" } }),
      resets: false,
    });
    /** What the emulator has for a text of the recordings. */
    const terms = new Map([["auth_userpass_afc3f7e5", "auth_userpass_00000001"]]);
    const translated = (value: unknown): unknown => {
      let text = JSON.stringify(value ?? null);
      terms.forEach((own, recorded) => (text = text.replaceAll(recorded, own)));
      return JSON.parse(text) as unknown;
    };
    /** The IDs of new objects replace the recorded ones from then on. */
    const learn = (recorded: unknown, actual: unknown): void => {
      for (const name of ["id", "method_id", "lease_id", "accessor_id"]) {
        for (const path of [[name], ["data", name]]) {
          const [old, now] = [at(recorded, ...path) || undefined, at(actual, ...path)];
          if (typeof old === "string" && typeof now === "string" && !terms.has(old)) {
            terms.set(old, now);
          }
        }
      }
    };
    const tokens: Readonly<Record<string, string | null>> = { "no token": null, "wrong token": "wrong" };
    const send = async ({ note, request }: Recording): Promise<RecordedResponse> => {
      const sent = translated(isDocumented ? withName(request) : request) as Recording["request"];
      const given = tokens[note];
      const options = { body: sent.body ?? undefined, ...(given === undefined ? {} : { token: given }) };
      return call(emulator, "secrets", sent.method, `/v1${sent.path}`, options).then(
        ({ status, body }) => ({ status, body: body === "" ? null : body }),
        () => ({ status: undefined, body: null }),
      );
    };
    /** What was done to the real server between the exchanges, and what brings the emulator to where that is. */
    const beforehand: Readonly<Record<string, () => void>> = {
      "delete totp used by a login enforcement": () => {
        const methodIds = [terms.get(totpMethod) ?? ""];
        terms.set(enforcement, emulator.secrets.addEnforcement({ methodIds }).id);
      },
      "list totp": () => emulator.secrets.removeEnforcement(terms.get(enforcement) ?? ""),
    };
    const afterwards: Readonly<Record<string, () => unknown>> = {
      "create totp, key_size 0": () =>
        emulator
          .inspect()
          .secrets.totpMethods.filter(({ period, keySize }) => period === 0 || keySize === 0)
          .forEach(({ id }) => emulator.secrets.removeTotpMethod(id)),
      "empty dn": () =>
        emulator.secrets.changeDirectoryStaticRole("alice2", { dn: "", rotationPeriod: 7_200 }, "ldap2"),
      "ttl above max": () =>
        isDocumented &&
        emulator.secrets.changeDirectoryLibrarySet("team", { ttl: 36_000, maxTtl: 36_000 }, "ldap2"),
    };

    /** The actual and the expected ones. */
    const responses = new Map<Recording, readonly [RecordedResponse, RecordedResponse]>();
    before(async () => {
      setUp(emulator, terms, isDocumented);
      for (const recording of recordings) {
        const { note, response } = recording;
        beforehand[note]?.();
        const { status, body } = await send(recording);
        learn(response.body, body);
        const expected = { status: response.status, body: scrubbed(translated(response.body)) };
        responses.set(recording, [{ status, body: scrubbed(body) }, expected]);
        afterwards[note]?.();
      }
    });

    const worded = byNote(otherWordsIn[dialect]);
    const departures = byNote(departuresIn[dialect]);
    const left = new Set([...worded.keys(), ...departures.keys()]);
    for (const recording of recordings) {
      const { note, request } = recording;
      const key = [note, `${note}: ${request.path}`].find((each) => left.delete(each)) ?? note;
      const why = worded.get(key) ?? departures.get(key);
      const verdict = why === undefined ? "is the same" : `differs, since ${why}`;
      it(`the exchange ${note} (${request.method} ${request.path}) ${verdict}`, () => {
        const both = responses.get(recording) ?? assert.fail("There was no exchange.");
        const [ours, theirs] = both.map((each) => (isDocumented ? documentedPart(each, request.path) : each));
        assert[why === undefined ? "deepEqual" : "notDeepEqual"](ours, theirs);
        const [actual, expected] = both.map(({ status, body }) => [status, at(body, "errors", "length")]);
        assert.deepEqual(actual, worded.has(key) ? expected : actual);
      });
    }

    it("the recording is complete, and every listed deviation occurs", () => {
      assert.equal(recordings.length, 186);
      assert.deepEqual([...left], []);
    });
  });
}

/** What the real server had before the recording began, and what the dialect calls differently. */
function setUp({ secrets }: Emulator, terms: Map<string, string>, isDocumented: boolean): void {
  if (isDocumented) {
    terms.set("openldap", "open").set("last_vault_rotation", "last_svc_rotation");
    secrets.addMount({ type: "scheduler", path: "nomad" });
  }
  terms.set("ef37e2ec-5cf0-9d93-7695-24b33c16455c", secrets.addEntity().id);
  terms.set("362a1ee0-adf2-7b18-4390-91070109a0e7", secrets.addEntity().id);
  terms.set("auth_approle_bcc057df", secrets.addMount({ type: "approle", path: "approle" }).accessor);
  secrets.addMount({ type: "directory", path: "ldap2" });
  secrets.addDirectoryEntry({ dn: "cn=admin,dc=example,dc=org", password: "adminpw" });
  secrets.addDirectoryEntry({ dn: "cn=binder,dc=example,dc=org", password: "bindpw", mayManage: false });
  const names = ["alice", "svc1", "svc2"];
  names.forEach((name) => secrets.addDirectoryEntry({ dn: `cn=${name},ou=users,dc=example,dc=org` }));
  secrets.changeSchedulerAccess({ address: "http://127.0.0.1:4646", token: "management" }, "nomad");
}
