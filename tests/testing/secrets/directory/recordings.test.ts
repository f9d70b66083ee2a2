import assert from "node:assert/strict";
import { startEmulator, type Emulator } from "../../../../sdk/testing";
import { at } from "../../call";
import { recordingsOf, Replay, type Comparison, type Recording } from "../recordings";
import { binddn } from "./directory";

/** Where the emulator departs from the recorded server, and why. By the note of the recording, with its path where that is not enough. */
const departures: ReadonlyMap<string, string> = new Map([
  ["static role without config", "the recorded server crashes; tests have faults for that"],
  ["config without bindpass", "the emulator's text says more"],
  ["bad schema", "the documents have other names for the schemas"],
  ["unknown key", "the emulator is strict"],
  ["list static roles, none", "documented as a plain GET"],
  ["empty dn", "the documents say that the name cannot be changed; the recorded server unsets it"],
  ["delete missing: /ldap2/static-role/none", "the recorded server answers 500 at times: its queue is empty"],
  ["bad ldif", "the emulator counts the lines differently"],
  ["LIST roles", "not in the documents"],
  ["check out with name in the body", "the documents require the name; the recorded server warns"],
  ["remove a checked-out account", "the recorded text ends with a stray quotation mark"],
  ["delete with check-outs", "the recorded text ends with a stray quotation mark"],
  ["ttl above max", "the recorded text takes nanoseconds for seconds"],
]);

function departureOf({ note, request }: Recording): string | undefined {
  return departures.get(note) ?? departures.get(`${note}: ${request.path}`);
}

/** Requests whose body has to name the set, as the documents say. */
const named = /^\/ldap2\/library\/(?:manage\/)?(\w+)\/check-(?:out|in)$/;

describe("what a real server answered about its directory engine", () => {
  const terms = new Map([
    ["/ldap2/", "/ldap/"],
    ["ldap2/library", "ldap/library"],
    ["openldap", "open"],
    ["last_vault_rotation", "last_svc_rotation"],
  ]);
  let emulator: Emulator;
  let replay: Replay;
  before(async () => {
    emulator = await startEmulator();
    replay = new Replay(emulator, terms);
    emulator.secrets.addDirectoryEntry({ dn: binddn, password: "adminpw" });
    emulator.secrets.addDirectoryEntry({
      dn: "cn=binder,dc=example,dc=org",
      password: "bindpw",
      mayManage: false,
    });
    for (const name of ["alice", "svc1", "svc2"]) {
      emulator.secrets.addDirectoryEntry({ dn: `cn=${name},ou=users,dc=example,dc=org` });
    }
  });
  after(async () => emulator.close());

  /** Brings the emulator to where the real server is after a departure. */
  const afterwards: ReadonlyMap<string, () => void> = new Map([
    [
      "empty dn",
      () => emulator.secrets.changeDirectoryStaticRole("alice2", { dn: "", rotationPeriod: 7_200 }),
    ],
  ]);

  const recordings = recordingsOf("/ldap2/");
  for (const recording of recordings) {
    const { note, request } = recording;
    const [, name] = named.exec(request.path) ?? [];
    const body = name === undefined ? request.body : { name, ...(request.body as object | undefined) };
    const departs = departureOf(recording) !== undefined;
    it(`${departs ? "is departed from" : "is what the emulator answers"}: ${note}`, async () => {
      const { actual, expected } = await replay.compare({ ...recording, request: { ...request, body } });
      const [ours, theirs] = [comparable(actual), comparable(expected)];
      if (departs) {
        assert.notDeepEqual(ours, theirs);
      } else {
        assert.deepEqual(ours, theirs);
      }
      afterwards.get(note)?.();
    });
  }

  it("is all there", () => {
    assert.equal(recordings.length, 103);
    const met = new Set(recordings.map(departureOf));
    assert.deepEqual(
      [...departures.values()].filter((reason) => !met.has(reason)),
      [],
    );
  });
});

/** Without generated passwords, ids of leases and what real servers of other editions add; lists are bare arrays. */
function comparable({ status, body }: Comparison["actual" | "expected"]): unknown {
  const keys = at(body, "data", "keys");
  return {
    status,
    body: JSON.parse(JSON.stringify(keys ?? body), (name, value: unknown) => {
      if (name === "credential_type" || name === "note") {
        return undefined;
      }
      const isPassword = name === "password" || name === "last_password";
      if ((isPassword || name === "lease_id") && typeof value === "string") {
        return value.replace(/[A-Za-z0-9]{20,}$/, "<random>");
      }
      return name === "borrower_client_token" ? "<hash>" : value;
    }) as unknown,
  };
}
