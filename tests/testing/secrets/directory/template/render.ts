import { ldifFunctions } from "../../../../../sdk/testing/secrets/directory/template/functions";
import { renderTemplate } from "../../../../../sdk/testing/secrets/directory/template/template";

const moment = Date.UTC(2024, 1, 9, 15, 4, 5, 120);

/** Fills in a template with the data of an account named `v_ada`, as of February 9th 2024, 15:04:05.12. */
export function render(template: string): string {
  return renderTemplate(
    template,
    ldifFunctions(() => moment),
    new Map<string, string | bigint>([
      ["Username", "v_ada"],
      ["Password", "p-w"],
      ["DisplayName", "ada"],
      ["RoleName", "web"],
      ["IssueTimeSeconds", 1_707_491_045n],
      ["ExpirationTimeSeconds", 1_707_494_645n],
    ]),
  );
}
