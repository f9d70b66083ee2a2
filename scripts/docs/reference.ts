import { join } from "node:path";
import { format, resolveConfig } from "prettier";
import type ts from "typescript";
import * as sdk from "../../sdk";
import { className, collectClasses } from "../../sdk/resource/definition";
import { commandLinePageText } from "./command-line-page";
import { configurationPageText } from "./configuration-page";
import { classesOf, errorPageText, errorsPageText } from "./errors-page";
import { type Page, typesIn } from "./fields";
import { functionsPageText } from "./functions-page";
import { indexPageText } from "./index-page";
import { type Library, prose, readLibrary, repository } from "./library";
import { errorPage, errorsNamespace, functionsPage, Links, relativeLink, resourcePage } from "./links";
import { resourcePageText } from "./resource-page";
import { testingPageTexts } from "./testing-page";

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
  const testing = readLibrary("testing");
  yield* testingPageTexts((path) => pageAt(path, "", testing));
  for (const name of ["dialects.md", "requests.md", "emulator.md"]) {
    yield [name, prose(name)];
  }
  yield ["command-line.md", commandLinePageText()];
  const classes = new Map(
    [...collectClasses(sdk).values()].map((each) => [className(each.definition), each] as const),
  );
  for (const namespace of library.namespaces) {
    const functions = pageAt(functionsPage(namespace.name), namespace.name);
    if (namespace.functions.length > 0) {
      // Fills the types of the page.
      functionsPageText(functions, namespace, []);
    }
    const texts: string[] = [];
    for (const exported of namespace.classes) {
      const resource = classes.get(exported.name);
      if (resource !== undefined) {
        const page = pageAt(resourcePage(exported.name), namespace.name);
        const linkTo = (symbol: ts.Symbol) => largeTypeOn(functions, symbol, page.path);
        const text = resourcePageText({ ...page, linkTo }, exported, resource);
        texts.push(text);
        yield [page.path, text];
      }
    }
    if (namespace.functions.length > 0) {
      yield [functions.path, functionsPageText({ ...functions, types: new Set() }, namespace, texts)];
    }
  }
}

/** A type that names many others is described on the page of functions only. */
function largeTypeOn(functions: Page, symbol: ts.Symbol, from: string): string | undefined {
  const isLarge =
    functions.types.has(symbol) && typesIn({ ...functions, types: new Set() }, [symbol]).length > 5;
  return isLarge
    ? relativeLink(from, { page: functions.path, anchor: symbol.name.toLowerCase() })
    : undefined;
}
