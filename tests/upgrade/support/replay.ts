import assert from "node:assert/strict";
import { type Emulator, type Inspection, startEmulator } from "pulumi-trivium/testing";
import { Proxy } from "../../support/proxy";
import { ports, type Recording, type SetUpCall, tokens } from "./recording";

/** Today's services, which hold what a recorded state describes, under the names that it knows. */
export interface ReplayedServices {
  /** How many requests have been made since the replay. */
  requests: number;
  /** How many objects of which kinds there are that the program has not found as they are now. */
  left(): Readonly<Record<string, number>>;
  close(): Promise<void>;
}

/**
 * Sets up an emulator as the recorded one was and makes the same requests. Its clock stands still at the same time.
 *
 * @throws Error when the emulator refuses what it took then
 */
export async function replay({
  dialect,
  recordedAt,
  steps,
  preparing,
}: Recording): Promise<ReplayedServices> {
  const frozenAt = new Date(recordedAt);
  const emulator = await startEmulator({ dialect, frozenAt, tokens, ports: { scheduler: ports.scheduler } });
  const translation = new Translation();
  /** What there was before the program ran. */
  let empty = emulator.inspect();
  for (const [index, step] of steps.entries()) {
    if (index === preparing) {
      empty = emulator.inspect();
    }
    if ("on" in step) {
      const given = JSON.parse(translation.toToday(JSON.stringify(step.arguments))) as unknown[];
      translation.learn(step.result, setUp(emulator, step, given));
    } else {
      const { service, method, target, headers, body, status, response } = step;
      const sent = { method, headers, ...(body === "" ? {} : { body: translation.toToday(body) }) };
      const repeated = await fetch(`${emulator[service].address}${translation.toToday(target)}`, sent);
      const today = await repeated.text();
      assert.equal(repeated.status, status, `${method} ${target}: ${today}`);
      translation.learn(JSON.parse(response || "null"), JSON.parse(today || "null"));
    }
  }
  const { provisioning, secrets } = emulator;
  const proxy = await Proxy.start({ provisioning, secrets }, { ports });
  const services: ReplayedServices = {
    requests: 0,
    left: () => leftIn(empty, emulator.inspect()),
    close() {
      proxy.close();
      return emulator.close();
    },
  };
  proxy.rewrite = (text) => translation.toToday(text);
  proxy.after = ({ response }) => {
    services.requests += 1;
    return { body: translation.toRecorded(response) };
  };
  return services;
}

/** Calls a function that sets something up in the emulator. */
function setUp(emulator: Emulator, { on, call }: SetUpCall, given: readonly unknown[]): unknown {
  const functions = emulator[on] as unknown as Readonly<Record<string, (...given: unknown[]) => unknown>>;
  const set = functions[call] ?? assert.fail(`The emulator has no function ${on}.${call} any more.`);
  return set.apply(functions, [...given]);
}

/** How many objects of which kinds there are that were not there before as they are now. */
export function leftIn(before: Inspection, after: Inspection): Readonly<Record<string, number>> {
  const former = new Set(objectsIn(before));
  const counts: Record<string, number> = {};
  for (const object of objectsIn(after).filter((each) => !former.has(each))) {
    const [kind = ""] = object.split(" ");
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

/** All objects of an emulator, each as its kind and JSON. */
function objectsIn(inspection: Inspection): readonly string[] {
  return Object.entries(inspection).flatMap(([service, kinds]) =>
    Object.entries(kinds as Readonly<Record<string, unknown>>).flatMap(([kind, objects]) =>
      Array.isArray(objects) ? objects.map((object) => `${service}.${kind} ${JSON.stringify(object)}`) : [],
    ),
  );
}

/** Shorter texts are words that services use, not names that they have invented. */
export const shortestName = 8;

/**
 * The names that services invent (ids, accessors, leases), as they were recorded and as today's services have them.
 * They are found by comparing answers: what stands at the same place is the same thing.
 */
class Translation {
  private readonly recordedToToday = new Map<string, string>();
  private readonly todayToRecorded = new Map<string, string>();

  /**
   * Learns from two answers to the same request.
   *
   * @throws Error when something that is one thing in the recording is two today, or the other way round
   */
  learn(recorded: unknown, today: unknown): void {
    if (typeof recorded === "string" && typeof today === "string") {
      this.learnName(recorded, today);
    } else if (isListOfTexts(recorded) && isListOfTexts(today)) {
      // Services order lists by names that they have invented.
      const unknown = recorded.filter((name) => !today.includes(this.recordedToToday.get(name) ?? ""));
      const others = today.filter((name) => !recorded.includes(this.todayToRecorded.get(name) ?? ""));
      unknown.forEach((name, index) => this.learn(name, others[index]));
    } else if (typeof recorded === "object" && typeof today === "object") {
      for (const [name, value] of Object.entries(recorded ?? {})) {
        this.learn(value, (today as Readonly<Record<string, unknown>> | null)?.[name]);
      }
    }
  }

  /** A text of the recording as today's services understand it. */
  toToday(text: string): string {
    return replaceAll(text, this.recordedToToday);
  }

  /** A text of today's services as the recording has it. */
  toRecorded(text: string): string {
    return replaceAll(text, this.todayToRecorded);
  }

  private learnName(recorded: string, today: string): void {
    if (recorded === today || recorded.length < shortestName) {
      return;
    }
    const [known = today, former = recorded] = [
      this.recordedToToday.get(recorded),
      this.todayToRecorded.get(today),
    ];
    if (known !== today || former !== recorded) {
      throw new Error(`What was recorded as ${recorded} is ${known} and ${today} today.`);
    }
    this.recordedToToday.set(recorded, today);
    this.todayToRecorded.set(today, recorded);
  }
}

function isListOfTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** Replaces in one pass, so that nothing is replaced twice; of names that begin alike the longest counts. */
function replaceAll(text: string, names: ReadonlyMap<string, string>): string {
  const longestFirst = [...names.keys()].sort((left, right) => right.length - left.length);
  const escaped = longestFirst.map((name) => name.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
  const pattern = new RegExp(escaped.join("|") || "(?!)", "g");
  return text.replace(pattern, (name) => names.get(name) ?? name);
}
