import { type Page, textFor } from "./fields";
import { type Exported, prose, summaryOf } from "./library";
import { functionsPage, relativeLink, resourcePage } from "./links";

/** Each relation is stated once; both pages link to each other. */
const { together, guides } = JSON.parse(prose("related.json")) as {
  readonly together: readonly (readonly [string, ...string[]])[];
  readonly guides: Readonly<Record<string, readonly [title: string, file: string]>>;
};

export function relatedText(page: Page, name: string): string {
  const classes = page.library.namespaces.flatMap((namespace) => namespace.classes);
  const names = together.flatMap(([one, ...others]) =>
    one === name ? others : others.includes(name) ? [one] : [],
  );
  const functions = page.library.namespaces.find((namespace) => namespace.name === page.namespace)?.functions;
  const guide = guides[name];
  const lines = [
    ...names.map((other) => {
      const exported = classes.find((each) => each.name === other);
      if (exported === undefined) {
        throw new Error(`related.json: there is no class ${other}.`);
      }
      return `${linkTo(page, exported)}: ${textFor({ ...page, namespace: namespaceOf(other) }, summaryOf(exported))}`;
    }),
    ...(functions === undefined || functions.length === 0
      ? []
      : [
          `[Functions of ${page.namespace}](${relativeLink(page.path, { page: functionsPage(page.namespace) })})`,
        ]),
    ...(guide === undefined ? [] : [`[${guide[0]}](../../${guide[1]})`]),
  ];
  return lines.length === 0 ? "" : `## See also\n\n${lines.map((line) => `- ${line}`).join("\n")}`;
}

function linkTo(page: Page, { name, shortName }: Exported): string {
  const shown = namespaceOf(name) === page.namespace ? shortName : name;
  return `[\`${shown}\`](${relativeLink(page.path, { page: resourcePage(name) })})`;
}

function namespaceOf(name: string): string {
  return name.slice(0, name.lastIndexOf("."));
}
