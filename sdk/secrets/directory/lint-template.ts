import { nearestName } from "../../base/nearest";
import { quoted } from "../../base/shown-text";
import { templateFunctions } from "../../go-template/functions";
import type { Node } from "../../go-template/syntax";

/**
 * What a template is for: the LDIF texts of a dynamic role (creation, deletion, rollback), or the template of its
 * user names.
 */
export type TemplateKind = "ldif" | "username";

/** A problem in a template. */
export interface TemplateFinding {
  /** What is wrong and, if that is clear, what to write instead. */
  readonly message: string;
  /** From 1. Of LDIF given as base64: in the decoded text. */
  readonly line: number;
  /** From 1, in UTF-16 units, as editors count. Where the problem begins. */
  readonly column: number;
  /** `error`: not valid in any template. `warning`: valid, but probably a mistake. */
  readonly severity: "error" | "warning";
}

interface Found {
  readonly message: string;
  readonly offset: number;
}

const always = [".RoleName", ".DisplayName"];
const times = [".IssueTime", ".ExpirationTime", ".IssueTimeSeconds", ".ExpirationTimeSeconds"];
const kinds: Readonly<Record<TemplateKind, { readonly fields: readonly string[]; readonly name: string }>> = {
  username: { fields: always, name: "a user name template" },
  ldif: { fields: [".Username", ".Password", ...always, ...times], name: "an LDIF template" },
};

/**
 * Checks a template of a dynamic role before it is sent to the service. Services accept broken templates and
 * only fail when credentials are requested.
 *
 * These are errors: an action or a structure that is not closed or is nested wrongly, functions and fields that do not
 * exist in this kind of template, and LDIF whose records do not begin with `dn:`, such as indented LDIF. Anything else
 * is at most a warning, such as LDIF that never uses `.Username`. Attributes, constants, variables and arguments of
 * functions are not checked: the emulator shows their mistakes when credentials are requested.
 *
 * It makes no request, never throws, and runs in linear time.
 *
 * @example
 * ```typescript
 * const findings = trivium.secrets.directory.lintTemplate("u_{{.Usename | lowercase}}_{{random 6}}", "username");
 * for (const { severity, line, column, message } of findings) {
 *   console.log(`${severity} at ${line}:${column}: ${message}`);
 * }
 * ```
 *
 * @param text the template. LDIF may be given as base64, as the service allows; places are then those in the
 *   decoded text. An empty user name template is valid and means the service's default.
 * @param kind `"ldif"` for creation, deletion and rollback, `"username"` for the user name template
 * @returns what was found, in the order of the text; empty when nothing is wrong, never more than 1,000
 */
export function lintTemplate(text: string, kind: TemplateKind): TemplateFinding[] {
  const { mostProblems, parseTemplate } =
    require("../../go-template/parser") as typeof import("../../go-template/parser");
  const source = (kind === "ldif" ? decodeLdif(text) : undefined) ?? text;
  const { fields, name: what } = kinds[kind];
  const functions = [...templateFunctions].filter(([, origin]) => kind === "ldif" || origin !== "ldif");
  const known = [...functions.map(([name]) => name), ...fields];
  const used = new Set<string>();
  let unknown = 0;
  const { nodes, problems } = parseTemplate(source, (name) => {
    used.add(name);
    return known.includes(name) || ++unknown > mostProblems ? undefined : describeUnknown(name, known, what);
  });
  const errors = [...problems, ...(kind === "ldif" ? findWrongStart(nodes) : [])];
  // The template as a whole can only be judged once its parts are right.
  return errors.length > 0
    ? inOrder(source, errors.slice(0, mostProblems), "error")
    : inOrder(source, kind === "ldif" ? doubtsAboutLdif(used) : doubtsAboutUsername(nodes), "warning");
}

function inOrder(text: string, found: readonly Found[], severity: TemplateFinding["severity"]) {
  let line = 1;
  let start = 0;
  const first = found.toSorted((left, right) => left.offset - right.offset);
  return first.map(({ offset, message }) => {
    for (let end = text.indexOf("\n", start); end !== -1 && end < offset; end = text.indexOf("\n", start)) {
      line++;
      start = end + 1;
    }
    return { message, line, column: offset - start + 1, severity };
  });
}

const findingsAtOnce = 3;

/** @returns `undefined` when there are none, and for an empty text */
export function describeFindings(text: string, kind: TemplateKind, severity: TemplateFinding["severity"]) {
  const findings = text === "" ? [] : lintTemplate(text, kind).filter((each) => each.severity === severity);
  if (findings.length === 0) {
    return undefined;
  }
  const decoded = kind === "ldif" && decodeLdif(text) !== undefined ? "in the decoded text, " : "";
  const told = findings
    .slice(0, findingsAtOnce)
    .map(({ line, column, message }) => `line ${line}, column ${column}: ${message}`);
  const more = findings.length - told.length;
  return `${decoded}${told.join(" ")}${more > 0 ? ` And ${more} more.` : ""}`;
}

const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Tries base64 first, as the service does: a text that happens to be valid base64 counts as such. */
export function decodeLdif(text: string): string | undefined {
  const compact = text.replace(/[\r\n]/g, "");
  const isBase64 = compact.length % 4 === 0 && base64.test(compact);
  return (isBase64 && Buffer.from(compact, "base64").toString("utf8")) || undefined;
}

function describeUnknown(name: string, current: readonly string[], template: string): string {
  // A field without its period looks like a function.
  const near = nearestName(name, current) ?? nearestName(`.${name}`, current);
  const advice = near === undefined ? "." : `; did you mean \`${near}\`?`;
  return `${quoted(name)} is not a ${name.startsWith(".") ? "field" : "function"} of ${template}${advice}`;
}

const isSilent = (node: Node): boolean =>
  ["comment", "define"].includes(node.kind) || (node.kind === "output" && node.pipeline.variables.length > 0);

/** Blank lines, comments and the version. */
const preamble = /^(?:[ \t\r]*(?:\n|$)|(?:#|version:)[^\n]*(?:\n [^\n]*)*(?:\n|$))*/i;
const foldedLine = /^[^\n]*(?:\n [^\n]*)*/;

/** Only the first line is checked, as far as it is known: an action may print anything. */
function findWrongStart(nodes: readonly Node[]): readonly Found[] {
  const end = nodes.findIndex((node) => node.kind !== "text" && !isSilent(node));
  const pieces: string[] = [];
  let length = 0;
  for (const node of end === -1 ? nodes : nodes.slice(0, end)) {
    if (node.kind === "text") {
      // Blanks instead of silent actions keep the offsets.
      pieces.push(" ".repeat(node.offset - length), node.text);
      length = node.offset + node.text.length;
    }
  }
  const known = pieces.join("");
  if (known.startsWith("\ufeff")) {
    return [{ offset: 0, message: "LDIF must not begin with a byte order mark." }];
  }
  const rest = known.slice(preamble.exec(known)?.[0].length);
  const folded = foldedLine.exec(rest)?.[0] ?? "";
  const line = folded.replace(/\r?\n /g, "").trim();
  const isKnown = line.includes(":") || end === -1 || folded.length < rest.length;
  if (/^[ \t]+dn:/i.test(rest)) {
    return [{ offset: known.length - rest.length, message: indented }];
  }
  if (line === "" || !isKnown) {
    return [];
  }
  if (/^dn:/i.test(line)) {
    return [...findIndentation(nodes), ...findWrongRecords(nodes)];
  }
  const offset = known.length - rest.trimStart().length;
  return [
    { offset, message: `LDIF must begin with \`dn: \`, not with ${quoted(line.replace(/:.*/, ":"))}.` },
  ];
}

const indented = "LDIF must not be indented: a line that begins with white space continues the line before.";

/** All lines would continue the first one. */
function findIndentation(nodes: readonly Node[]): readonly Found[] {
  const isFlat = nodes.every(({ kind }) => ["text", "output", "comment", "define"].includes(kind));
  const pieces = nodes.map((node) => (node.kind === "text" ? node.text : node.kind === "output" ? "x" : ""));
  const text = pieces.join("").trim();
  const folds = /^dn:[^\n]*(?:\n[ \t][^\n]*|\n\r?)+$/i.test(text) && /\n[ \t]+[a-z][\w;-]*:/i.test(text);
  const first = nodes.find((node) => node.kind === "text" && /\n[ \t]/.test(node.text));
  return isFlat && folds && first?.kind === "text"
    ? [{ offset: first.offset + first.text.search(/\n[ \t]/) + 1, message: indented }]
    : [];
}

/** Records are separated by blank lines. Only lines that begin in a text are checked. */
function findWrongRecords(nodes: readonly Node[]): readonly Found[] {
  const found: Found[] = [];
  for (const node of nodes) {
    let offset = node.offset;
    let follows = false;
    for (const [index, line] of (node.kind === "text" ? node.text.split("\n") : []).entries()) {
      const [name] = /^(?!dn:)[a-z][\w;-]*:/i.exec(line) ?? [];
      if (follows && name !== undefined) {
        const message = `A blank line ends a record, and the next one must begin with \`dn: \`, not with ${quoted(name)}.`;
        found.push({ offset, message });
      }
      follows = index > 0 && (/^\r?$/.test(line) || (follows && line.startsWith("#")));
      offset += line.length + 1;
    }
  }
  return found;
}

function doubtsAboutLdif(used: ReadonlySet<string>): Found[] {
  const message = "`.Username` is never used: every credential would change the same entries.";
  return used.has(".Username") ? [] : [{ offset: 0, message }];
}

function doubtsAboutUsername(nodes: readonly Node[]): Found[] {
  const doubts: Found[] = [];
  const last = nodes.at(-1);
  if (last?.kind === "text" && last.text.endsWith("\n")) {
    const offset = last.offset + last.text.length - 1;
    doubts.push({ offset, message: "The line end becomes part of the user name." });
  }
  if (nodes.length > 0 && nodes.every(({ kind }) => ["text", "comment", "define"].includes(kind))) {
    const message = "Every user gets the same name: the template contains nothing that varies.";
    doubts.push({ offset: 0, message });
  }
  return doubts;
}
