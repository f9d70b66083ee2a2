import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "../../../sdk/testing";
import { call } from "../call";

/** A request to a real server and what it answered; without a status it ended the connection instead. */
export interface Recording {
  readonly note: string;
  readonly request: { readonly method: string; readonly path: string; readonly body?: unknown };
  readonly response: { readonly status?: number; readonly body?: unknown };
}

/** An answer in the terms of the emulator, without what differs each time. */
export interface RecordedResponse {
  /** `undefined` when the connection ended without one. */
  readonly status: number | undefined;
  readonly body: unknown;
}

/** One answer, and the recorded one in the same terms. */
export interface Comparison {
  readonly actual: RecordedResponse;
  readonly expected: RecordedResponse;
}

const file = join(__dirname, "../../fixtures/wire/openbao-2.6.2.json");

/** All recorded exchanges, in their order. */
export const recordings = JSON.parse(readFileSync(file, "utf8")) as readonly Recording[];

/** What the recorder did about the token, where that was not the usual, by the note of the recording. */
const tokens: ReadonlyMap<string, string | null> = new Map([
  ["no token", null],
  ["wrong token", "wrong"],
]);

/** Sends recorded requests to the emulator. */
export class Replay {
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
        const [old, now] = [recorded, actual].map((body) => inside(body, path));
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

function inside(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (outer, name) => (typeof outer === "object" && outer !== null ? Reflect.get(outer, name) : undefined),
    value,
  );
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
