import ts from "typescript";
import * as library from "../../sdk";
import { commentOf, parameterComment } from "./comment";
import {
  commonHeading,
  fieldList,
  isObject,
  isSame,
  ownFields,
  type Page,
  textFor,
  typeOn,
  typesSection,
} from "./fields";
import { type Exported, formOf, type Namespace, productsOf } from "./library";
import { type Member, membersOf } from "./member";
import { typeText } from "./type-text";

export function functionsPageText(
  base: Page,
  { name, functions, constants, types }: Namespace,
  others: readonly string[],
): string {
  const names = new Set(functions.map(({ shortName }) => shortName));
  const isOutputForm = ({ shortName }: Exported): boolean =>
    shortName.endsWith("Output") && names.has(shortName.replace(/Output$/, ""));
  const shown = functions.filter((each) => !isOutputForm(each));
  const common = commonOptions(base, shown);
  const results: Results = new Map();
  const page: Page = { ...base, linkTo: (symbol) => results.get(symbol), common };
  const parts = [
    `# Functions of ${name}`,
    productsOf(name),
    ...shown.map((each) => functionText(page, each, functions, results)),
    ...(common.length === 0 ? [] : [`## ${commonHeading}`, fieldList(page, common, true)]),
    ...constants.map((each) => constantText(page, each)),
  ];
  const words = new Set([...others, ...parts].join("\n").match(/\w+/g));
  for (const { shortName, symbol } of types) {
    if (!words.has(shortName)) {
      page.types.add(symbol);
    }
  }
  return [...parts, typesSection(page)].filter((part) => part !== "").join("\n\n");
}

/** The function that describes a type, as a link. */
type Results = Map<ts.Symbol, string>;

function functionText(
  page: Page,
  exported: Exported,
  functions: readonly Exported[],
  results: Results,
): string {
  const comment = commentOf(...exported.declarations);
  const throws = comment.tag("throws");
  const outputForm = functions.find(({ shortName }) => shortName === `${exported.shortName}Output`);
  const output =
    outputForm === undefined
      ? ""
      : `In programs, use \`${outputForm.shortName}\`: its arguments${outputArguments(outputForm)} can be outputs, and its result is ${isSecret(exported) ? `a secret output. \`${exported.shortName}\` returns its secrets in plain text, and any output derived from them is stored in plain text` : "an output"}.`;
  return [
    `## \`${exported.shortName}\``,
    textFor(page, comment.text),
    comment.tag("example") ?? "",
    ...signatureText(page, exported, results),
    throws === undefined ? "" : `**Throws** ${textFor(page, throws).replace(/\.?$/, ".")}`,
    output,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function isSecret({ name }: Exported): boolean {
  const member = (room: unknown, part: string): unknown => (room as Readonly<Record<string, unknown>>)[part];
  const found = name.split(".").reduce<unknown>(member, library);
  return typeof found === "function" && "isSecret" in found && found.isSecret === true;
}

/** What all functions of a page take, if that is more than a few arguments. */
function commonOptions(page: Page, functions: readonly Exported[]): readonly Member[] {
  const lists = functions.map((each) =>
    parametersOf(each).flatMap(({ type }) => argumentMembers(page, type) ?? []),
  );
  const [first = [], ...others] = lists;
  const shared = first.filter((option) =>
    others.every((members) => members.some((member) => isSame(member, option))),
  );
  return others.length > 0 && shared.length > 10 ? shared : [];
}

function parametersOf({ declarations }: Exported): readonly ts.ParameterDeclaration[] {
  return declarations
    .filter(ts.isFunctionDeclaration)
    .slice(0, 1)
    .flatMap(({ parameters }) => parameters);
}

/** The options of forms are described once, on the front page of the reference. */
function signatureText(page: Page, exported: Exported, results: Results): readonly string[] {
  const form = formOf(exported);
  if (form !== undefined) {
    return [argumentsText(page, form.args) ?? "", resultText(page, exported, form.result, results)];
  }
  const [declaration] = exported.declarations.filter(ts.isFunctionDeclaration);
  if (declaration === undefined) {
    throw new Error(`${exported.name} is not a function.`);
  }
  const parameters = declaration.parameters.map((parameter) => parameterText(page, parameter));
  return [...parameters, resultText(page, exported, declaration.type, results)];
}

function parameterText(page: Page, { name, type, parent }: ts.ParameterDeclaration): string {
  if (type === undefined) {
    return "";
  }
  const comment = parameterComment(parent, name.getText());
  return (
    argumentsText(page, type) ??
    `**\`${name.getText()}\`** (${typeOn(page, typeShown(page, type))})${comment === undefined ? "" : `: ${textFor(page, comment)}`}`
  );
}

function argumentMembers(page: Page, node: ts.TypeNode | undefined): readonly Member[] | undefined {
  const { checker } = page.library;
  const members =
    node === undefined ? [] : membersOf(checker, checker.getTypeFromTypeNode(node), { nullable: false });
  // A type with methods is a class of the platform, not a set of arguments.
  const isArguments = members.length > 0 && members.every(({ parameters }) => parameters === undefined);
  return isArguments ? members : undefined;
}

function argumentsText(page: Page, node: ts.TypeNode | undefined): string | undefined {
  const members = argumentMembers(page, node);
  if (node === undefined || members === undefined) {
    return undefined;
  }
  const named = ts.isTypeReferenceNode(node) ? ` (\`${node.typeName.getText()}\`)` : "";
  return `**Arguments**${named}\n\n${ownFields(page, members)}`;
}

function resultText(
  page: Page,
  { shortName }: Exported,
  node: ts.TypeNode | undefined,
  results: Results,
): string {
  const { checker } = page.library;
  if (node === undefined) {
    return "";
  }
  const shown = typeShown(page, node);
  const [only] = shown.named;
  const result = only?.name === shown.type ? checker.getDeclaredTypeOfSymbol(only) : undefined;
  const members =
    result !== undefined && isObject(result) ? membersOf(checker, result, { nullable: true }) : [];
  if (only !== undefined && members.length > 0 && !results.has(only)) {
    results.set(only, `#${shortName.toLowerCase()}`);
    return `**Result** (\`${only.name}\`)\n\n${resultFields(page, shortName, members)}`;
  }
  return shown.type === "void" ? "" : `**Result**: ${typeOn(page, shown)}`;
}

/** What a page of a class describes is listed by name and type. */
function resultFields(page: Page, shortName: string, members: readonly Member[]): string {
  const { namespaces, checker } = page.library;
  const { classes = [] } = namespaces.find(({ name }) => name === page.namespace) ?? {};
  const exported = classes.find((each) => `get${each.shortName}` === shortName);
  const outputs =
    exported === undefined
      ? []
      : membersOf(checker, checker.getDeclaredTypeOfSymbol(exported.symbol), { nullable: true });
  const isDescribed = ({ name }: Member): boolean => outputs.some((output) => output.name === name);
  const own = members.filter((member) => !isDescribed(member));
  const listed = members
    .filter(isDescribed)
    .map((member) => `\`${member.name}\` (${typeOn(page, member)}${member.optional ? ", optional" : ""})`);
  const link = exported === undefined ? "" : textFor(page, `{@link ${exported.name}}`);
  return [
    fieldList(page, own, true),
    ...(listed.length === 0 ? [] : [`As the arguments and outputs of ${link}: ${listed.join(", ")}.`]),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function outputArguments(exported: Exported): string {
  const name = formOf(exported)?.args?.getText() ?? "";
  return /^\w+OutputArgs$/.test(name) ? ` (\`${name}\`)` : "";
}

function typeShown(
  page: Page,
  node: ts.TypeNode,
): { readonly type: string; readonly named: readonly ts.Symbol[] } {
  const { text, named } = typeText(page.library.checker, node, true);
  return { type: text, named };
}

function constantText(page: Page, exported: Exported): string {
  const statements = exported.declarations.map((declaration) => declaration.parent.parent);
  const value = page.library.checker.typeToString(page.library.checker.getTypeOfSymbol(exported.symbol));
  return `## \`${exported.shortName}\`\n\n\`${value}\`: ${textFor(page, commentOf(...statements).text)}`;
}
