import ts from "typescript";
import { type Comment, commentOf, isInternal, parameterComment } from "./comment";
import { typeText } from "./type-text";

export interface Member {
  readonly name: string;
  /** The parameter list of a method, without parentheses. */
  readonly parameters?: string;
  /** For a method, the type of its result. */
  readonly type: string;
  readonly optional: boolean;
  readonly comment: Comment;
  readonly named: readonly ts.Symbol[];
  /** Absent for the id, which Pulumi's own class declares. */
  readonly node?: ts.TypeNode;
}

export function membersOf(
  checker: ts.TypeChecker,
  type: ts.Type,
  { nullable }: { readonly nullable: boolean },
): readonly Member[] {
  const properties = checker.getPropertiesOfType(type);
  const ordered = isMappedType(type)
    ? properties.toSorted((one, other) => position(one) - position(other))
    : properties;
  return ordered.flatMap((symbol) => {
    const [declaration] = symbol.declarations ?? [];
    const isMapped = (symbol.flags & ts.SymbolFlags.Transient) !== 0;
    if (isMapped && symbol.name === "id") {
      const comment = { text: "Its id.", tag: () => undefined };
      return { name: "id", type: "string", named: [], optional: false, comment };
    }
    if (
      declaration === undefined ||
      !(
        ts.isPropertySignature(declaration) ||
        ts.isPropertyDeclaration(declaration) ||
        ts.isMethodSignature(declaration)
      ) ||
      declaration.type === undefined ||
      declaration.getSourceFile().fileName.includes("/node_modules/") ||
      isInternal(declaration)
    ) {
      return [];
    }
    const { text, named } = typeText(checker, declaration.type, nullable);
    const member = {
      name: symbol.name,
      type: isMapped && !text.includes("null") && mayBeNull(checker, symbol) ? `${text} | null` : text,
      named,
      node: declaration.type,
      optional: (symbol.flags & ts.SymbolFlags.Optional) !== 0,
      comment: commentOf(declaration),
    };
    return ts.isMethodSignature(declaration) ? methodOf(checker, member, declaration) : member;
  });
}

/** The members of a mapped type have no order of their own. */
function isMappedType(type: ts.Type): boolean {
  return [type, ...(type.getBaseTypes() ?? [])].some(
    (each) => ((each as ts.ObjectType).objectFlags & ts.ObjectFlags.Mapped) !== 0,
  );
}

/** The position in the class; members of interfaces come first, and those of Pulumi's classes last. */
function position({ declarations: [declaration] = [] }: ts.Symbol): number {
  if (declaration === undefined || !ts.isPropertyDeclaration(declaration)) {
    return -1;
  }
  const isInherited = declaration.getSourceFile().fileName.includes("/node_modules/");
  return isInherited ? Number.MAX_SAFE_INTEGER : declaration.pos;
}

function mayBeNull(checker: ts.TypeChecker, symbol: ts.Symbol): boolean {
  const type = checker.getTypeOfSymbol(symbol);
  return type.isUnion() && type.types.some(({ flags }) => flags & ts.TypeFlags.Null);
}

function methodOf(checker: ts.TypeChecker, member: Member, declaration: ts.MethodSignature): Member {
  const parameters = declaration.parameters.map((parameter) => {
    const { text = "unknown", named = [] } =
      parameter.type === undefined ? {} : typeText(checker, parameter.type, true);
    const mark = parameter.questionToken === undefined ? "" : "?";
    return { text: `${parameter.name.getText()}${mark}: ${text}`, named };
  });
  return {
    ...member,
    comment: { ...member.comment, text: methodText(member, declaration) },
    type: /^Promise\b/.test(declaration.type?.getText() ?? "") ? `Promise<${member.type}>` : member.type,
    parameters: parameters.map(({ text }) => text).join(", "),
    named: [...new Set([...parameters.flatMap(({ named }) => named), ...member.named])],
  };
}

function methodText({ comment }: Member, declaration: ts.MethodSignature): string {
  const parameters = declaration.parameters.flatMap(({ name }) => {
    const comment = parameterComment(declaration, name.getText());
    return comment === undefined ? [] : [`\`${name.getText()}\`: ${comment.replace(/\.?$/, ".")}`];
  });
  const returned = comment.tag("returns");
  return [
    comment.text,
    ...parameters,
    ...(returned === undefined ? [] : [`Returns ${returned.replace(/\.?$/, ".")}`]),
  ]
    .filter((part) => part !== "")
    .join(" ");
}
