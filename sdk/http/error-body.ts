import { isObject } from "../base/json";
import { longestPart, showable, type ShownText } from "../base/shown-text";

const mostTexts = 10;
// Longer pages contain nothing useful.
const longestPage = 16_384;
const longestRest = 200;

/** Finds the messages in an error body: JSON:API errors, lists of strings, a message member, HTML or plain text. */
export function messagesIn(body: Uint8Array): readonly ShownText[] {
  const text = new TextDecoder().decode(body);
  const texts = [...new Set(findTexts(text).map(tidy))].filter((each) => each.length > 0);
  const more = texts.length - mostTexts;
  return more > 0 ? [...texts.slice(0, mostTexts), showable(`and ${more} more`)] : texts;
}

function findTexts(text: string): string[] {
  try {
    return textsIn(JSON.parse(text), 0);
  } catch {
    if (isBinary(text)) {
      return [`(a body that is not text)`];
    }
    return [isPage(text) ? textOfPage(showable(text, longestPage)) : text];
  }
}

export function isPage(text: string): boolean {
  return /^\s*<(?:!doctype|html|head|body|\?xml|h1)/i.test(text);
}

function textsIn(value: unknown, depth: number): string[] {
  if (typeof value === "string" || typeof value === "number") {
    return [String(value)];
  }
  if (depth <= 4 && Array.isArray(value)) {
    return value.flatMap((item) => textsIn(item, depth + 1));
  }
  return depth <= 4 && isObject(value) ? textsOfObject(value, depth) : [];
}

function textsOfObject(object: Readonly<Record<string, unknown>>, depth: number): string[] {
  const own = titleAndDetail(object);
  if (own !== undefined) {
    return [own];
  }
  for (const member of ["errors", "error", "message", "Message", "error_description", "reason", "warnings"]) {
    const texts = member in object ? textsIn(object[member], depth + 1) : [];
    if (texts.length > 0) {
      return texts;
    }
  }
  // Some services return a map from fields to problems below `errors`.
  return depth === 0
    ? []
    : Object.entries(object).flatMap(([field, value]) =>
        textsIn(value, depth + 1).map((text) =>
          field === "status" || field === "code" ? text : `${field}: ${text}`,
        ),
      );
}

function titleAndDetail(object: Readonly<Record<string, unknown>>): string | undefined {
  const [title, detail] = [textOf(object.title), textOf(object.detail)];
  const isRepeated = detail.toLowerCase().includes(title.toLowerCase());
  const text = [isRepeated ? "" : title, detail].filter((part) => part !== "").join(": ");
  const source = isObject(object.source) ? object.source : {};
  const pointer = textOf(source.pointer) || textOf(source.parameter);
  return text === "" ? undefined : `${text}${pointer && ` (${pointer})`}`;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value.trim() : "";
}

function textOfPage(page: string): string {
  const title = /<title[^>]*>([^<]*)/i.exec(page)?.[1] ?? "";
  const words = page.replace(/<(script|style|head)\b[\s\S]*?<\/\1\s*>/gi, " ").replace(/<[^>]*>/g, " ");
  const heading = decodeEntities(title).trim();
  const rest = showable(decodeEntities(words)).replace(/\s+/g, " ").trim().slice(0, longestRest);
  return rest.startsWith(heading) ? rest : `${heading}: ${rest}`;
}

const entities: Readonly<Record<string, string>> = {
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  amp: "&",
};

function decodeEntities(text: string): string {
  return text
    .replace(/&#(\d{1,6}|x[\da-f]{1,5});/gi, (_, code: string) =>
      String.fromCodePoint(Number(code.replace(/^x/i, "0x"))),
    )
    .replace(/&([a-z]+);/g, (whole, name: string) => entities[name] ?? whole);
}

function isBinary(text: string): boolean {
  const start = text.slice(0, 1000);
  const unprintable = Array.from(start).filter(
    (character) => character === "\ufffd" || character < "\t",
  ).length;
  return unprintable > start.length / 10;
}

/** Redacts before shortening, which could leave a part of a secret. */
function tidy(text: string): ShownText {
  const line = showable(text)
    .replace(/\s+/g, " ")
    .replace(/^\d+ errors? occurred: /, "")
    .replace(/^\* /, "")
    .trim();
  return showable(line, longestPart);
}
