import { parseTemplate } from "../../../../sdk/go-template/parser";
import { checkTemplate, type TemplateUsage } from "../../../../sdk/secrets/directory/template/checker";
import { Problems, type TemplateKind } from "../../../../sdk/secrets/directory/template/finding";

/** What is said of a template that can be read, apart from its shape, and what it uses. */
export function checked(
  text: string,
  kind: TemplateKind = "ldif",
): { readonly said: readonly string[]; readonly usage: TemplateUsage } {
  const problems = new Problems();
  const usage = checkTemplate(parseTemplate(text, () => undefined).nodes, kind, problems);
  const said = problems
    .findings(text)
    .map(({ severity, line, column, message }) => `${severity} ${line}:${column} ${message}`);
  return { said, usage };
}
