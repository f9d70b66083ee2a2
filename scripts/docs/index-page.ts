import { type Page, textFor } from "./fields";
import { type Namespace, productsOf, prose, summaryOf } from "./library";
import { errorsNamespace, functionsPage, resourcePage } from "./links";

export function indexPageText(page: Page): string {
  const described = page.library.namespaces.filter(({ name }) => name !== "" && name !== errorsNamespace);
  const sections = (title: (name: string) => string, lines: typeof resourceLines): string =>
    described
      .map((namespace) => section(namespace.name, title(namespace.name), lines(page, namespace)))
      .filter((part) => part !== "")
      .join("\n\n");
  return prose("index.md", {
    resources: sections((name) => name, resourceLines),
    functions: sections((name) => `Functions of ${name}`, functionLines),
  });
}

function section(name: string, title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : `### ${title}\n\n${productsOf(name)}\n\n${lines.join("\n")}`;
}

/** The line below the heading names it. */
function withoutProduct(text: string): string {
  return text.replace(/ \((?:the \w+ engine of )?(?:HCP Terraform or [\w ]+|Vault or OpenBao|Nomad)\)/g, "");
}

function resourceLines(page: Page, { name: namespace, classes }: Namespace): readonly string[] {
  return classes.map(
    (each) =>
      `- [\`${each.name}\`](${resourcePage(each.name)}): ${textFor({ ...page, namespace }, withoutProduct(summaryOf(each)))}`,
  );
}

function functionLines(page: Page, { name: namespace, functions }: Namespace): readonly string[] {
  const names = new Set(functions.map(({ shortName }) => shortName));
  return functions
    .filter(({ shortName }) => !(shortName.endsWith("Output") && names.has(shortName.replace(/Output$/, ""))))
    .map((each) => {
      const target = `${functionsPage(namespace)}#${each.shortName.toLowerCase()}`;
      return `- [\`${each.name}\`](${target}): ${textFor({ ...page, namespace }, withoutProduct(summaryOf(each)))}`;
    });
}
