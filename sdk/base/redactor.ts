import { appearancesOf } from "./appearances";

/** What stands in a text where a secret stood. */
export const redacted = "[secret]";

/** Shorter secrets are not looked for: replacing them everywhere would destroy the text. */
export const shortestSecret = 6;

/**
 * Knows secrets and keeps them out of everything that people see. Beside each secret itself its common encodings
 * are found. Time grows with the length of the text and hardly with the number of secrets.
 */
export class Redactor {
  // By their first characters, so that one look-up per position is enough where no secret begins.
  private readonly appearances = new Map<string, Family>();
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
    this.learn();
    let shown = "";
    let covered = 0;
    let plainFrom = 0;
    for (let position = 0; position < text.length; position++) {
      const length = this.secretAt(text, position);
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
    return shown + text.slice(plainFrom);
  }

  /** @returns the length of the longest secret that begins here; 0 for none */
  private secretAt(text: string, position: number): number {
    const { texts, lengths } =
      this.appearances.get(text.slice(position, position + shortestSecret)) ?? noFamily;
    return lengths.find((length) => texts.has(text.slice(position, position + length))) ?? 0;
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
  }
}

/** Appearances that begin alike: the tokens of one issuer often do, thousands of them. */
interface Family {
  readonly texts: Set<string>;
  /** The lengths that occur, the longest first. */
  readonly lengths: number[];
}

const noFamily: Family = { texts: new Set(), lengths: [] };

// A program can load this package twice; a secret that one copy learns must not be printed by the other.
const sharedSecrets = Symbol.for("pulumi-trivium.secrets");
const shared = globalThis as { [sharedSecrets]?: string[] };

/** The redactor of this process. */
export const processRedactor = new Redactor((shared[sharedSecrets] ??= []));
