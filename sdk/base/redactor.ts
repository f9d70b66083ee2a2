export const redacted = "[secret]";

/** Replacing shorter secrets everywhere would garble the text. */
export const shortestSecret = 6;

/** The time depends on the length of the text, not on the number of secrets. */
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
    for (let position = 0; position < text.length; position++) {
      const length = this.secretAt(text, position);
      if (length > 0) {
        shown += position < covered ? "" : text.slice(covered, position) + redacted;
        covered = Math.max(covered, position + length);
      }
    }
    return shown + text.slice(covered);
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

// Shared by all copies of this package in a program: one copy must not print a secret that another copy
// knows.
const sharedSecrets = Symbol.for("pulumi-trivium.secrets");
const shared = globalThis as { [sharedSecrets]?: string[] };

export const processRedactor = new Redactor((shared[sharedSecrets] ??= []));

/** Includes escapes in JSON and markup, URL and form encoding, base64 (also inside longer data) and hexadecimal. */
function appearancesOf(secret: string): ReadonlySet<string> {
  const texts = [secret, secret.trim(), ...encodedLines(secret), ...placeIn(secret)].filter(
    (text) => text !== "",
  );
  return new Set(
    texts.flatMap((text) => [
      text,
      ...inJson(text),
      ...inMarkup(text),
      ...inAddresses(text),
      ...inBase64(text),
      ...inHexadecimal(text),
    ]),
  );
}

/** Indentation and quoting split a PEM key into lines, so each line is redacted separately. */
function encodedLines(secret: string): string[] {
  const lines = secret.split(/\r\n|\r|\n/);
  return lines.length === 1
    ? []
    : lines.map((line) => line.trim()).filter((line) => /^[\w+/=-]{16,}$/.test(line));
}

/** Shorter parts are words, such as `/hooks/build`, that occur in many texts. */
const shortestPlace = 16;

/** The secret part of a URL is its path and query, which servers repeat without the host. */
function placeIn(secret: string): string[] {
  if (!/^https?:\/\//i.test(secret) || !URL.canParse(secret)) {
    return [];
  }
  const { pathname, search } = new URL(secret);
  const asWritten = secret.replace(/^https?:\/\/[^/?#]*\//i, "").replace(/#.*/s, "");
  return [pathname.slice(1), pathname.slice(1) + search, asWritten].filter(
    (place) => place.length >= shortestPlace,
  );
}

function inJson(text: string): string[] {
  const once = JSON.stringify(text).slice(1, -1);
  const twice = JSON.stringify(once).slice(1, -1);
  const unicode = (pattern: RegExp): string[] => {
    const escaped = once.replace(pattern, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
    return [
      escaped,
      escaped.replace(/\\u[\da-f]{4}/g, (code) => `\\u${code.slice(2).toUpperCase()}`),
      escaped.replaceAll("/", "\\/"),
    ];
  };
  // Encoders differ in what else they escape: HTML characters, quotes, non-ASCII characters, the slash.
  return [once, twice, ...[/[<>&]/g, /[<>&'=]/g, /[^ -~]/g].flatMap(unicode)];
}

function inMarkup(text: string): string[] {
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  // Common encoders differ in quotes.
  return [
    ["&quot;", "&#39;"],
    ["&#34;", "&#39;"],
    ["&quot;", "&#x27;"],
  ].map(([double = "", single = ""]) => escaped.replaceAll('"', double).replaceAll("'", single));
}

function inAddresses(text: string): string[] {
  const wellFormed = text.replace(/\p{Surrogate}/gu, "\ufffd");
  const percent = encodeURIComponent(wellFormed);
  const strict = percent.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  const form = new URLSearchParams({ "": wellFormed }).toString().slice(1);
  const path = encodeURI(wellFormed);
  const all = [percent, strict, form, path];
  return [...all, ...all.map((each) => each.replace(/%../g, (code) => code.toLowerCase()))];
}

function inBase64(text: string): string[] {
  const bytes = Buffer.from(text);
  return [0, 1, 2].flatMap((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    // The first and last characters also encode bits of the neighboring text.
    const incomplete = (shift + bytes.length) % 3 === 0 ? 0 : 1;
    const core = encoded.slice(shift === 0 ? 0 : shift + 1, encoded.length - incomplete);
    return [core, core.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

function inHexadecimal(text: string): string[] {
  const digits = Buffer.from(text).toString("hex");
  return [digits, digits.toUpperCase()];
}
