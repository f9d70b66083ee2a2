import ts from "typescript";

interface TypeText {
  readonly text: string;
  readonly named: readonly ts.Symbol[];
}

/** `pulumi.Output<boolean>` has no members but its own, so it is an `OutputInstance`. */
export const wrappers: ReadonlySet<string> = new Set(
  ["Input", "Output", "OutputInstance"]
    .flatMap((name) => [name, `pulumi.${name}`])
    .concat("Promise", "Readonly"),
);

/** Omits Pulumi's wrappers and, unless `nullable`, `null` and `undefined`. */
export function typeText(checker: ts.TypeChecker, node: ts.TypeNode, nullable: boolean): TypeText {
  const named = new Set<ts.Symbol>();
  const shown = (part: ts.TypeNode): string => {
    if (ts.isTypeReferenceNode(part)) {
      return reference(part);
    }
    if (ts.isUnionTypeNode(part)) {
      return part.types
        .filter((member) => !isOmitted(member, nullable))
        .map(shown)
        .join(" | ");
    }
    if (ts.isIntersectionTypeNode(part)) {
      return part.types.map(shown).join(" & ");
    }
    if (ts.isParenthesizedTypeNode(part)) {
      return ts.isFunctionTypeNode(part.type) ? sourceOf(part) : `(${shown(part.type)})`;
    }
    if (ts.isArrayTypeNode(part)) {
      const element = shown(part.elementType);
      return /[ |]/.test(element) && !element.startsWith("(") ? `(${element})[]` : `${element}[]`;
    }
    if (ts.isTypeOperatorNode(part) && part.operator === ts.SyntaxKind.ReadonlyKeyword) {
      return shown(part.type);
    }
    if (ts.isTypeLiteralNode(part)) {
      return `{ ${part.members.map((member) => memberText(member)).join("; ")} }`;
    }
    return sourceOf(part);
  };
  const reference = (part: ts.TypeReferenceNode): string => {
    const name = sourceOf(part.typeName);
    const [first] = part.typeArguments ?? [];
    if (first !== undefined && wrappers.has(name)) {
      return shown(first);
    }
    const symbol = ownSymbol(checker, part.typeName);
    if (symbol !== undefined) {
      named.add(symbol);
    }
    const args = part.typeArguments?.map(shown).join(", ");
    return args === undefined ? name : `${name}<${args}>`;
  };
  const memberText = (member: ts.TypeElement): string =>
    ts.isPropertySignature(member) && member.type !== undefined
      ? `${sourceOf(member.name)}${member.questionToken === undefined ? "" : "?"}: ${shown(member.type)}`
      : sourceOf(member);
  return { text: shown(node), named: [...named] };
}

/** Instead of the type that follows from the values of an enumeration, a union of these values in their order. */
export function spelledOut(checker: ts.TypeChecker, node: ts.TypeNode): ts.TypeNode {
  const members: readonly ts.TypeNode[] = ts.isUnionTypeNode(node) ? node.types : [node];
  const indexed = members.filter((member) => ts.isIndexedAccessTypeNode(member));
  const literals = indexed.flatMap(({ objectType }) =>
    checker
      .getTypeFromTypeNode(objectType)
      .getProperties()
      .map((value) => checker.getTypeOfSymbol(value))
      .filter((type) => type.isStringLiteral())
      .map(({ value }) => ts.factory.createLiteralTypeNode(ts.factory.createStringLiteral(value))),
  );
  const others = members.filter((member) => !ts.isIndexedAccessTypeNode(member));
  return literals.length === 0 ? node : ts.factory.createUnionTypeNode([...literals, ...others]);
}

function isOmitted(member: ts.TypeNode, nullable: boolean): boolean {
  const isNull = ts.isLiteralTypeNode(member) && member.literal.kind === ts.SyntaxKind.NullKeyword;
  return !nullable && (isNull || member.kind === ts.SyntaxKind.UndefinedKeyword);
}

const printer = ts.createPrinter({ removeComments: true });
const noFile = ts.createSourceFile("none.ts", "", ts.ScriptTarget.Latest);

/** In one line, of a node of a file or one that the compiler has made. */
export function sourceOf(node: ts.Node): string {
  const text = node.pos < 0 ? printer.printNode(ts.EmitHint.Unspecified, node, noFile) : node.getText();
  return text.replace(/\s+/g, " ");
}

/** What the compiler has made of a type is not in a file, but it knows the symbols of its names. */
export function symbolOf(checker: ts.TypeChecker, name: ts.EntityName): ts.Symbol | undefined {
  return name.pos < 0 ? (name as { readonly symbol?: ts.Symbol }).symbol : checker.getSymbolAtLocation(name);
}

function ownSymbol(checker: ts.TypeChecker, name: ts.EntityName): ts.Symbol | undefined {
  const found = symbolOf(checker, name);
  if (found === undefined) {
    return undefined;
  }
  const symbol = found.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(found) : found;
  const [declaration] = symbol.declarations ?? [];
  const isOwn =
    declaration !== undefined &&
    !declaration.getSourceFile().fileName.includes("/node_modules/") &&
    (ts.isInterfaceDeclaration(declaration) || ts.isTypeAliasDeclaration(declaration));
  return isOwn ? symbol : undefined;
}
