import ts from "typescript";
import { commentOf } from "./comment";
import type { Library } from "./library";
import type { Links } from "./links";
import { membersOf, type Member } from "./member";
import { typeText } from "./type-text";

export interface Page {
  readonly library: Library;
  readonly links: Links;
  readonly namespace: string;
  /** Relative to `docs/reference`. */
  readonly path: string;
  /** The library's own types that the page names; they are described at its end. */
  readonly types: Set<ts.Symbol>;
}

export function textFor(page: Page, text: string): string {
  return page.links.resolve(text, page.namespace, page.path);
}

export function defaultText(page: Page, value: string): string {
  return /^(?:"[^"]*"|[\d.]+|true|false|\[\]|Infinity)$/.test(value) ? `\`${value}\`` : textFor(page, value);
}

export function typeOn(page: Page, { type, named }: Pick<Member, "type" | "named">): string {
  const [only] = named;
  for (const symbol of named) {
    page.types.add(symbol);
  }
  const code = `\`${type}\``;
  const links = named.map(({ name }) => `[\`${name}\`](#${name.toLowerCase()})`);
  if (named.length > 1 || (only !== undefined && (type.length > 60 || !type.includes(only.name)))) {
    return `${code}; see ${links.join(", ")}`;
  }
  return only === undefined ? code : `[${code}](#${only.name.toLowerCase()})`;
}

export function fieldList(page: Page, members: readonly Member[], markOptional: boolean): string {
  return members
    .map((member) => {
      const absent = markOptional && member.optional ? ", optional" : "";
      const fallback = member.comment.tag("default");
      const failure = member.comment.tag("throws");
      const text = [
        textFor(page, member.comment.text),
        ...(fallback === undefined ? [] : [`Default: ${defaultText(page, fallback)}.`]),
        ...(failure === undefined ? [] : [`Throws ${textFor(page, failure).replace(/\.?$/, ".")}`]),
      ]
        .join(" ")
        .trim()
        .replace(/\s*\n\s*/g, " ");
      const name = member.parameters === undefined ? member.name : `${member.name}(${member.parameters})`;
      return `- **\`${name}\`** (${typeOn(page, member)}${absent})${text === "" ? "" : `: ${text}`}`;
    })
    .join("\n");
}

/** Includes the types that described types name. */
export function typesSection(page: Page): string {
  const described = new Map<ts.Symbol, string>();
  for (const symbol of page.types) {
    described.set(symbol, typeDescription(page, symbol));
  }
  const sections = [...described.values()];
  return sections.length === 0 ? "" : ["## Types", ...sections].join("\n\n");
}

function typeDescription(page: Page, symbol: ts.Symbol): string {
  const { checker } = page.library;
  const [declaration] = symbol.declarations ?? [];
  const parts = [`### \`${symbol.name}\``];
  if (declaration !== undefined) {
    parts.push(textFor(page, commentOf(declaration).text));
    const type = checker.getDeclaredTypeOfSymbol(symbol);
    const members = isObject(type) ? membersOf(checker, type, { nullable: true }) : [];
    if (ts.isTypeAliasDeclaration(declaration) && members.length === 0) {
      const { text, named } = typeText(checker, declaration.type, true);
      parts.push(typeOn(page, { type: text, named }));
    } else {
      parts.push(fieldList(page, members, true));
    }
  }
  return parts.filter((part) => part !== "").join("\n\n");
}

export function isObject(type: ts.Type): boolean {
  return (type.flags & ts.TypeFlags.Object) !== 0;
}
