import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const help = `Prints a fingerprint of each sentence of a document, and of each part of one.

  node -r ts-node/register scripts/document-fingerprints.ts <document.md> > tests/fixtures/documents/<name>.txt
`;

/**
 * The sentences of a Markdown text, separated at full stops, semicolons, colons, parentheses and the edges of table
 * cells, but not inside code. Case, white space and formatting do not matter.
 */
export function partsOf(markdown: string): string[] {
  return markdown
    .split("\n")
    .flatMap((line) => line.replace(/^\s*(?:#+|-|\d+\.)\s+/, "").match(part) ?? [])
    .map((text) =>
      text
        .replace(/`|\*\*|^\s*,/g, "")
        .replace(/\s+/g, " ")
        .trim()
        .toLowerCase(),
    )
    .filter((text) => /[\p{L}\p{N}]/u.test(text));
}

const part = /(?:`[^`]*`|[^.;:()|]|[.;:](?![\s)]|$))+/g;

/** Long enough that an invented part does not have one of a thousand, and too short to find the part by it. */
function fingerprintOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}

/** The fingerprints of a document, each once, sorted: the order of the sentences is lost. */
export function fingerprintsOf(markdown: string): string[] {
  return [...new Set(partsOf(markdown).map(fingerprintOf))].sort();
}

/**
 * The quotes in a text. Quotation marks inside code do not count, nor what "the products:" introduces, which is
 * from other documents.
 */
export function quotesIn(text: string): string[] {
  const own = text.replace(/\bthe products(?: only)?: "[^"]*"/g, "");
  return [...own.matchAll(/"([^"]*)"|`[^`]*`/g)].flatMap(([, quote]) => quote ?? []);
}

/** The quotes in a text that do not consist of whole parts of the document with these fingerprints. */
export function unknownQuotes(text: string, fingerprints: ReadonlySet<string>): string[] {
  return quotesIn(text).filter((quote) => {
    const parts = partsOf(quote);
    return parts.length === 0 || !parts.map(fingerprintOf).every((each) => fingerprints.has(each));
  });
}

function main(): void {
  const [document] = process.argv.slice(2);
  if (document === undefined || document.startsWith("-")) {
    process.stderr.write(help);
    process.exitCode = 2;
    return;
  }
  process.stdout.write(`${fingerprintsOf(readFileSync(document, "utf8")).join("\n")}\n`);
}

if (require.main === module) {
  main();
}
