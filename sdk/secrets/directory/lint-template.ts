import { nearestName } from "../../base/nearest";
import { quoted } from "../../base/shown-text";
import { templateFunctions } from "../../go-template/functions";
import type { Node } from "../../go-template/syntax";

/**
 * The kind of a template: an LDIF template of a dynamic role (creation, deletion or rollback), or its user
 * name template.
 */
export type TemplateKind = "ldif" | "username";

/** A problem in a template. */
export interface TemplateFinding {
  /** What is wrong and, if that is clear, what to write instead. */
  readonly message: string;
  /** The line number of the problem, starting at 1. For LDIF in base64, the line in the decoded text. */
  readonly line: number;
  /** The column where the problem begins, starting at 1, in UTF-16 units, as in editors. */
  readonly column: number;
  /** `error`: invalid in every template. `warning`: valid, but probably a mistake. */
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
 * Checks a template of a dynamic role before you send it to the service. Services accept invalid templates
 * and only fail when credentials are requested.
 *
 * The following are errors: an action or a structure that is not closed or is nested wrongly, functions and
 * fields that do not exist in this kind of template, and LDIF whose records do not begin with `dn:`, such as
 * indented LDIF. Anything else, such as LDIF that never uses `.Username`, is at most a warning. Attributes,
 * constants, variables and function arguments are not checked; to find mistakes in these, request credentials
 * from the emulator.
 *
 * The function does not send requests, never throws, and runs in linear time.
 *
 * @example
 * ```typescript
 * const findings = trivium.secrets.directory.lintTemplate("u_{{.Usename | lowercase}}_{{random 6}}", "username");
 * for (const { severity, line, column, message } of findings) {
 *   console.log(`${severity} at ${line}:${column}: ${message}`);
 * }
 * ```
 *
 * @param text the template. LDIF can be plain or base64, as in the service; with base64, lines and columns
 * are those of the decoded text. An empty user name template is valid and selects the service's default.
 * @param kind `"ldif"` for creation, deletion and rollback, `"username"` for the user name template
 * @returns the problems in the order of the text, at most 1,000; empty if there are none
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
  // The template as a whole can only be checked once its parts are valid.
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

/** @returns `undefined` if there are none, and for an empty string */
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

/** Tries base64 first, as the service does: a string that happens to be valid base64 is decoded. */
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

/** A placeholder for what an action prints, which can be anything. */
const printed = "\ufffc";

/** The known parts of the text that the service renders, with their places in the template. */
class Rendered {
  readonly text: string;
  private readonly pieces: { readonly start: number; readonly offset: number }[] = [];

  constructor(nodes: readonly Node[]) {
    let text = "";
    for (const node of nodes) {
      this.pieces.push({ start: text.length, offset: node.offset });
      text += node.kind === "text" ? node.text : isSilent(node) ? "" : printed;
    }
    this.text = text;
  }

  /** The offset in the template. */
  at(position: number): number {
    let [first, last] = [0, this.pieces.length - 1];
    while (first < last) {
      const middle = Math.ceil((first + last) / 2);
      [first, last] = (this.pieces[middle]?.start ?? 0) <= position ? [middle, last] : [first, middle - 1];
    }
    const { start, offset } = this.pieces[first] ?? { start: 0, offset: 0 };
    return offset + position - start;
  }
}

/** Only the first line is checked, as far as it is known. */
function findWrongStart(nodes: readonly Node[]): readonly Found[] {
  const rendered = new Rendered(nodes);
  const end = rendered.text.indexOf(printed);
  const known = end === -1 ? rendered.text : rendered.text.slice(0, end);
  if (known.startsWith("\ufeff")) {
    return [{ offset: rendered.at(0), message: "LDIF must not begin with a byte order mark." }];
  }
  const rest = known.slice(preamble.exec(known)?.[0].length);
  const folded = foldedLine.exec(rest)?.[0] ?? "";
  const line = folded.replace(/\r?\n /g, "").trim();
  const isKnown = line.includes(":") || end === -1 || folded.length < rest.length;
  if (/^[ \t]+dn:/i.test(rest)) {
    return [{ offset: rendered.at(known.length - rest.length), message: indented }];
  }
  if (line === "" || !isKnown) {
    return [];
  }
  if (/^dn:/i.test(line)) {
    return [...findIndentation(nodes, rendered), ...findWrongRecords(rendered)];
  }
  const offset = rendered.at(known.length - rest.trimStart().length);
  return [
    { offset, message: `LDIF must begin with \`dn: \`, not with ${quoted(line.replace(/:.*/, ":"))}.` },
  ];
}

const indented = "LDIF must not be indented: a line that begins with white space continues the line before.";

/** All lines would continue the first one. */
function findIndentation(nodes: readonly Node[], rendered: Rendered): readonly Found[] {
  const isFlat = nodes.every((node) => node.kind === "text" || node.kind === "output" || isSilent(node));
  const start = /^\s*/.exec(rendered.text)?.[0].length ?? 0;
  const text = rendered.text.trim();
  const folds = /^dn:[^\n]*(?:\n[ \t][^\n]*|\n\r?)+$/i.test(text) && /\n[ \t]+[a-z][\w;-]*:/i.test(text);
  return isFlat && folds
    ? [{ offset: rendered.at(start + text.search(/\n[ \t]/) + 1), message: indented }]
    : [];
}

/** Records are separated by blank lines. Only lines whose beginning is known are checked. */
function findWrongRecords(rendered: Rendered): readonly Found[] {
  const found: Found[] = [];
  let position = 0;
  let follows = false;
  for (const [index, line] of rendered.text.split("\n").entries()) {
    const [name] = /^(?!dn:)[a-z][\w;-]*:/i.exec(line) ?? [];
    if (follows && name !== undefined) {
      const message = `A blank line ends a record, and the next one must begin with \`dn: \`, not with ${quoted(name)}.`;
      found.push({ offset: rendered.at(position), message });
    }
    follows = index > 0 && (/^\r?$/.test(line) || (follows && line.startsWith("#")));
    position += line.length + 1;
  }
  return found;
}

function doubtsAboutLdif(used: ReadonlySet<string>): Found[] {
  const message = "`.Username` is never used: every credential would change the same entries.";
  return used.has(".Username") ? [] : [{ offset: 0, message }];
}

function doubtsAboutUsername(nodes: readonly Node[]): Found[] {
  const doubts: Found[] = [];
  const rendered = new Rendered(nodes);
  if (rendered.text.endsWith("\n")) {
    const offset = rendered.at(rendered.text.length - 1);
    doubts.push({ offset, message: "The line break at the end becomes part of the user name." });
  }
  if (rendered.text !== "" && !rendered.text.includes(printed)) {
    const message = "Every user gets the same name: the template contains nothing that varies.";
    doubts.push({ offset: 0, message });
  }
  return doubts;
}
