import { decodeLdif } from "./template/base64";
import type { TemplateFinding, TemplateKind } from "./template/finding";

export type { TemplateFinding, TemplateKind };

/**
 * Checks a template of a dynamic role before it is sent to the service. Services accept broken templates and
 * only fail when credentials are requested.
 *
 * Errors are what no template can be: an action or a structure that is not closed or nested wrongly, functions and
 * fields that do not exist in this kind of template, and LDIF whose first line is no `dn:`. Anything else is at most
 * a warning, such as LDIF that never uses `.Username`. Records and arguments of functions are not checked: the
 * emulator shows their mistakes when credentials are requested.
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
