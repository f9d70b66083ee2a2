import { parseTemplate, type Template } from "../../../go-template/parser";
import { NestingProblem } from "../../../go-template/syntax-problem";
import { decodeLdif } from "./base64";
import { checkFields } from "./fields-used";
import { Problems, type TemplateFinding, type TemplateKind } from "./finding";
import { checkFirstLine } from "./first-line";
import { unknownFunction } from "./names";

/** Finds what is wrong with a template. */
export function findProblems(text: string, kind: TemplateKind): TemplateFinding[] {
  const source = (kind === "ldif" ? decodeLdif(text) : undefined) ?? text;
  const problems = new Problems();
  const template = parseTemplate(source, (name) => unknownFunction(name, kind));
  for (const problem of template.problems) {
    // Where this parser gives up, the service's may go on.
    const severity = problem instanceof NestingProblem ? "warning" : "error";
    problems[severity](problem.offset, problem.message);
  }
  const uses = checkFields(template.nodes, kind, problems);
  if (template.isComplete && kind === "ldif") {
    checkFirstLine(template.nodes, problems);
  }
  // Of the whole template something can be said only when its parts are right.
  if (!template.isComplete || problems.hasErrors) {
    return problems.findings(source);
  }
  if (kind === "username") {
    checkUsername(template, problems);
  } else if (!uses("Username")) {
    problems.warning(0, "`.Username` is never used: every credential would change the same entries.");
  }
  return problems.findings(source);
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
