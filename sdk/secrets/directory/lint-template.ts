import { nearestName } from "../../base/nearest";
import { showable } from "../../base/shown-text";
import { templateFunctions } from "../../go-template/functions";
import type { Node } from "../../go-template/syntax";

/**
 * What a template is for: the LDIF texts of a dynamic role (creation, deletion, rollback), or the template of its
 * user names.
 */
export type TemplateKind = "ldif" | "username";

/** Something about a template that its author should know. */
export interface TemplateFinding {
  /** What is wrong and, where that is clear, what to write instead. */
  readonly message: string;
  /** From 1. Of LDIF given as base64: in the decoded text. */
  readonly line: number;
  /** From 1, in UTF-16 units, as editors count. Where the offending piece begins. */
  readonly column: number;
  /** `error`: no template can have it. `warning`: possible, but very likely not what is meant. */
  readonly severity: "error" | "warning";
}

interface Found extends Pick<TemplateFinding, "message" | "severity"> {
  readonly offset: number;
}

const always = ["RoleName", "DisplayName"];
const times = ["IssueTime", "ExpirationTime", "IssueTimeSeconds", "ExpirationTimeSeconds"];
const kinds: Readonly<Record<TemplateKind, { readonly fields: readonly string[]; readonly name: string }>> = {
  username: { fields: always, name: "a user name template" },
  ldif: { fields: ["Username", "Password", ...always, ...times], name: "an LDIF template" },
};

/**
 * Checks a template of a dynamic role before it is sent to the service. Services accept broken templates and
 * only fail when credentials are requested.
 *
 * Errors are what no template can be: an action or a structure that is not closed or nested wrongly, functions and
 * fields that do not exist in this kind of template, and LDIF whose first line is no `dn:`. Anything else is at most
 * a warning, such as LDIF that never uses `.Username`. Records, constants, variables and arguments of functions are
 * not checked: the emulator shows their mistakes when credentials are requested.
 *
 * It makes no request, never throws, and takes time proportional to the length of the text.
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
  const { nodes, problems, used } = parseTemplate(source, {
    unknownFunction: (name) => unknownFunction(name, kind),
    unknownField: (name) => unknownField(name, kind),
  });
  const found = [
    ...problems.map(({ offset, message }): Found => ({ offset, message, severity: "error" })),
    ...(kind === "ldif" ? checkLdif(nodes, used) : checkUsername(nodes)),
  ];
  // The template as a whole can only be judged once its parts are right.
  const errors = found.filter(({ severity }) => severity === "error");
  return inOrder(source, errors.length > 0 ? errors.slice(0, mostProblems) : found);
}

function inOrder(text: string, found: readonly Found[]): TemplateFinding[] {
  let line = 1;
  let lineStart = 0;
  let lineEnd = text.indexOf("\n");
  const ordered = [...found].sort((left, right) => left.offset - right.offset);
  return ordered.map(({ offset, message, severity }) => {
    while (lineEnd !== -1 && lineEnd < offset) {
      line++;
      lineStart = lineEnd + 1;
      lineEnd = text.indexOf("\n", lineStart);
    }
    return { message, line, column: offset - lineStart + 1, severity };
  });
}

const findingsAtOnce = 3;

/** @returns `undefined` when there are none, and for an empty text */
export function describeFindings(
  text: string,
  kind: TemplateKind,
  severity: TemplateFinding["severity"],
): string | undefined {
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

function unknownFunction(name: string, kind: TemplateKind): string | undefined {
  const known = [...templateFunctions].flatMap(([each, origin]) =>
    origin === "ldif" && kind !== "ldif" ? [] : [each],
  );
  if (known.includes(name)) {
    return undefined;
  }
  // A field without its dot looks like a function; fields begin with a capital letter.
  const field = /^[A-Z]/.test(name) ? nearestName(name, kinds[kind].fields) : undefined;
  const near = field === undefined ? nearestName(name, known) : `.${field}`;
  const advice = near === undefined ? "." : `; did you mean \`${near}\`?`;
  return `${quoted(name)} is not a function of ${kinds[kind].name}${advice}`;
}

function unknownField(name: string, kind: TemplateKind): string | undefined {
  const { fields, name: template } = kinds[kind];
  if (fields.includes(name)) {
    return undefined;
  }
  const near = nearestName(name, fields);
  const known = fields.map((field) => `\`.${field}\``).join(", ");
  const advice = near === undefined ? `the fields are ${known}.` : `did you mean \`.${near}\`?`;
  return `${quoted(`.${name}`)} is not a field of ${template}; ${advice}`;
}

function quoted(piece: string): string {
  return `\`${showable(piece, 60)}\``;
}

const isSilent = (node: Node): boolean =>
  ["comment", "define"].includes(node.kind) || (node.kind === "output" && node.pipeline.variables.length > 0);

/** Blank lines, comments and the version. */
const preamble = /^(?:[ \t\r]*(?:\n|$)|(?:#|version:)[^\n]*(?:\n [^\n]*)*(?:\n|$))*/i;
const foldedLine = /^[^\n]*(?:\n [^\n]*)*/;

/** Only the first record is checked: the directory checks the rest. */
function checkLdif(nodes: readonly Node[], used: ReadonlySet<string>): Found[] {
  const found: Found[] = [];
  const end = nodes.findIndex((node) => node.kind !== "text" && !isSilent(node));
  const isWhole = end === -1;
  const texts = (isWhole ? nodes : nodes.slice(0, end)).flatMap((node) =>
    node.kind === "text" ? [node] : [],
  );
  const known = texts.map(({ text }) => text).join("");
  const start = preamble.exec(known)?.[0].length ?? 0;
  const folded = foldedLine.exec(known.slice(start))?.[0] ?? "";
  const line = folded.replace(/\r?\n /g, "").trim();
  if (line === "" && isWhole) {
    const message = "The text contains no LDIF record, which begins with `dn: `.";
    found.push({ offset: 0, message, severity: "warning" });
  }
  // The output of an action may be anything.
  const isKnown = line.includes(":") || isWhole || start + folded.length < known.length;
  if (line !== "" && isKnown && !/^dn:/i.test(line)) {
    let [offset, left] = [0, start];
    for (const text of texts) {
      offset = left < 0 ? offset : text.offset + left;
      left -= text.text.length;
    }
    const message = `LDIF must begin with \`dn: \`, not with ${quoted(line.replace(/:.*/, ":"))}.`;
    found.push({ offset, message, severity: "error" });
  }
  if (!used.has("Username") && !used.has(".")) {
    const message = "`.Username` is never used: every credential would change the same entries.";
    found.push({ offset: 0, message, severity: "warning" });
  }
  return found;
}

function checkUsername(nodes: readonly Node[]): Found[] {
  const found = nodes.flatMap((node): Found[] => {
    const lineEnd = node.kind === "text" ? node.text.indexOf("\n") : -1;
    const message = "The line end becomes part of the user name.";
    return lineEnd === -1 ? [] : [{ offset: node.offset + lineEnd, message, severity: "warning" }];
  });
  if (nodes.length > 0 && nodes.every(({ kind }) => ["text", "comment", "define"].includes(kind))) {
    const message = "Every user gets the same name: the template contains nothing that varies.";
    found.push({ offset: 0, message, severity: "warning" });
  }
  return found;
}
