import { parseTemplate } from "../../../../go-template/parser";
import { Evaluation } from "./evaluation";
import type { TemplateFunctions } from "./functions";
import { TemplateError } from "./template-error";
import type { Fields } from "./value";

/** Reads a template and fills in the data. @throws TemplateError when it is broken, or cannot be filled in */
export function renderTemplate(text: string, functions: TemplateFunctions, data: Fields): string {
  const { nodes, problems } = parseTemplate(text, (name) => (functions.has(name) ? undefined : ""));
  const [problem] = problems;
  if (problem !== undefined) {
    const line = text.slice(0, problem.place).split("\n").length;
    throw new TemplateError(`unable to parse template: template: template:${line}: ${problem.reason}`);
  }
  return new Evaluation(text, functions, data).render(nodes);
}
