import { appearancesOf } from "./appearances";

export const redacted = "[secret]";

/** Replacing shorter secrets everywhere would garble the text. */
export const shortestSecret = 6;

/** Takes time for the length of the text, not for the number of secrets. */
export class Redactor {
  // Keyed by first characters, so that most positions need a single lookup.
  private readonly appearances = new Map<string, Family>();
  private known = 0;

  /** @param secrets append-only; redactors with the same list share their secrets */
  constructor(private readonly secrets: string[] = []) {}

  register(...secrets: readonly (string | undefined)[]): void {
    this.learn();
    for (const secret of secrets) {
      if (secret !== undefined && secret.length >= shortestSecret && !this.knows(secret)) {
        this.secrets.push(secret);
        this.learn();
      }
    }
  }

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

  /** @returns the length of the longest secret at this position; 0 for none */
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

/** Grouped by first characters, because tokens of one issuer often share a prefix. */
interface Family {
  readonly texts: Set<string>;
  readonly lengths: number[];
}

const noFamily: Family = { texts: new Set(), lengths: [] };

// If a program loads this package twice, one copy must not print a secret that the other copy knows.
const sharedSecrets = Symbol.for("pulumi-trivium.secrets");
const shared = globalThis as { [sharedSecrets]?: string[] };

export const processRedactor = new Redactor((shared[sharedSecrets] ??= []));
