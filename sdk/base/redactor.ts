import { appearancesOf } from "./appearances";

/** What stands in a text where a secret stood. */
export const redacted = "[secret]";

/** Shorter secrets are not looked for: replacing them everywhere would destroy the text. */
export const shortestSecret = 6;

/** Takes a text in pieces and gives it back without secrets, also where one is split over pieces. */
export interface RedactingStream {
  /** @returns what can be shown already; the rest may be the beginning of a secret */
  write(text: string): string;
  /** @returns what was held back: the text is over, so it is no secret */
  end(): string;
}

/**
 * Knows secrets and keeps them out of everything that people see. Beside each secret itself its common encodings
 * are found. Time grows with the length of the text and hardly with the number of secrets.
 */
export class Redactor {
  // By their first characters, so that one look-up per position is enough where no secret begins.
  private readonly appearances = new Map<string, Family>();
  // Every beginning of an appearance that is too short for the look-up above.
  private readonly beginnings = new Set<string>();
  private known = 0;

  /** @param secrets grows only; redactors over the same list know the same secrets */
  constructor(private readonly secrets: string[] = []) {}

  /** Adds secrets; those with fewer than 6 characters, and `undefined`, are ignored. */
  register(...secrets: readonly (string | undefined)[]): void {
    this.learn();
    for (const secret of secrets) {
      if (secret !== undefined && secret.length >= shortestSecret && !this.knows(secret)) {
        this.secrets.push(secret);
        this.learn();
      }
    }
  }

  /** @returns the text with every known secret replaced */
  redact(text: string): string {
    const stream = this.stream();
    return stream.write(text) + stream.end();
  }

  /** For a text that arrives in pieces. */
  stream(): RedactingStream {
    let held = "";
    // How much of what is held already belongs to a secret that has been replaced.
    let covered = 0;
    const advance = (piece: string, over: boolean): string => {
      const scan = this.scan(held + piece, covered, over);
      held = scan.held;
      covered = scan.covered;
      return scan.shown;
    };
    return { write: (text) => advance(text, false), end: () => advance("", true) };
  }

  private scan(text: string, alreadyCovered: number, over: boolean): Scan {
    this.learn();
    let shown = "";
    let covered = alreadyCovered;
    let plainFrom = 0;
    let position = 0;
    for (; position < text.length; position++) {
      const length = this.secretAt(text, position, over);
      if (length === undefined) {
        break;
      }
      if (length > 0) {
        if (position >= covered) {
          shown += text.slice(plainFrom, position) + redacted;
        }
        covered = Math.max(covered, position + length);
      }
      if (position < covered) {
        plainFrom = position + 1;
      }
    }
    return {
      shown: shown + text.slice(plainFrom, position),
      held: text.slice(position),
      covered: Math.max(0, covered - position),
    };
  }

  /** @returns the length of the longest secret here, 0 for none, `undefined` when the text to come decides */
  private secretAt(text: string, position: number, over: boolean): number | undefined {
    const start = text.slice(position, position + shortestSecret);
    if (start.length < shortestSecret) {
      return !over && this.beginnings.has(start) ? undefined : 0;
    }
    const { texts, lengths } = this.appearances.get(start) ?? noFamily;
    const left = text.length - position;
    if (!over && (lengths[0] ?? 0) > left) {
      const rest = text.slice(position);
      for (const appearance of texts) {
        if (appearance.length > left && appearance.startsWith(rest)) {
          return undefined;
        }
      }
    }
    return (
      lengths.find((length) => length <= left && texts.has(text.slice(position, position + length))) ?? 0
    );
  }

  private knows(appearance: string): boolean {
    return this.appearances.get(appearance.slice(0, shortestSecret))?.texts.has(appearance) ?? false;
  }

  private learn(): void {
    for (; this.known < this.secrets.length; this.known++) {
      for (const appearance of appearancesOf(this.secrets[this.known] ?? "")) {
        this.remember(appearance);
      }
    }
  }

  private remember(appearance: string): void {
    if (appearance.length < shortestSecret || this.knows(appearance)) {
      return;
    }
    const start = appearance.slice(0, shortestSecret);
    const family = this.appearances.get(start) ?? { texts: new Set(), lengths: [] };
    this.appearances.set(start, family);
    family.texts.add(appearance);
    if (!family.lengths.includes(appearance.length)) {
      family.lengths.push(appearance.length);
      family.lengths.sort((left, right) => right - left);
    }
    for (let length = 1; length < shortestSecret; length++) {
      this.beginnings.add(appearance.slice(0, length));
    }
  }
}

/** Appearances that begin alike: the tokens of one issuer often do, thousands of them. */
interface Family {
  readonly texts: Set<string>;
  /** The lengths that occur, the longest first. */
  readonly lengths: number[];
}

const noFamily: Family = { texts: new Set(), lengths: [] };

interface Scan {
  readonly shown: string;
  readonly held: string;
  readonly covered: number;
}

// A program can load this package twice; a secret that one copy learns must not be printed by the other.
const sharedSecrets = Symbol.for("pulumi-trivium.secrets");
const shared = globalThis as { [sharedSecrets]?: string[] };

/** The redactor of this process. */
export const processRedactor = new Redactor((shared[sharedSecrets] ??= []));
