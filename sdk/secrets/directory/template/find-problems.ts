import { parseTemplate, type Template } from "../../../go-template/parser";
import { decodeLdif } from "./base64";
import { checkTemplate, type TemplateUsage } from "./checker";
import { Problems, type TemplateFinding, type TemplateKind } from "./finding";
import { checkLdif } from "./ldif-shape";
import { unknownFunction } from "./names";

/** Finds what is wrong with a template. */
export function findProblems(text: string, kind: TemplateKind): TemplateFinding[] {
  const source = (kind === "ldif" ? decodeLdif(text) : undefined) ?? text;
  const problems = new Problems();
  const template = parseTemplate(source, (name) => unknownFunction(name, kind));
  for (const { offset, message } of template.problems) {
    problems.error(offset, message);
  }
  const usage = checkTemplate(template.nodes, kind, problems);
  if (template.isComplete && kind === "ldif") {
    checkLdif(template.nodes, usage, problems);
  }
  // Of the whole template something can be said only when its parts are right.
  if (!problems.hasErrors && kind === "ldif") {
    checkAccount(usage, problems);
  } else if (!problems.hasErrors) {
    checkUsername(template, problems);
  }
  return problems.findings(source);
}

function checkAccount(usage: TemplateUsage, problems: Problems): void {
  if (!usage.uses("Username")) {
    problems.warning(0, "`.Username` is never used: every credential would change the same entries.");
  }
}

function checkUsername({ nodes }: Template, problems: Problems): void {
  for (const node of nodes) {
    const lineEnd = node.kind === "text" ? node.text.indexOf("\n") : -1;
    if (lineEnd !== -1) {
      problems.warning(node.offset + lineEnd, "The line end becomes part of the user name.");
    }
  }
  if (nodes.length > 0 && nodes.every(({ kind }) => ["text", "comment", "define"].includes(kind))) {
    problems.warning(0, "Every user gets the same name: the template contains nothing that varies.");
  }
}
