import { join } from "node:path";
import { format, resolveConfig } from "prettier";
import * as sdk from "../../sdk";
import { className, collectClasses } from "../../sdk/resource/definition";
import { commandLinePageText } from "./command-line-page";
import { configurationPageText } from "./configuration-page";
import { classesOf, errorPageText, errorsPageText } from "./errors-page";
import type { Page } from "./fields";
import { functionsPageText } from "./functions-page";
import { indexPageText } from "./index-page";
import { type Library, readLibrary, repository } from "./library";
import { errorPage, errorsNamespace, functionsPage, Links, resourcePage } from "./links";
import { resourcePageText } from "./resource-page";
import { testingPageText } from "./testing-page";

export const referenceDirectory = join(repository, "docs", "reference");

/** @returns texts by path, relative to `docs/reference` */
export async function generateReference(): Promise<ReadonlyMap<string, string>> {
  const options = await resolveConfig(join(referenceDirectory, "index.md"));
  const formatted = [...pageTexts(readLibrary())].map(
    async ([path, text]) => [path, await format(text, { ...options, parser: "markdown" })] as const,
  );
  return new Map(await Promise.all(formatted));
}

function* pageTexts(library: Library): Generator<readonly [string, string]> {
  const links = new Links(library.namespaces);
  const pageAt = (path: string, namespace = "", of = library): Page => ({
    library: of,
    links,
    namespace,
    path,
    types: new Set(),
  });
  yield ["index.md", indexPageText(pageAt("index.md"))];
  yield ["configuration.md", configurationPageText(pageAt("configuration.md"))];
  yield ["errors.md", errorsPageText(pageAt("errors.md"))];
  for (const each of classesOf(library)) {
    const path = errorPage(each.shortName);
    yield [path, errorPageText(pageAt(path, errorsNamespace), each)];
  }
  yield ["testing.md", testingPageText(pageAt("testing.md", "", readLibrary("testing")))];
  yield ["command-line.md", commandLinePageText()];
  const classes = new Map(
    [...collectClasses(sdk).values()].map((each) => [className(each.definition), each] as const),
  );
  for (const namespace of library.namespaces) {
    const texts: string[] = [];
    for (const exported of namespace.classes) {
      const resource = classes.get(exported.name);
      if (resource !== undefined) {
        const path = resourcePage(exported.name);
        const text = resourcePageText(pageAt(path, namespace.name), exported, resource);
        texts.push(text);
        yield [path, text];
      }
    }
    if (namespace.functions.length > 0) {
      const path = functionsPage(namespace.name);
      yield [path, functionsPageText(pageAt(path, namespace.name), namespace, texts)];
    }
  }
}
