import assert from "node:assert/strict";
import { startEmulator, type Emulator } from "../../../sdk/testing";
import { recordingsOf, Replay, type Comparison } from "./recordings";

/** Where the emulator departs from the recorded server, and how. By the note of the recording. */
const departures: ReadonlyMap<string, string> = new Map([
  ["create totp, period words", "the emulator words the refusal of a duration in its own way"],
  ["no token", "the recorder sent none"],
  ["wrong token", "the recorder sent another"],
  ["documented push path on this edition", "the recorded edition has no push methods"],
]);

describe("what a real server answered about identity and MFA", () => {
  const terms = new Map([["auth_userpass_afc3f7e5", "auth_userpass_00000001"]]);
  const totpMethod = "9ae3c393-1ef2-2a9c-a938-71bf6f6e4c87";
  const enforcement = "a571ed7a-66a2-a6aa-c26f-6d24f515e2b9";
  let emulator: Emulator;
  let replay: Replay;
  before(async () => {
    emulator = await startEmulator();
    replay = new Replay(emulator, terms);
    terms.set("ef37e2ec-5cf0-9d93-7695-24b33c16455c", emulator.secrets.addEntity().id);
    terms.set("362a1ee0-adf2-7b18-4390-91070109a0e7", emulator.secrets.addEntity().id);
    terms.set(
      "auth_approle_bcc057df",
      emulator.secrets.addMount({ type: "approle", path: "approle" }).accessor,
    );
  });
  after(async () => emulator.close());

  /** What was done to the real server between the exchanges. */
  const meanwhile: ReadonlyMap<string, () => void> = new Map([
    [
      "delete totp used by a login enforcement",
      () => {
        const { id } = emulator.secrets.addEnforcement({ methodIds: [terms.get(totpMethod) ?? ""] });
        terms.set(enforcement, id);
      },
    ],
    ["list totp", () => emulator.secrets.removeEnforcement(terms.get(enforcement) ?? "")],
  ]);

  const recordings = recordingsOf("/identity/", "/sys/mfa/");
  for (const recording of recordings.filter(({ note }) => !departures.has(note))) {
    it(`is what the emulator answers: ${recording.note}`, async () => {
      meanwhile.get(recording.note)?.();
      const { actual, expected } = await replay.compare(recording);
      assert.deepEqual({ ...actual, body: withoutNamespace(actual) }, expected);
    });
  }

  it("is all there", () => {
    assert.equal(recordings.length, 51);
    for (const note of [...departures.keys(), ...meanwhile.keys()]) {
      assert.ok(
        recordings.some((recording) => recording.note === note),
        note,
      );
    }
  });
});

/** The documents say that a TOTP method is read with a `namespace`, which the real server does not answer. */
function withoutNamespace({ body }: Comparison["actual"]): unknown {
  return JSON.parse(JSON.stringify(body), (name, value: unknown) =>
    name === "namespace" ? undefined : value,
  ) as unknown;
}
