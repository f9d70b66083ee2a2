import { Evaluation } from "./evaluation";
import type { TemplateFunctions } from "./functions";
import { parse } from "./parser";
import { TemplateError } from "./template-error";
import type { Fields } from "./value";

/** Reads a template and fills in the data. @throws TemplateError when it is broken, or cannot be filled in */
export function renderTemplate(template: string, functions: TemplateFunctions, data: Fields): string {
  const nodes = attempt("unable to parse template", () => parse(template, new Set(functions.keys())));
  return attempt("unable to apply template", () => new Evaluation(functions, data).render(nodes, data));
}

function attempt<Result>(what: string, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    throw error instanceof TemplateError ? new TemplateError(`${what}: ${error.message}`) : error;
  }
}
