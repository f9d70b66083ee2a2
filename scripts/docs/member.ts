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
  return propertiesOf(checker, type).flatMap((symbol) => {
    const [declaration] = symbol.declarations ?? [];
    const isMapped = (symbol.flags & ts.SymbolFlags.Transient) !== 0;
    if (isMapped && symbol.name === "id" && !(declaration && isRow(declaration))) {
      const comment = { text: "Its id.", tag: () => undefined };
      return { name: "id", type: "string", named: [], optional: false, comment };
    }
    const node = declaration && typeNodeOf(checker, symbol, declaration);
    if (
      declaration === undefined ||
      node === undefined ||
      declaration.getSourceFile().fileName.includes("/node_modules/") ||
      isInternal(declaration)
    ) {
      return [];
    }
    const { text: written, named } = typeText(checker, node, nullable);
    const isStated = isMapped && !isRow(declaration);
    const optional = (symbol.flags & ts.SymbolFlags.Optional) !== 0;
    const text = optional ? written.replace(/ \| undefined$/, "") : written;
    const member = {
      name: symbol.name,
      type: isStated && !text.includes("null") && mayBeNull(checker, symbol) ? `${text} | null` : text,
      named,
      node,
      optional,
      // Settings are arguments wherever they stand.
      comment:
        nullable && !optional && isRow(declaration)
          ? withoutAdvice(commentOf(declaration))
          : commentOf(declaration),
    };
    return ts.isMethodSignature(declaration) ? methodOf(checker, member, declaration) : member;
  });
}

/** Of an output or a result, what is only about the argument: its default, and what a change of it does. */
function withoutAdvice(comment: Comment): Comment {
  return {
    text: comment.text
      .replace(/(?<=^|[.)]\s+)(?:A change|Clearing it)\s[^]*?\.(?=\s+[A-Z`]|\s*$)/g, "")
      .trim(),
    tag: (name) => (name === "default" ? undefined : comment.tag(name)),
  };
}

/** A member of a table of rows, from which the types of members follow. */
function isRow(declaration: ts.Declaration): boolean {
  return ts.isPropertyAssignment(declaration) || ts.isShorthandPropertyAssignment(declaration);
}

function typeNodeOf(
  checker: ts.TypeChecker,
  symbol: ts.Symbol,
  declaration: ts.Declaration,
): ts.TypeNode | undefined {
  if (isRow(declaration)) {
    const type = checker.getNonNullableType(checker.getTypeOfSymbol(symbol));
    const { aliasSymbol, aliasTypeArguments: [plain = type] = [] } = type;
    const isUnwrapped = aliasSymbol?.name === "UnwrappedObject";
    const shown = isUnwrapped ? plain : checker.getTypeOfSymbol(symbol);
    return checker.typeToTypeNode(shown, undefined, ts.NodeBuilderFlags.NoTruncation);
  }
  return ts.isPropertySignature(declaration) ||
    ts.isPropertyDeclaration(declaration) ||
    ts.isMethodSignature(declaration)
    ? declaration.type
    : undefined;
}

/** The members of a mapped type have no order of their own, so they have that of the rows. */
function propertiesOf(checker: ts.TypeChecker, type: ts.Type): readonly ts.Symbol[] {
  const all = checker.getPropertiesOfType(type);
  const parts = [type, ...(type.getBaseTypes() ?? [])];
  if (!parts.some(isMappedType)) {
    return all;
  }
  const inherited = parts.slice(1).map((part) => checker.getPropertiesOfType(part).map(({ name }) => name));
  const groupOf = ({ name }: ts.Symbol): number => inherited.findIndex((names) => names.includes(name));
  // Rows of another file are those that several classes share.
  const sizeOf = (symbol: ts.Symbol): number => all.filter((each) => fileOf(each) === fileOf(symbol)).length;
  return all.toSorted(
    (one, other) =>
      groupOf(one) - groupOf(other) || sizeOf(other) - sizeOf(one) || position(one) - position(other),
  );
}

function fileOf({ declarations: [declaration] = [] }: ts.Symbol): string | undefined {
  return declaration?.getSourceFile().fileName;
}

function isMappedType(type: ts.Type): boolean {
  const isMapped = ((type as ts.ObjectType).objectFlags & ts.ObjectFlags.Mapped) !== 0;
  return isMapped || (type.isIntersection() && type.types.some(isMappedType));
}

/** Members of interfaces come first, and those of Pulumi's classes last. */
function position({ declarations: [declaration] = [] }: ts.Symbol): number {
  if (declaration?.getSourceFile().fileName.includes("/node_modules/") === true) {
    return Number.MAX_SAFE_INTEGER;
  }
  const isMember =
    declaration === undefined || !(isRow(declaration) || ts.isPropertyDeclaration(declaration));
  return isMember ? -1 : declaration.pos;
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
