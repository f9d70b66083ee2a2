import { join } from "node:path";
import ts from "typescript";
import { commentOf, isInternal } from "./comment";

/** The root of the repository. */
export const repository = join(__dirname, "..", "..");

/** One thing that the library exports. */
export interface Exported {
  /** As a program writes it behind `trivium.`: `secrets.mfa.TotpSecret`. */
  readonly name: string;
  /** Its last name: `TotpSecret`. */
  readonly shortName: string;
  readonly symbol: ts.Symbol;
  readonly declarations: readonly ts.Declaration[];
}

/** A namespace of the library, without those inside it. */
export interface Namespace {
  /** As a program writes it behind `trivium.`: `secrets.mfa`; empty for the library itself. */
  readonly name: string;
  readonly classes: readonly Exported[];
  readonly functions: readonly Exported[];
  readonly constants: readonly Exported[];
}

/** The library as its sources say it. */
export interface Library {
  readonly program: ts.Program;
  readonly checker: ts.TypeChecker;
  readonly namespaces: readonly Namespace[];
}

/** Reads the sources of the library. */
export function readLibrary(): Library {
  const entry = join(repository, "sdk", "index.ts");
  const program = ts.createProgram([entry], compilerOptions());
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(entry);
  const root = source && checker.getSymbolAtLocation(source);
  if (root === undefined) {
    throw new Error(`${entry} cannot be read.`);
  }
  return { program, checker, namespaces: [...namespacesIn(checker, root, "")] };
}

/** The settings with which the whole workspace is compiled. */
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
  const having = (flag: ts.SymbolFlags): readonly Exported[] =>
    exported
      .filter(({ symbol }) => (symbol.flags & flag) !== 0)
      .map((each) => ({ ...each, declarations: each.symbol.declarations ?? [] }))
      .filter(({ declarations }) => !isInternal(...declarations))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  yield {
    name,
    classes: having(ts.SymbolFlags.Class),
    functions: having(ts.SymbolFlags.Function),
    constants: having(ts.SymbolFlags.Variable),
  };
  for (const inner of exported.filter(({ symbol }) => symbol.flags & ts.SymbolFlags.ValueModule)) {
    yield* namespacesIn(checker, inner.symbol, inner.name);
  }
}

/** The first sentence of what is said of something. */
export function summaryOf({ declarations }: Exported): string {
  const [paragraph = ""] = commentOf(...declarations).text.split("\n\n");
  const text = paragraph.replace(/\s+/g, " ");
  return /^.*?[.](?= [A-Z`]|$)/.exec(text)?.[0] ?? text;
}
