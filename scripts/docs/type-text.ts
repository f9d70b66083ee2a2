import ts from "typescript";

interface TypeText {
  readonly text: string;
  readonly named: readonly ts.Symbol[];
}

const wrappers = new Set(["pulumi.Input", "pulumi.Output", "Promise"]);

/** Omits Pulumi's wrappers, `undefined` of optional values and, unless `nullable`, `null`. */
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
      return ts.isFunctionTypeNode(part.type) ? part.getText() : `(${shown(part.type)})`;
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
    return part.getText().replace(/\s+/g, " ");
  };
  const reference = (part: ts.TypeReferenceNode): string => {
    const name = part.typeName.getText();
    const [first] = part.typeArguments ?? [];
    if (first !== undefined && (wrappers.has(name) || name === "Readonly")) {
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
      ? `${member.name.getText()}${member.questionToken === undefined ? "" : "?"}: ${shown(member.type)}`
      : member.getText().replace(/\s+/g, " ");
  return { text: shown(node), named: [...named] };
}

function isOmitted(member: ts.TypeNode, nullable: boolean): boolean {
  return (
    member.kind === ts.SyntaxKind.UndefinedKeyword ||
    (!nullable && ts.isLiteralTypeNode(member) && member.literal.kind === ts.SyntaxKind.NullKeyword)
  );
}

function ownSymbol(checker: ts.TypeChecker, name: ts.EntityName): ts.Symbol | undefined {
  const found = checker.getSymbolAtLocation(name);
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
