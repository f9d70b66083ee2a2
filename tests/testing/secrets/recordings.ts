import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "../../../sdk/testing";
import { call } from "../call";

/** A request to a real server and what it answered. */
export interface Recording {
  readonly note: string;
  readonly request: { readonly method: string; readonly path: string; readonly body?: unknown };
  readonly response: { readonly status?: number; readonly body?: unknown };
}

/** One answer in the terms of the emulator, and the recorded one in the same terms. */
export interface Comparison {
  readonly actual: { readonly status: number; readonly body: unknown };
  readonly expected: { readonly status: number | undefined; readonly body: unknown };
}

const file = join(__dirname, "../../fixtures/wire/openbao-2.6.2.json");
const recordings = JSON.parse(readFileSync(file, "utf8")) as readonly Recording[];

/** The recorded exchanges whose path begins like this, in their order. */
export function recordingsOf(...beginnings: readonly string[]): Recording[] {
  return recordings.filter(({ request }) =>
    beginnings.some((beginning) => request.path.startsWith(beginning)),
  );
}

/** Sends recorded requests to the emulator. */
export class Replay {
  /**
   * @param terms what stands in the emulator for a text of the recordings, such as an id or the path of a mount; the
   *   ids that answers give to new objects are added as they come
   */
  constructor(
    private readonly emulator: Emulator,
    private readonly terms: Map<string, string>,
  ) {}

  async compare({ request, response }: Recording): Promise<Comparison> {
    const { path, body } = this.translated(request) as Recording["request"];
    const reply = await call(this.emulator, "secrets", request.method, `/v1${path}`, { body });
    this.learn(response.body, reply.body);
    return {
      actual: { status: reply.status, body: scrubbed(reply.body === "" ? null : reply.body) },
      expected: { status: response.status, body: scrubbed(this.translated(response.body ?? null)) },
    };
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

/** Without what differs each time: times, generated secrets, ids of requests, and the order of keys in lists. */
function scrubbed(value: unknown): unknown {
  if (typeof value === "string") {
    return value
      .replace(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/, "<time>")
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
      if (name === "request_id") {
        return [name, "<id>"];
      }
      const inner = scrubbed(member);
      return [name, name === "keys" && Array.isArray(inner) ? inner.sort() : inner];
    }),
  );
}
