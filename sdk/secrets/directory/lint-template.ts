import { decodeLdif } from "./template/base64";
import type { TemplateFinding, TemplateKind } from "./template/finding";

export type { TemplateFinding, TemplateKind };

/**
 * Checks a template of a dynamic role before the service has it. Services accept broken templates and fail only when
 * somebody asks for credentials.
 *
 * Finds what is no template at all (an action or structure that is not closed), functions and fields that do not
 * exist where the template is used, wrong numbers and types of arguments, and in LDIF records that are out of shape:
 * without `dn`, with lines that are not `attribute: value`, with operations that do not end. Conditions are not
 * evaluated; only what is wrong on every way through them is.
 *
 * Asks nobody, never throws, and takes time in proportion to the text.
 *
 * @example
 * ```typescript
 * const findings = trivium.secrets.directory.lintTemplate("u_{{.Usename | lowercase}}_{{random 6}}", "username");
 * for (const { severity, line, column, message } of findings) {
 *   console.log(`${severity} at ${line}:${column}: ${message}`);
 * }
 * ```
 *
 * @param text the template. LDIF may be given as base64, as the service allows; places are then those in the decoded
 *   text. An empty user name template is right: it stands for the service's own.
 * @param kind `"ldif"` for creation, deletion and rollback, `"username"` for the user name template
 * @returns what was found, in the order of the text; empty when nothing is wrong, never more than 1,000
 */
export function lintTemplate(text: string, kind: TemplateKind): TemplateFinding[] {
  const { findProblems } = require("./template/find-problems") as typeof import("./template/find-problems");
  return findProblems(text, kind);
}

/** How many errors are told at once; more would hide the rest of the preview. */
const errorsAtOnce = 3;

/**
 * Why a template cannot be used, for a preview: the first errors with their places. Warnings do not count.
 *
 * @returns `undefined` when the template can be used
 */
export function whyTemplateFails(text: string, kind: TemplateKind): string | undefined {
  const errors = lintTemplate(text, kind).filter(({ severity }) => severity === "error");
  if (errors.length === 0) {
    return undefined;
  }
  const decoded = kind === "ldif" && decodeLdif(text) !== undefined ? "in the decoded text, " : "";
  const told = errors
    .slice(0, errorsAtOnce)
    .map(({ line, column, message }) => `line ${line}, column ${column}: ${message}`);
  const more = errors.length - told.length;
  return `${decoded}${told.join(" ")}${more > 0 ? ` And ${more} more.` : ""}`;
}
