import ts from "typescript";
import { commentOf } from "./comment";
import type { Library } from "./library";
import type { Links } from "./links";
import { membersOf, type Member } from "./member";
import { spelledOut, typeText } from "./type-text";

export interface Page {
  readonly library: Library;
  readonly links: Links;
  readonly namespace: string;
  /** Relative to `docs/reference`. */
  readonly path: string;
  /** The library's own types that the page names; they are described at its end. */
  readonly types: Set<ts.Symbol>;
  /** Where a type is described that the end of the page does not describe. */
  readonly linkTo?: (symbol: ts.Symbol) => string | undefined;
  /** Options that all functions of the page have: described once. */
  readonly common?: readonly Member[];
}

export const commonHeading = "Common options";

export function textFor(page: Page, text: string): string {
  return page.links.resolve(text, page.namespace, page.path);
}

export function defaultText(page: Page, value: string): string {
  return /^(?:"[^"]*"|[\d.]+|true|false|\[\]|Infinity)$/.test(value) ? `\`${value}\`` : textFor(page, value);
}

export function typeOn(page: Page, { type, named }: Pick<Member, "type" | "named">): string {
  const [only] = named;
  const links = named.map((symbol) => {
    const target = page.linkTo?.(symbol);
    if (target === undefined) {
      page.types.add(symbol);
    }
    return `[\`${symbol.name}\`](${target ?? `#${symbol.name.toLowerCase()}`})`;
  });
  const code = `\`${type}\``;
  if (named.length > 1 || (only !== undefined && (type.length > 60 || !type.includes(only.name)))) {
    return `${code}; see ${links.join(", ")}`;
  }
  return only === undefined ? code : (links[0] ?? "").replace(`\`${only.name}\``, code);
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

/** Members of mapped types are made for each use, so they are told apart by what they say. */
export function isSame(one: Member, other: Member): boolean {
  return one.name === other.name && one.type === other.type && one.comment.text === other.comment.text;
}

/** Includes the types that described types name. */
export function typesSection(page: Page): string {
  const sections: string[] = [];
  for (const symbol of page.types) {
    sections.push(typeDescription(page, symbol));
  }
  return sections.length === 0 ? "" : ["## Types", ...sections].join("\n\n");
}

/** @returns the types, and all that they name */
export function typesIn(page: Page, types: readonly ts.Symbol[]): readonly ts.Symbol[] {
  const all = { ...page, types: new Set(types) };
  for (const symbol of all.types) {
    typeDescription(all, symbol);
  }
  return [...all.types];
}

/** @returns the members that are not among the common options of the page, then a link to those that are */
export function ownFields(page: Page, members: readonly Member[]): string {
  const isCommon = (member: Member): boolean => page.common?.some((each) => isSame(each, member)) === true;
  const shared = members.filter(isCommon).map(({ name }) => `\`${name}\``);
  const own = fieldList(
    page,
    members.filter((member) => !isCommon(member)),
    true,
  );
  const link = `[${commonHeading}](#${commonHeading.toLowerCase().replace(" ", "-")})`;
  return shared.length === 0 ? own : [own, `${link}: ${shared.join(", ")}.`].filter(Boolean).join("\n\n");
}

export function typeDescription(page: Page, symbol: ts.Symbol): string {
  const { checker } = page.library;
  const [declaration] = symbol.declarations ?? [];
  const parts = [`### \`${symbol.name}\``];
  if (declaration !== undefined) {
    parts.push(textFor(page, commentOf(declaration).text));
    const type = checker.getDeclaredTypeOfSymbol(symbol);
    const members = isObject(type) ? membersOf(checker, type, { nullable: true }) : [];
    if (ts.isTypeAliasDeclaration(declaration) && members.length === 0) {
      const { text, named } = typeText(checker, spelledOut(checker, declaration.type), true);
      parts.push(typeOn(page, { type: text, named }));
    } else {
      parts.push(ownFields(page, members));
    }
  }
  return parts.filter((part) => part !== "").join("\n\n");
}

export function isObject(type: ts.Type): boolean {
  return (type.flags & ts.TypeFlags.Object) !== 0;
}
