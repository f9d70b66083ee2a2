import assert from "node:assert/strict";
import { type Emulator, type Inspection, startEmulator } from "pulumi-trivium/testing";
import { Proxy } from "../../support/proxy";
import { type Exchange, ports, type Recording, setUp, tokens } from "./recording";

/** Today's services, which hold what a recorded state describes, under the names that it knows. */
export class ReplayedServices {
  /** How many requests have been made since the replay. */
  requests = 0;
  private proxy: Proxy | undefined;

  private constructor(
    private readonly emulator: Emulator,
    private readonly translation: Translation,
    /** What there was before the program ran. */
    private empty: Inspection,
  ) {}

  /**
   * Sets up an emulator as the recorded one was and makes the same requests. Its clock stands still at the same time.
   *
   * @throws Error when the emulator refuses what it took then
   */
  static async start({ dialect, recordedAt, steps, preparing }: Recording): Promise<ReplayedServices> {
    const emulator = await startEmulator({
      dialect,
      frozenAt: new Date(recordedAt),
      tokens,
      ports: { scheduler: ports.scheduler },
    });
    const translation = new Translation();
    const services = new ReplayedServices(emulator, translation, emulator.inspect());
    for (const [index, step] of steps.entries()) {
      if (index === preparing) {
        services.empty = emulator.inspect();
      }
      if ("on" in step) {
        const given = JSON.parse(translation.toToday(JSON.stringify(step.arguments))) as unknown[];
        translation.learn(step.result, setUp(emulator, { ...step, arguments: given }));
      } else {
        await services.repeat(step);
      }
    }
    const { provisioning, secrets } = emulator;
    const proxy = await Proxy.start({ provisioning, secrets }, { ports });
    proxy.rewrite = (text) => translation.toToday(text);
    proxy.after = ({ response }) => {
      services.requests += 1;
      return { body: translation.toRecorded(response) };
    };
    services.proxy = proxy;
    return services;
  }

  /** How many objects of which kinds there are that the program has not found as they are now. */
  left(): Readonly<Record<string, number>> {
    return leftIn(this.empty, this.emulator.inspect());
  }

  async close(): Promise<void> {
    this.proxy?.close();
    await this.emulator.close();
  }

  private async repeat(exchange: Exchange): Promise<void> {
    const { service, method, target, headers, body, status, response } = exchange;
    const { translation } = this;
    const repeated = await fetch(`${this.emulator[service].address}${translation.toToday(target)}`, {
      method,
      headers,
      ...(body === "" ? {} : { body: translation.toToday(body) }),
    });
    const today = await repeated.text();
    assert.equal(repeated.status, status, `${method} ${target}: ${today}`);
    if (response !== "") {
      translation.learn(JSON.parse(response), JSON.parse(today));
    }
  }
}

/** How many objects of which kinds there are that were not there before as they are now. */
export function leftIn(before: Inspection, after: Inspection): Readonly<Record<string, number>> {
  const former = objectsOf(before);
  return Object.fromEntries(
    [...objectsOf(after)].flatMap(([kind, objects]) => {
      const found = new Set(former.get(kind));
      const more = objects.filter((object) => !found.has(object)).length;
      return more > 0 ? [[kind, more] as const] : [];
    }),
  );
}

/** All objects of an emulator by their kind, each as JSON. */
function objectsOf(inspection: Inspection): ReadonlyMap<string, readonly string[]> {
  return new Map(
    Object.entries(inspection).flatMap(([service, kinds]) =>
      Object.entries(kinds as Readonly<Record<string, unknown>>).flatMap(([kind, objects]) =>
        Array.isArray(objects)
          ? [[`${service}.${kind}`, objects.map((object) => JSON.stringify(object))] as const]
          : [],
      ),
    ),
  );
}

/** Shorter texts are words that services use, not names that they have invented. */
const shortestName = 8;

/**
 * The names that services invent (ids, accessors, leases), as they were recorded and as today's services have them.
 * They are found by comparing answers: what stands at the same place is the same thing.
 */
export class Translation {
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
    } else if (isContainer(recorded) && isContainer(today)) {
      for (const [name, value] of Object.entries(recorded)) {
        this.learn(value, (today as Readonly<Record<string, unknown>>)[name]);
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
    const known = [this.recordedToToday.get(recorded) ?? today, this.todayToRecorded.get(today) ?? recorded];
    if (known[0] !== today || known[1] !== recorded) {
      throw new Error(`What was recorded as ${recorded} is ${known[0]} and ${today} today.`);
    }
    this.recordedToToday.set(recorded, today);
    this.todayToRecorded.set(today, recorded);
  }
}

function isListOfTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Replaces in one pass, so that nothing is replaced twice; of names that begin alike the longest counts. */
function replaceAll(text: string, names: ReadonlyMap<string, string>): string {
  if (names.size === 0) {
    return text;
  }
  const longestFirst = [...names.keys()].sort((left, right) => right.length - left.length);
  const pattern = new RegExp(longestFirst.map((name) => escaped(name)).join("|"), "g");
  return text.replace(pattern, (name) => names.get(name) ?? name);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
