import ts from "typescript";

export interface Comment {
  /** The text before the tags, as Markdown with unresolved `{@link Name}`. */
  readonly text: string;
  tag(name: string): string | undefined;
}

/** Of several overloads, the first comment counts. */
export function commentOf(...declarations: readonly ts.Node[]): Comment {
  for (const declaration of declarations) {
    const parts = ts.getJSDocCommentsAndTags(declaration).filter(ts.isJSDoc);
    const last = parts.at(-1);
    if (last !== undefined) {
      const tags = last.tags ?? [];
      return {
        text: ts.getTextOfJSDocComment(last.comment)?.trim() ?? "",
        tag(name) {
          const tag = tags.find(({ tagName }) => tagName.text === name);
          return tag === undefined ? undefined : textOf(tag);
        },
      };
    }
  }
  return { text: "", tag: () => undefined };
}

/** TypeScript parses a link after `@throws` as the type of the exception. */
function textOf(tag: ts.JSDocTag): string {
  if (!ts.isJSDocThrowsTag(tag) || tag.typeExpression === undefined) {
    return ts.getTextOfJSDocComment(tag.comment)?.trim() ?? "";
  }
  const { tags, end } = tag.parent as ts.JSDoc;
  const next = tags?.find(({ pos, tagName }) => pos > tag.pos && tagName.text !== "link");
  return tag
    .getSourceFile()
    .text.slice(tag.getStart(), next?.getStart() ?? end - "*/".length)
    .replace(/^@throws\s+/, "")
    .replace(/\n\s*\* ?/g, "\n")
    .trim();
}

export function parameterComment(declaration: ts.Node, parameter: string): string | undefined {
  const tag = ts
    .getJSDocTags(declaration)
    .filter(ts.isJSDocParameterTag)
    .find(({ name }) => name.getText() === parameter);
  return tag === undefined ? undefined : ts.getTextOfJSDocComment(tag.comment)?.trim();
}

export function isInternal(...declarations: readonly ts.Node[]): boolean {
  return declarations.every((declaration) =>
    ts.getJSDocTags(declaration).some(({ tagName }) => tagName.text === "internal"),
  );
}
