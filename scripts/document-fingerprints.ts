import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

const help = `Prints a fingerprint of each sentence of a document, and of each part of one.

  node -r ts-node/register scripts/document-fingerprints.ts <document.md> > tests/fixtures/documents/<name>.txt
`;

/** Splits Markdown at punctuation and table cells, but not inside code; ignores case, white space and formatting. */
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

/** Long enough that an invented part does not match one of a thousand, and too short to recover the part. */
function fingerprintOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}

/** Sorted, so that the order of the sentences is lost. */
export function fingerprintsOf(markdown: string): string[] {
  return [...new Set(partsOf(markdown).map(fingerprintOf))].sort();
}

/** Ignores quotation marks inside code, and quotes of other documents after "the products:". */
export function quotesIn(text: string): string[] {
  const own = text.replace(/\bthe products(?: only)?: "[^"]*"/g, "");
  return [...own.matchAll(/"([^"]*)"|`[^`]*`/g)].flatMap(([, quote]) => quote ?? []);
}

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
