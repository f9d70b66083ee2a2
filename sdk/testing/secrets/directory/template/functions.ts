import { createHash, randomInt, randomUUID } from "node:crypto";
import { builtIns } from "./built-ins";
import { FunctionError } from "./template-error";
import { formatTime } from "./time-layout";
import { integerOf, octetsOf, textOf, type TemplateFunction } from "./value";

/** The functions of a kind of template. */
export type TemplateFunctions = ReadonlyMap<string, TemplateFunction>;

const lettersAndDigits = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
/** How many characters of a hash `truncate_sha256` puts at the end. */
const hashLength = 8;

/**
 * The functions of templates for user names: those of the language and those of the service.
 *
 * @param now the present time, in milliseconds since 1970
 */
export function usernameFunctions(now: () => number): TemplateFunctions {
  return new Map<string, TemplateFunction>([
    ...builtIns,
    ["random", (length) => randomText(integerOf(length))],
    ["truncate", (length, text) => truncate(integerOf(length), textOf(text))],
    ["truncate_sha256", (length, text) => truncateWithHash(integerOf(length), textOf(text))],
    ["uppercase", (text) => textOf(text).toUpperCase()],
    ["lowercase", (text) => textOf(text).toLowerCase()],
    ["replace", (from, to, text) => textOf(text).replaceAll(textOf(from), () => textOf(to))],
    ["sha256", (text) => sha256(octetsOf(text))],
    ["base64", (text) => octetsOf(text).toString("base64")],
    ["unix_time", () => String(Math.floor(now() / 1_000))],
    ["unix_time_millis", () => String(Math.floor(now()))],
    ["timestamp", (layout) => formatTime(new Date(now()), textOf(layout))],
    ["uuid", () => randomUUID()],
  ]);
}

/** The functions of templates for LDIF. */
export function ldifFunctions(now: () => number): TemplateFunctions {
  return new Map<string, TemplateFunction>([
    ...usernameFunctions(now),
    ["utf16le", (text) => Buffer.from(textOf(text), "utf16le")],
  ]);
}

function randomText(length: number): string {
  if (length < 0 || length > 10_000) {
    throw new FunctionError(`cannot generate ${length} random characters`);
  }
  return Array.from({ length }, () => lettersAndDigits[randomInt(lettersAndDigits.length)]).join("");
}

function truncate(length: number, text: string): string {
  if (length <= 0) {
    throw new FunctionError(`max length must be > 0 but was ${length}`);
  }
  return Array.from(text).slice(0, length).join("");
}

function truncateWithHash(length: number, text: string): string {
  if (length <= hashLength) {
    throw new FunctionError(`max length must be > ${hashLength} but was ${length}`);
  }
  const characters = Array.from(text);
  if (characters.length <= length) {
    return text;
  }
  const kept = characters.slice(0, length - hashLength).join("");
  const cut = characters.slice(length - hashLength).join("");
  return kept + sha256(Buffer.from(cut, "utf8")).slice(0, hashLength);
}

function sha256(octets: Buffer): string {
  return createHash("sha256").update(octets).digest("hex");
}
