import ts from "typescript";
import type { Library } from "../docs/library";
import { commentOf } from "../docs/comment";
import { membersOf } from "../docs/member";
import { spelledOut, sourceOf, symbolOf, wrappers } from "../docs/type-text";

export interface TypeSpec {
  readonly type?: string;
  readonly $ref?: string;
  readonly items?: TypeSpec;
  readonly additionalProperties?: TypeSpec;
  readonly oneOf?: readonly TypeSpec[];
}

export interface Property {
  readonly name: string;
  readonly node: ts.TypeNode;
  readonly optional: boolean;
  readonly description: string;
  readonly deprecated: string | undefined;
}

const anything: TypeSpec = { $ref: "pulumi.json#/Any" };

export class SchemaTypes {
  /** By token. */
  readonly definitions = new Map<string, object>();
  private readonly tokens: ReadonlyMap<ts.Symbol, string>;

  constructor(readonly library: Library) {
    this.tokens = new Map(
      library.namespaces.flatMap(({ name, types }) =>
        types.map(({ symbol, shortName }) => [symbol, tokenOf(name, shortName)] as const),
      ),
    );
  }

  propertiesOf(type: ts.Type, areArguments = false): readonly Property[] {
    const members = membersOf(this.library.checker, type, { nullable: !areArguments });
    return members.flatMap(({ name, node, parameters, optional, comment }) => {
      if (node === undefined || parameters !== undefined) {
        return [];
      }
      const fallback = comment.tag("default");
      const description = plain(
        fallback === undefined ? comment.text : `${comment.text} Default: ${fallback}.`,
      );
      const deprecated = comment.tag("deprecated");
      return { name, node, optional: optional || mayBeAbsent(node), description, deprecated };
    });
  }

  specOf(node: ts.TypeNode): TypeSpec {
    switch (node.kind) {
      case ts.SyntaxKind.StringKeyword:
        return { type: "string" };
      case ts.SyntaxKind.NumberKeyword:
        return { type: "number" };
      case ts.SyntaxKind.BooleanKeyword:
        return { type: "boolean" };
    }
    if (ts.isParenthesizedTypeNode(node) || ts.isTypeOperatorNode(node)) {
      return this.specOf(node.type);
    }
    if (ts.isArrayTypeNode(node)) {
      return { type: "array", items: this.specOf(node.elementType) };
    }
    if (ts.isLiteralTypeNode(node)) {
      return { type: ts.isStringLiteral(node.literal) ? "string" : "number" };
    }
    // `string & {}` only preserves completions in editors.
    if (ts.isIntersectionTypeNode(node)) {
      const [first] = node.types;
      return first === undefined ? anything : this.specOf(first);
    }
    if (ts.isUnionTypeNode(node)) {
      return this.unionOf(node);
    }
    return ts.isTypeReferenceNode(node) ? this.referenceTo(node) : anything;
  }

  objectOf(
    type: ts.Type,
    areArguments = false,
  ): { readonly properties: object; readonly required: readonly string[] } {
    const properties = this.propertiesOf(type, areArguments);
    const own = properties.map(
      ({ name, node, description }) => [name, { ...this.specOf(node), description }] as const,
    );
    const required = properties.filter(({ optional }) => !optional).map(({ name }) => name);
    // Types with a resource's outputs inherit the id from Pulumi's own class.
    const hasId = this.library.checker.getPropertyOfType(type, "id") !== undefined;
    return hasId && !properties.some(({ name }) => name === "id")
      ? {
          properties: { id: { type: "string", description: "Its id." }, ...Object.fromEntries(own) },
          required: ["id", ...required],
        }
      : { properties: Object.fromEntries(own), required };
  }

  private unionOf(node: ts.UnionTypeNode): TypeSpec {
    const specs = new Map<string, TypeSpec>();
    for (const member of node.types.filter((each) => !isNothing(each))) {
      const spec = this.specOf(member);
      specs.set(JSON.stringify(spec), spec);
    }
    const [only = anything, ...others] = specs.values();
    return others.length === 0 ? only : { oneOf: [only, ...others] };
  }

  private referenceTo(node: ts.TypeReferenceNode): TypeSpec {
    const { checker } = this.library;
    const name = sourceOf(node.typeName);
    const [first, second] = node.typeArguments ?? [];
    if (first !== undefined && wrappers.has(name)) {
      return this.specOf(first);
    }
    if (second !== undefined && name === "Record") {
      return { type: "object", additionalProperties: this.specOf(second) };
    }
    const found = symbolOf(checker, node.typeName);
    const symbol =
      found !== undefined && found.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(found) : found;
    const [declaration] = symbol?.declarations ?? [];
    if (symbol === undefined || declaration === undefined) {
      return anything;
    }
    const token = this.tokens.get(symbol);
    if (ts.isTypeAliasDeclaration(declaration)) {
      const literals = literalsOf(spelledOut(checker, declaration.type));
      if (token !== undefined && /^ResultOf</.test(declaration.type.getText())) {
        return this.define(token, () =>
          this.objectSpec(declaration, checker.getTypeFromTypeNode(declaration.type)),
        );
      }
      if (token === undefined || literals.length === 0) {
        return this.specOf(declaration.type);
      }
      const spec = this.define(token, () => ({
        type: "string",
        description: plain(commentOf(declaration).text),
        enum: literals.map((value) => ({ value })),
      }));
      // Some languages have no cast for a value that only a newer service knows.
      return { oneOf: [{ type: "string" }, spec] };
    }
    return token === undefined
      ? anything
      : this.define(token, () => this.objectSpec(declaration, checker.getDeclaredTypeOfSymbol(symbol)));
  }

  private objectSpec(declaration: ts.Declaration, type: ts.Type): object {
    return { type: "object", description: plain(commentOf(declaration).text), ...this.objectOf(type) };
  }

  private define(token: string, definition: () => object): TypeSpec {
    if (!this.definitions.has(token)) {
      // Before its definition is read, because the type can refer to itself.
      this.definitions.set(token, {});
      this.definitions.set(token, definition());
    }
    return { $ref: `#/types/${token}` };
  }
}

/** The token of a member, such as `trivium:secrets/mfa:TotpMethod`. */
export function tokenOf(namespace: string, name: string): string {
  return `trivium:${namespace === "" ? "index" : namespace.replaceAll(".", "/")}:${name}`;
}

export function plain(text: string): string {
  const [description = ""] = text.split("## Example Usage");
  return description.replace(/\{@link\s+([\w.]+)\s*\}/g, "`$1`").trim();
}

function literalsOf(node: ts.TypeNode): readonly string[] {
  const members = ts.isUnionTypeNode(node) ? node.types : [];
  const literals = members.flatMap((member) =>
    ts.isLiteralTypeNode(member) && ts.isStringLiteral(member.literal) ? [member.literal.text] : [],
  );
  const others = members.filter(
    (member) => !ts.isLiteralTypeNode(member) && !ts.isIntersectionTypeNode(unwrapped(member)),
  );
  return others.length === 0 ? literals : [];
}

function unwrapped(node: ts.TypeNode): ts.TypeNode {
  return ts.isParenthesizedTypeNode(node) ? unwrapped(node.type) : node;
}

function isNothing(node: ts.TypeNode): boolean {
  return (
    node.kind === ts.SyntaxKind.UndefinedKeyword ||
    (ts.isLiteralTypeNode(node) && node.literal.kind === ts.SyntaxKind.NullKeyword)
  );
}

function mayBeAbsent(node: ts.TypeNode): boolean {
  if (ts.isUnionTypeNode(node)) {
    return node.types.some(isNothing);
  }
  const [first] = ts.isTypeReferenceNode(node) ? (node.typeArguments ?? []) : [];
  return (
    first !== undefined &&
    ts.isTypeReferenceNode(node) &&
    wrappers.has(sourceOf(node.typeName)) &&
    mayBeAbsent(first)
  );
}
