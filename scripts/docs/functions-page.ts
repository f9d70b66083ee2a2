import ts from "typescript";
import * as library from "../../sdk";
import { commentOf, parameterComment } from "./comment";
import { fieldList, isObject, type Page, textFor, typeOn, typesSection } from "./fields";
import { type Exported, formOf, type Namespace, productsOf } from "./library";
import { membersOf } from "./member";
import { typeText } from "./type-text";

export function functionsPageText(
  page: Page,
  { name, functions, constants, types }: Namespace,
  others: readonly string[],
): string {
  const names = new Set(functions.map(({ shortName }) => shortName));
  const isOutputForm = ({ shortName }: Exported): boolean =>
    shortName.endsWith("Output") && names.has(shortName.replace(/Output$/, ""));
  const parts = [
    `# Functions of ${name}`,
    productsOf(name),
    ...functions.filter((each) => !isOutputForm(each)).map((each) => functionText(page, each, functions)),
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

function functionText(page: Page, exported: Exported, functions: readonly Exported[]): string {
  const comment = commentOf(...exported.declarations);
  const throws = comment.tag("throws");
  const outputForm = functions.find(({ shortName }) => shortName === `${exported.shortName}Output`);
  const output =
    outputForm === undefined
      ? ""
      : `In programs: \`${outputForm.shortName}\`, whose arguments${outputArguments(outputForm)} can be outputs, and whose result is ${isSecret(exported) ? `a secret output. \`${exported.shortName}\` returns its secrets in clear, and a program that uses them stores them in clear` : "an output"}.`;
  return [
    `## \`${exported.shortName}\``,
    textFor(page, comment.text),
    comment.tag("example") ?? "",
    ...signatureText(page, exported),
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

/** The options of forms are described once, on the front page of the reference. */
function signatureText(page: Page, exported: Exported): readonly string[] {
  const form = formOf(exported);
  if (form !== undefined) {
    return [argumentsText(page, form.args) ?? "", resultText(page, form.result)];
  }
  const [declaration] = exported.declarations.filter(ts.isFunctionDeclaration);
  if (declaration === undefined) {
    throw new Error(`${exported.name} is not a function.`);
  }
  const parameters = declaration.parameters.map((parameter) => parameterText(page, parameter));
  return [...parameters, resultText(page, declaration.type)];
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

function argumentsText(page: Page, node: ts.TypeNode | undefined): string | undefined {
  if (node === undefined) {
    return undefined;
  }
  const { checker } = page.library;
  const members = membersOf(checker, checker.getTypeFromTypeNode(node), { nullable: false });
  // A type with methods is a class of the platform, not a set of arguments.
  if (members.length === 0 || members.some(({ parameters }) => parameters !== undefined)) {
    return undefined;
  }
  const named = ts.isTypeReferenceNode(node) ? ` (\`${node.typeName.getText()}\`)` : "";
  return `**Arguments**${named}\n\n${fieldList(page, members, true)}`;
}

function resultText(page: Page, node: ts.TypeNode | undefined): string {
  const { checker } = page.library;
  if (node === undefined) {
    return "";
  }
  const shown = typeShown(page, node);
  const [only] = shown.named;
  const result = only?.name === shown.type ? checker.getDeclaredTypeOfSymbol(only) : undefined;
  const members =
    result !== undefined && isObject(result) ? membersOf(checker, result, { nullable: true }) : [];
  if (only !== undefined && members.length > 0) {
    return `**Result** (\`${only.name}\`)\n\n${fieldList(page, members, true)}`;
  }
  return shown.type === "void" ? "" : `**Result**: ${typeOn(page, shown)}`;
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
