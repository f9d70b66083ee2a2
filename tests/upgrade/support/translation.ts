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
