import { createHash, randomInt, randomUUID } from "node:crypto";
import { builtIns } from "./built-ins";
import { templateFunction, type TemplateFunction } from "./function";
import { FunctionError } from "./template-error";
import { formatTime } from "./time-layout";

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
  return new Map([
    ...builtIns,
    ["random", templateFunction(["integer"], randomText)],
    ["truncate", templateFunction(["integer", "text"], truncate)],
    ["truncate_sha256", templateFunction(["integer", "text"], truncateWithHash)],
    ["uppercase", templateFunction(["text"], (text) => text.toUpperCase())],
    ["lowercase", templateFunction(["text"], (text) => text.toLowerCase())],
    [
      "replace",
      templateFunction(["text", "text", "text"], (from, to, text) => text.replaceAll(from, () => to)),
    ],
    ["sha256", templateFunction(["octets"], sha256)],
    ["base64", templateFunction(["octets"], (octets) => octets.toString("base64"))],
    ["unix_time", templateFunction([], () => String(Math.floor(now() / 1_000)))],
    ["unix_time_millis", templateFunction([], () => String(Math.floor(now())))],
    ["timestamp", templateFunction(["text"], (layout) => formatTime(new Date(now()), layout))],
    ["uuid", templateFunction([], () => randomUUID())],
  ]);
}

/** The functions of templates for LDIF. */
export function ldifFunctions(now: () => number): TemplateFunctions {
  return new Map([
    ...usernameFunctions(now),
    ["utf16le", templateFunction(["text"], (text) => Buffer.from(text, "utf16le"))],
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
