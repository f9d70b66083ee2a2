import ts from "typescript";
import { type Comment, commentOf, isInternal } from "./comment";
import { typeText } from "./type-text";

/** A property of an interface or a class. */
export interface Member {
  readonly name: string;
  readonly type: string;
  readonly optional: boolean;
  readonly comment: Comment;
  /** The library's own types that its type names. */
  readonly named: readonly ts.Symbol[];
}

/** The properties of a type that users see, inherited ones included, in their order. */
export function membersOf(
  checker: ts.TypeChecker,
  type: ts.Type,
  { nullable }: { readonly nullable: boolean },
): readonly Member[] {
  return checker.getPropertiesOfType(type).flatMap((symbol) => {
    const [declaration] = symbol.declarations ?? [];
    if (
      declaration === undefined ||
      !(ts.isPropertySignature(declaration) || ts.isPropertyDeclaration(declaration)) ||
      declaration.type === undefined ||
      declaration.getSourceFile().fileName.includes("/node_modules/") ||
      isInternal(declaration)
    ) {
      return [];
    }
    const { text, named } = typeText(checker, declaration.type, nullable);
    return {
      name: symbol.name,
      type: text,
      named,
      optional: (symbol.flags & ts.SymbolFlags.Optional) !== 0,
      comment: commentOf(declaration),
    };
  });
}
