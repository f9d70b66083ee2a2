import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Emulator, EmulatorOptions } from "../../../sdk/testing";
import { useEmulator } from "../../support/use-emulator";
import { at, call } from "../call";

/** A request to a real server and what it answered; without a status it ended the connection instead. */
interface Recording {
  readonly note: string;
  readonly request: { readonly method: string; readonly path: string; readonly body?: unknown };
  readonly response: { readonly status?: number; readonly body?: unknown };
}

/** An answer in the terms of the emulator, without what differs each time. */
interface RecordedResponse {
  /** `undefined` when the connection ended without one. */
  readonly status: number | undefined;
  readonly body: unknown;
}

/** One answer, and the recorded one in the same terms. */
interface Comparison {
  readonly actual: RecordedResponse;
  readonly expected: RecordedResponse;
}

const file = join(__dirname, "../../fixtures/wire/openbao-2.6.2.json");

/** All recorded exchanges, in their order. */
const recordings = JSON.parse(readFileSync(file, "utf8")) as readonly Recording[];

/** What the recorder did about the token, where that was not the usual, by the note of the recording. */
const tokens: ReadonlyMap<string, string | null> = new Map([
  ["no token", null],
  ["wrong token", "wrong"],
]);

/** Sends recorded requests to the emulator. */
class Replay {
  /**
   * @param tokenHeader the header that carries the token
   * @param terms what stands in the emulator for a text of the recordings, such as an id; the ids that answers give to
   *   new objects are added as they come
   */
  constructor(
    private readonly emulator: Emulator,
    private readonly tokenHeader: string,
    private readonly terms: Map<string, string>,
  ) {}

  async compare({ note, request, response }: Recording): Promise<Comparison> {
    const actual = await this.send(note, this.translated(request) as Recording["request"]);
    this.learn(response.body, actual.body);
    return {
      actual: { status: actual.status, body: scrubbed(actual.body) },
      expected: { status: response.status, body: scrubbed(this.translated(response.body ?? null)) },
    };
  }

  /** What stands in the emulator for a text of the recordings. */
  termFor(recorded: string): string {
    return this.terms.get(recorded) ?? recorded;
  }

  private async send(note: string, { method, path, body }: Recording["request"]): Promise<RecordedResponse> {
    const given = tokens.get(note);
    const token = given === undefined ? this.emulator.secrets.token : given;
    const headers = token === null ? {} : { [this.tokenHeader]: token };
    try {
      const reply = await call(this.emulator, "secrets", method, `/v1${path}`, {
        body,
        headers,
        token: null,
      });
      return { status: reply.status, body: reply.body === "" ? null : reply.body };
    } catch {
      return { status: undefined, body: null };
    }
  }

  private learn(recorded: unknown, actual: unknown): void {
    for (const name of ["id", "method_id", "lease_id", "accessor_id"]) {
      for (const path of [[name], ["data", name]]) {
        const [old, now] = [recorded, actual].map((body) => at(body, ...path));
        if (typeof old === "string" && typeof now === "string" && old !== "" && !this.terms.has(old)) {
          this.terms.set(old, now);
        }
      }
    }
  }

  private translated(value: unknown): unknown {
    let text = JSON.stringify(value);
    for (const [recorded, own] of this.terms) {
      text = text.replaceAll(recorded, own);
    }
    return JSON.parse(text) as unknown;
  }
}

/** What stands for a text that is another one each time, by the name of the member. */
const random: Readonly<Record<string, string>> = {
  accessor_id: "<UUID>",
  borrower_client_token: "<hash>",
  request_id: "<UUID>",
  secret_id: "<UUID>",
};

/** Without what differs each time: times, generated secrets, ids of requests, and the order of keys in lists. */
function scrubbed(value: unknown): unknown {
  if (typeof value === "string") {
    return value
      .replace(/^(?!0001)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/, "<time>")
      .replace(/^iVBORw0KGgo.*$/s, "<PNG>")
      .replace(/secret=[A-Z2-7]+$/, "secret=<key>");
  }
  if (Array.isArray(value)) {
    return value.map(scrubbed);
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (typeof member === "string" && member !== "" && name in random) {
        return [name, random[name]];
      }
      if (typeof member === "string" && ["password", "last_password", "lease_id"].includes(name)) {
        return [name, member.replace(/[A-Za-z0-9]{20,}$/, "<random>")];
      }
      const inner = scrubbed(member);
      return [name, name === "keys" && Array.isArray(inner) ? inner.sort() : inner];
    }),
  );
}

/** How an answer of the emulator differs from the recorded one, and why. */
interface Departure {
  /** Only in the wording of an error, or in anything. */
  readonly in: "wording" | "anything";
  readonly why: string;
}

/** By the note of the recording, with its path where that is not enough. */
type Departures = ReadonlyMap<string, Departure>;

function departureOf(departures: Departures, { note, request }: Recording): Departure | undefined {
  return departures.get(note) ?? departures.get(`${note}: ${request.path}`);
}

const words = (why: string): Departure => ({ in: "wording", why });
const all = (why: string): Departure => ({ in: "anything", why });

/** Where the hashicorp dialect departs. */
const hashicorpDepartures: Departures = new Map([
  ["create totp, period words", words("the emulator says what would have been a duration")],
  ["documented push path on this edition", all("the recorded edition has no push methods")],
  ["bad ldif", words("the recorded server counts a line more than there are")],
  ["ttl above max", words("the recorded server takes nanoseconds for seconds")],
]);

/** What the documents say or leave out, and the exchanges in which that shows. */
const documented: Readonly<Record<string, readonly string[]>> = {
  "the documents have a list there, if an empty one": [
    ...["list aliases, none", "list by query, none", "list totp, none", "list sets, none"],
  ],
  "the documents have the list of static roles as a plain GET": [
    ...["list static roles, none", "LIST static roles, none"],
  ],
  "the documents have the alias in every answer": ["identical create", "update by id: same again"],
  "the documents do not forbid it": [
    ...["second alias of one entity on one mount", "create totp, period 0", "create totp, key_size 0"],
    ...["skip_import_rotation on update", "same user twice", "ttl above max"],
    ...["client role without policies", "to management, policies kept"],
  ],
  "the recorded server breaks down": ["static role without config"],
  "with the second alias of one entity": ["list aliases"],
  "names keep their case": ["LIST static roles"],
  "the emulator is strict": ["unknown key"],
  "the documents say that the password cannot be returned": ["static-cred never rotated"],
  "the documents say that the name cannot be changed; the recorded server unsets it": ["empty dn"],
  "the recorded server fails when it has no static role": ["delete missing: /ldap2/static-role/none"],
  "not in the documents": ["LIST roles: /ldap2/role"],
  "the documents require the name; the recorded server warns": ["check out with name in the body"],
  "the documents want both": ["access with cert but no key"],
};

/** Where the documented dialect departs: where the documents say something else, or real servers behave badly. */
const documentedDepartures: Departures = new Map([
  ...Object.entries(documented).flatMap(([why, notes]) => notes.map((note) => [note, all(why)] as const)),
  ["create totp, period words", words("the emulator says what would have been a duration")],
  ["config without bindpass", words("the emulator says what is required")],
  ["bad schema", words("the documents have other names for the schemas")],
  ["bad ldif", words("the recorded server counts a line more than there are")],
  ["remove a checked-out account", words("the recorded text ends with a stray quotation mark")],
  ["delete with check-outs", words("the recorded text ends with a stray quotation mark")],
]);

/** How a dialect meets the recordings. */
interface Player {
  readonly options: EmulatorOptions;
  readonly tokenHeader: string;
  readonly departures: Departures;
  /** Mounts the scheduler engine where the recorded server has it, unless it is there from the start. */
  readonly mountScheduler: (emulator: Emulator) => void;
  /** What the dialect calls differently. */
  readonly terms: readonly (readonly [string, string])[];
  /** The request as the dialect wants it. */
  readonly prepared: (recording: Recording) => Recording;
  /** What is compared of either answer. */
  readonly comparable: (response: RecordedResponse, recording: Recording) => unknown;
}

/** Paths of requests whose body has to name the set, as the documents say. */
const named = /^\/ldap2\/library\/(?:manage\/)?(\w+)\/check-(?:out|in)$/;
/** Lists that the documents show as bare arrays. */
const bareLists = ["/ldap2/static-role", "/ldap2/library"];

/** Members that real servers answer and the documents do not name, or the other way round. */
const undocumented = new Set(
  (
    "anonymous_group_search connection_timeout credential_type deny_null_bind dereference_aliases discoverdn " +
    "groupattr groupdn groupfilter key_info last_bind_password_rotation length max_page_size " +
    "merged_from_canonical_ids namespace namespace_id namespace_path password_policy request_timeout " +
    "skip_static_role_import_rotation upndomain use_token_groups userattr userdn userfilter username_as_alias"
  ).split(" "),
);

function isCompared(name: string, value: unknown): boolean {
  // Real servers give TOTP methods a name, which nobody sets.
  return !undocumented.has(name) && !(name === "name" && value === "");
}

/** Real servers keep URLs in lower case. */
function inDocumentedCase(name: string, value: unknown): unknown {
  return name === "url" && typeof value === "string" && /^ldap/i.test(value) ? value.toLowerCase() : value;
}

const players: Readonly<Record<"hashicorp" | "documented", Player>> = {
  hashicorp: {
    options: { dialect: { secrets: "hashicorp" } },
    tokenHeader: "X-Vault-Token",
    departures: hashicorpDepartures,
    mountScheduler: () => undefined,
    terms: [],
    prepared: (recording) => recording,
    comparable: (response) => response,
  },
  documented: {
    options: { secrets: { schedulerReads: "real" } },
    tokenHeader: "X-Secrets-Token",
    departures: documentedDepartures,
    mountScheduler({ secrets }) {
      secrets.addMount({ type: "scheduler", path: "nomad" });
    },
    terms: [
      ["openldap", "open"],
      ["last_vault_rotation", "last_svc_rotation"],
    ],
    prepared(recording) {
      const { request } = recording;
      const [, name] = named.exec(request.path) ?? [];
      return name === undefined
        ? recording
        : { ...recording, request: { ...request, body: { name, ...Object(request.body) } as unknown } };
    },
    comparable: ({ status, body }, { request }) => ({
      status,
      // What the documents have besides.
      body: JSON.parse(
        JSON.stringify((bareLists.includes(request.path) ? at(body, "data", "keys") : undefined) ?? body),
        (name, value: unknown) => (isCompared(name, value) ? inDocumentedCase(name, value) : undefined),
      ) as unknown,
    }),
  },
};

const totpMethod = "9ae3c393-1ef2-2a9c-a938-71bf6f6e4c87";
const enforcement = "a571ed7a-66a2-a6aa-c26f-6d24f515e2b9";

for (const [dialect, player] of Object.entries(players)) {
  describe(`what a real server returned, beside the emulator in the ${dialect} dialect`, () => {
    const { departures, prepared, comparable } = player;
    const terms = new Map([["auth_userpass_afc3f7e5", "auth_userpass_00000001"], ...player.terms]);
    const emulator = useEmulator({ ...player.options, resets: false });
    let replay: Replay;
    before(() => {
      replay = new Replay(emulator, player.tokenHeader, terms);
      player.mountScheduler(emulator);
      setUp(emulator, terms);
    });

    /** What was done to the real server between the exchanges. */
    const meanwhile: ReadonlyMap<string, () => void> = new Map([
      [
        "delete totp used by a login enforcement",
        () => {
          const { id } = emulator.secrets.addEnforcement({ methodIds: [replay.termFor(totpMethod)] });
          terms.set(enforcement, id);
        },
      ],
      ["list totp", () => emulator.secrets.removeEnforcement(replay.termFor(enforcement))],
    ]);
    /** Brings the emulator to where the real server is after a departure. */
    const afterwards: ReadonlyMap<string, () => unknown> = new Map<string, () => unknown>([
      [
        "create totp, key_size 0",
        () => {
          const { totpMethods } = emulator.inspect().secrets;
          for (const { id } of totpMethods.filter(({ period, keySize }) => period === 0 || keySize === 0)) {
            emulator.secrets.removeTotpMethod(id);
          }
        },
      ],
      [
        "empty dn",
        () =>
          emulator.secrets.changeDirectoryStaticRole("alice2", { dn: "", rotationPeriod: 7_200 }, "ldap2"),
      ],
      [
        "ttl above max",
        () =>
          dialect === "documented"
            ? emulator.secrets.changeDirectoryLibrarySet("team", { ttl: 36_000, maxTtl: 36_000 }, "ldap2")
            : undefined,
      ],
    ]);

    /** Both answers to each request, or what went wrong; each request finds what the ones before it left. */
    const exchanges = new Map<Recording, Awaited<ReturnType<Replay["compare"]>> | Error>();
    before(async () => {
      for (const recording of recordings) {
        meanwhile.get(recording.note)?.();
        const exchange = await replay.compare(prepared(recording)).catch((error: unknown) => error as Error);
        exchanges.set(recording, exchange);
        if (departureOf(departures, recording) !== undefined) {
          afterwards.get(recording.note)?.();
        }
      }
    });

    for (const recording of recordings) {
      const { note, request } = recording;
      const departure = departureOf(departures, recording);
      const verdict = departure === undefined ? "is the same" : `differs, since ${departure.why}`;
      it(`${note} (${request.method} ${request.path}) ${verdict}`, () => {
        const exchange = exchanges.get(recording);
        if (exchange === undefined || exchange instanceof Error) {
          throw exchange ?? new Error("There was no exchange.");
        }
        const { actual, expected } = exchange;
        const [ours, theirs] = [comparable(actual, recording), comparable(expected, recording)];
        if (departure === undefined) {
          assert.deepEqual(ours, theirs);
          return;
        }
        assert.notDeepEqual(ours, theirs);
        if (departure.in === "wording") {
          assert.deepEqual(withoutWording(actual), withoutWording(expected));
        }
      });
    }

    it("is all there, and every departure is met", () => {
      assert.equal(recordings.length, 186);
      const met = new Set(recordings.map((recording) => departureOf(departures, recording)));
      assert.deepEqual(
        [...departures.values()].filter((departure) => !met.has(departure)),
        [],
      );
    });
  });
}

/** What the real server had before the recording began. */
function setUp({ secrets }: Emulator, terms: Map<string, string>): void {
  terms.set("ef37e2ec-5cf0-9d93-7695-24b33c16455c", secrets.addEntity().id);
  terms.set("362a1ee0-adf2-7b18-4390-91070109a0e7", secrets.addEntity().id);
  terms.set("auth_approle_bcc057df", secrets.addMount({ type: "approle", path: "approle" }).accessor);
  secrets.addMount({ type: "directory", path: "ldap2" });
  secrets.addDirectoryEntry({ dn: "cn=admin,dc=example,dc=org", password: "adminpw" });
  secrets.addDirectoryEntry({ dn: "cn=binder,dc=example,dc=org", password: "bindpw", mayManage: false });
  for (const name of ["alice", "svc1", "svc2"]) {
    secrets.addDirectoryEntry({ dn: `cn=${name},ou=users,dc=example,dc=org` });
  }
  secrets.changeSchedulerAccess({ address: "http://127.0.0.1:4646", token: "management" }, "nomad");
}

/** The same for whatever an error says. */
function withoutWording({ status, body }: RecordedResponse): unknown {
  const errors = at(body, "errors");
  assert.ok(Array.isArray(errors) && errors.every((error) => typeof error === "string"));
  return { status, errors: errors.length };
}
