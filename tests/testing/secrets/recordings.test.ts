import assert from "node:assert/strict";
import type { Emulator, EmulatorOptions } from "../../../sdk/testing";
import { useEmulator } from "../../support/use-emulator";
import { at } from "../call";
import { departureOf, documentedDepartures, hashicorpDepartures, type Departures } from "./departures";
import { recordings, Replay, type RecordedResponse, type Recording } from "./recordings";

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
const undocumented = new Set([
  ...[
    "anonymous_group_search",
    "connection_timeout",
    "credential_type",
    "deny_null_bind",
    "dereference_aliases",
  ],
  ...[
    "discoverdn",
    "groupattr",
    "groupdn",
    "groupfilter",
    "key_info",
    "last_bind_password_rotation",
    "length",
  ],
  ...["max_page_size", "merged_from_canonical_ids", "namespace", "namespace_id", "namespace_path"],
  ...[
    "password_policy",
    "request_timeout",
    "skip_static_role_import_rotation",
    "upndomain",
    "use_token_groups",
  ],
  ...["userattr", "userdn", "userfilter", "username_as_alias"],
]);

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
  describe(`what a real server answered, beside the emulator in the ${dialect} dialect`, () => {
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
