import { decodeLdif } from "./base64";
import { checkTemplate, type TemplateUsage } from "./checker";
import { Problems, type TemplateFinding, type TemplateKind } from "./finding";
import { checkLdif } from "./ldif-shape";
import { parseTemplate } from "./parser";
import type { TemplateTree } from "./syntax";

/** Finds what is wrong with a template. */
export function findProblems(text: string, kind: TemplateKind): TemplateFinding[] {
  const source = (kind === "ldif" ? decodeLdif(text) : undefined) ?? text;
  const problems = new Problems();
  const tree = parseTemplate(source, problems);
  const usage = checkTemplate(tree, kind, problems);
  if (tree.complete && kind === "ldif") {
    checkLdif(tree.nodes, usage, problems);
  }
  // Of the whole template something can be said only when its parts are right.
  if (!problems.hasErrors && kind === "ldif") {
    checkAccount(usage, problems);
  } else if (!problems.hasErrors) {
    checkUsername(tree, problems);
  }
  return problems.findings(source);
}

function checkAccount(usage: TemplateUsage, problems: Problems): void {
  if (!usage.uses("Username")) {
    problems.warning(0, "`.Username` is never used: every credential would change the same entries.");
  }
}

function checkUsername({ nodes }: TemplateTree, problems: Problems): void {
  for (const node of nodes) {
    const lineEnd = node.kind === "text" ? node.text.indexOf("\n") : -1;
    if (lineEnd !== -1) {
      problems.warning(node.offset + lineEnd, "The line end becomes part of the user name.");
    }
  }
  if (nodes.length > 0 && nodes.every(({ kind }) => kind === "text" || kind === "silent")) {
    problems.warning(0, "Every user gets the same name: the template holds nothing that changes.");
  }
}
