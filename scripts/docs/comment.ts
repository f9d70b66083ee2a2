import ts from "typescript";

/** What a doc comment says. */
export interface Comment {
  /** The text before the tags, as Markdown in which links still are `{@link Name}`. */
  readonly text: string;
  /** What stands behind the tags of a name, in order: `default`, `throws`, `example`. */
  tag(name: string): string | undefined;
}

/** The doc comment of a declaration; overloads are declared several times, the first comment counts. */
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
          return tag === undefined ? undefined : (ts.getTextOfJSDocComment(tag.comment)?.trim() ?? "");
        },
      };
    }
  }
  return { text: "", tag: () => undefined };
}

/** What a comment says of one parameter. */
export function parameterComment(declaration: ts.Node, parameter: string): string | undefined {
  const tag = ts
    .getJSDocTags(declaration)
    .filter(ts.isJSDocParameterTag)
    .find(({ name }) => name.getText() === parameter);
  return tag === undefined ? undefined : ts.getTextOfJSDocComment(tag.comment)?.trim();
}

/** Whether a declaration is kept out of the published types. */
export function isInternal(...declarations: readonly ts.Node[]): boolean {
  return declarations.every((declaration) =>
    ts.getJSDocTags(declaration).some(({ tagName }) => tagName.text === "internal"),
  );
}
