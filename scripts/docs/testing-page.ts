import type ts from "typescript";
import { type ServiceName, serviceNames } from "../../sdk/base/settings";
import { commentOf } from "./comment";
import { type Page, textFor, typeDescription, typesIn } from "./fields";
import { productsOfService } from "./library";
import { relativeLink } from "./links";

const main = "testing.md";

const pageOf = (service: ServiceName): string => `testing/${service}.md`;

/** What a user starts with; the types of one service have pages of their own. */
const first = ["Emulator", "EmulatorOptions", "EmulatorSeed", "Fault"];

export function testingPageTexts(pageAt: (path: string) => Page): ReadonlyMap<string, string> {
  const page = pageAt(main);
  const { comment, namespaces } = page.library;
  const { functions = [], types = [] } = namespaces[0] ?? {};
  const start = functions.find(({ shortName }) => shortName === "startEmulator");
  if (start === undefined) {
    throw new Error("There is no startEmulator.");
  }
  const startComment = commentOf(...start.declarations);
  const all = typesIn(
    page,
    types.map(({ symbol }) => symbol),
  ).toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const described = (path: string, symbols: readonly ts.Symbol[]): readonly string[] => {
    const from = { ...pageAt(path), types: new Set<ts.Symbol>() };
    const linked = { ...from, linkTo: (to: ts.Symbol) => linkFrom(path, to) };
    return symbols.map((symbol) =>
      symbol.name.endsWith("Setup") ? setupText(linked, symbol) : typeDescription(linked, symbol),
    );
  };
  const isFirst = ({ name }: ts.Symbol): boolean => first.includes(name);
  const isFault = (symbol: ts.Symbol): boolean => !isFirst(symbol) && symbol.name.includes("Fault");
  const shared = all.filter((symbol) => serviceOf(symbol) === undefined);
  const others = shared.filter((symbol) => !isFirst(symbol) && !isFault(symbol));
  const text = [
    "# Testing",
    textFor(page, comment.text),
    `\`\`\`typescript\n${comment.tag("example") ?? ""}\n\`\`\``,
    "[Testing your programs](../testing.md) has examples for other test runners, with the CLI and with mocks. [Emulator](../emulator.md) has a complete seed.",
    `The types of one service have a page each: ${serviceNames.map((service) => `[${service}](${pageOf(service)})`).join(", ")}.`,
    "## `startEmulator`",
    `${textFor(page, startComment.text)} \`startEmulator(options)\` takes [\`EmulatorOptions\`](#emulatoroptions), and returns a promise of the [\`Emulator\`](#emulator).`,
    `**Throws** ${textFor(page, startComment.tag("throws") ?? "")}.`,
    ...described(
      main,
      first.flatMap((name) => shared.filter((symbol) => symbol.name === name)),
    ).map((each) => each.replace("### ", "## ")),
    ...described(main, shared.filter(isFault)),
    "## Other types",
    ...described(main, others),
  ].join("\n\n");
  return new Map([
    [main, text],
    ...serviceNames.map((service): [string, string] => {
      const own = all.filter((symbol) => serviceOf(symbol) === service);
      const [emulator = [], rest = []] = [true, false].map((wanted) =>
        own.filter(({ name }) => /^[A-Z][a-z]+Emulator$/.test(name) === wanted),
      );
      const path = pageOf(service);
      return [
        path,
        [
          `# Testing: the ${service} service`,
          `Types of the emulator of ${productsOfService[service]}. [Testing](../testing.md) has those of all services.`,
          ...described(path, emulator).map((each) => each.replace("### ", "## ")),
          "## Types",
          ...described(path, rest),
        ].join("\n\n"),
      ];
    }),
  ]);
}

/** The handle of the service has the methods. */
function setupText(page: Page, symbol: ts.Symbol): string {
  const { checker } = page.library;
  const service = serviceOf(symbol) ?? "";
  const handle = `${service.charAt(0).toUpperCase()}${service.slice(1)}Emulator`;
  const names = checker
    .getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol))
    .map(({ name }) => `\`${name}\``);
  return [
    `### \`${symbol.name}\``,
    textFor(page, commentOf(...(symbol.declarations ?? [])).text),
    `Methods of [\`${handle}\`](#${handle.toLowerCase()}): ${names.join(", ")}.`,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function linkFrom(path: string, symbol: ts.Symbol): string {
  const service = serviceOf(symbol);
  const page = service === undefined ? main : pageOf(service);
  return relativeLink(path, { page, anchor: symbol.name.toLowerCase() });
}

/** Whose folder a type is in; the handles of the services are beside them. */
function serviceOf({ name, declarations: [declaration] = [] }: ts.Symbol): ServiceName | undefined {
  const file = declaration?.getSourceFile().fileName ?? "";
  return serviceNames.find(
    (service) => file.includes(`/testing/${service}/`) || new RegExp(`^${service}Emulator$`, "i").test(name),
  );
}
