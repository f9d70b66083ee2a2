import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import type { ServiceName } from "../../sdk/base/settings";
import { type Comment, commentOf, isInternal } from "./comment";

export const repository = join(__dirname, "..", "..");

export interface Exported {
  /** As in programs after `trivium.`: `secrets.mfa.TotpSecret`. */
  readonly name: string;
  readonly shortName: string;
  readonly symbol: ts.Symbol;
  readonly declarations: readonly ts.Declaration[];
}

/** The modules that programs import, by the names of their files in `sdk`. */
export type EntryPoint = "index" | "testing";

/** Without nested namespaces. */
export interface Namespace {
  /** As in programs after `trivium.`: `secrets.mfa`; empty for the library itself. */
  readonly name: string;
  readonly classes: readonly Exported[];
  readonly functions: readonly Exported[];
  readonly constants: readonly Exported[];
  readonly types: readonly Exported[];
}

export interface Library {
  readonly program: ts.Program;
  readonly checker: ts.TypeChecker;
  readonly comment: Comment;
  readonly namespaces: readonly Namespace[];
}

export function readLibrary(entryPoint: EntryPoint = "index"): Library {
  const entry = join(repository, "sdk", `${entryPoint}.ts`);
  const program = ts.createProgram([entry], compilerOptions());
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(entry);
  const root = source && checker.getSymbolAtLocation(source);
  if (source === undefined || root === undefined) {
    throw new Error(`${entry} cannot be read.`);
  }
  const comment = commentOf(...source.statements.slice(0, 1));
  return { program, checker, comment, namespaces: [...namespacesIn(checker, root, "")] };
}

export function compilerOptions(): ts.CompilerOptions {
  const file = join(repository, "tsconfig.json");
  const { config } = ts.readConfigFile(file, (path) => ts.sys.readFile(path)) as { readonly config: unknown };
  return { ...ts.parseJsonConfigFileContent(config, ts.sys, repository).options, noEmit: true };
}

function* namespacesIn(checker: ts.TypeChecker, module: ts.Symbol, name: string): Generator<Namespace> {
  const exported = checker.getExportsOfModule(module).map((symbol) => ({
    shortName: symbol.name,
    name: name === "" ? symbol.name : `${name}.${symbol.name}`,
    symbol: symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol,
  }));
  const exportsWith = (flag: ts.SymbolFlags): readonly Exported[] =>
    exported
      .filter(({ symbol }) => (symbol.flags & flag) !== 0)
      .map((each) => ({ ...each, declarations: each.symbol.declarations ?? [] }))
      .filter(({ declarations }) => !isInternal(...declarations))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const [functions = [], constants = []] = [true, false].map((callable) =>
    exportsWith(ts.SymbolFlags.Function | ts.SymbolFlags.Variable).filter(
      ({ symbol }) => checker.getTypeOfSymbol(symbol).getCallSignatures().length > 0 === callable,
    ),
  );
  yield {
    name,
    classes: exportsWith(ts.SymbolFlags.Class),
    functions,
    // The values of an enumeration are those of its type.
    constants: constants.filter(({ symbol }) => (symbol.flags & ts.SymbolFlags.TypeAlias) === 0),
    types: exportsWith(ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias),
  };
  for (const inner of exported.filter(({ symbol }) => symbol.flags & ts.SymbolFlags.ValueModule)) {
    yield* namespacesIn(checker, inner.symbol, inner.name);
  }
}

/** The type of a constructor's arguments. */
export function constructorArguments(
  { checker }: Library,
  { name, symbol, declarations }: Exported,
): ts.Type {
  const [declaration] = declarations;
  const [constructor] = checker.getTypeOfSymbol(symbol).getConstructSignatures();
  const parameter = constructor?.parameters.find((each) => each.name === "args");
  if (declaration === undefined || parameter === undefined) {
    throw new Error(`${name} has no constructor with arguments.`);
  }
  return checker.getNonNullableType(checker.getTypeOfSymbolAtLocation(parameter, declaration));
}

/** The types in `promiseForm<GetProjectArgs, GetProjectResult>(getDefinition)`. Arguments can be `undefined`. */
export function formOf({ declarations }: Exported):
  | {
      readonly args: ts.TypeNode | undefined;
      readonly result: ts.TypeNode | undefined;
    }
  | undefined {
  const [form] = declarations.filter(ts.isVariableDeclaration);
  if (form?.initializer === undefined || !ts.isCallExpression(form.initializer)) {
    return undefined;
  }
  const [args, result] = form.initializer.typeArguments ?? [];
  return { args: args !== undefined && ts.isUnionTypeNode(args) ? args.types[0] : args, result };
}

export function summaryOf({ declarations }: Exported): string {
  const [paragraph = ""] = commentOf(...declarations).text.split("\n\n");
  const text = paragraph.replace(/\s+/g, " ");
  return /^.*?[.](?= [A-Z`]|$)/.exec(text)?.[0] ?? text;
}

/** A message that is about one of the three names none of them, so pages do. */
export const productsOfService: Readonly<Record<ServiceName, string>> = {
  provisioning: "HCP Terraform or Terraform Enterprise",
  secrets: "Vault or OpenBao",
  scheduler: "Nomad",
};

const products = JSON.parse(prose("namespaces.json")) as Readonly<Record<string, string>>;

/** Which product a namespace is for. */
export function productsOf(namespace: string): string {
  const text = products[namespace];
  if (text === undefined) {
    throw new Error(`namespaces.json does not name the product of ${namespace}.`);
  }
  return text;
}

/** A text from `pages`, with values for `{{name}}`. */
export function prose(file: string, values: Readonly<Record<string, string>> = {}): string {
  const text = readFileSync(join(__dirname, "pages", file), "utf8").trim();
  return text.replace(/\{\{(\w+)\}\}/g, (_all, name: string) => values[name] ?? "");
}
