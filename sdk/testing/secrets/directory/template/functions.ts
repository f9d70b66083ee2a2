import { createHash, randomUUID } from "node:crypto";
import { lettersAndDigits, randomText } from "../../../tokens";
import { builtIns, type TemplateFunction } from "./built-ins";
import { formatTime } from "./time-layout";
import { bytesValue, decoded, encoded, FunctionError, runesOf, textValue, type Value } from "./values";

export type TemplateFunctions = ReadonlyMap<string, TemplateFunction>;

/** Characters of the hash at the end of what `truncate_sha256` returns. */
const hashLength = 8;

const ofText = (change: (bytes: string) => string): TemplateFunction => ({
  parameters: ["string"],
  call: (...[text]) => bytesValue(change(bytesOf(text))),
});
const ofLength = (change: (length: number, bytes: string) => string): TemplateFunction => ({
  parameters: ["int", "string"],
  call: (...[length, text]) => bytesValue(change(integerOf(length), bytesOf(text))),
});
const ofNothing = (make: () => string): TemplateFunction => ({
  parameters: [],
  call: () => textValue(make()),
});

/** @param now the current time, in milliseconds since 1970 */
export function usernameFunctions(now: () => number): TemplateFunctions {
  return new Map<string, TemplateFunction>([
    ...builtIns,
    ["random", { parameters: ["int"], call: (...[length]) => textValue(random(integerOf(length))) }],
    ["truncate", ofLength(truncate)],
    ["truncate_sha256", ofLength(truncateWithHash)],
    ["uppercase", ofText((bytes) => encoded(decoded(bytes).toUpperCase()))],
    ["lowercase", ofText((bytes) => encoded(decoded(bytes).toLowerCase()))],
    [
      "replace",
      {
        parameters: ["string", "string", "string"],
        call: (...[from, to, text]) => bytesValue(replace(bytesOf(from), bytesOf(to), bytesOf(text))),
      },
    ],
    ["sha256", ofText(sha256)],
    ["base64", ofText((bytes) => Buffer.from(bytes, "latin1").toString("base64"))],
    ["unix_time", ofNothing(() => String(Math.floor(now() / 1_000)))],
    ["unix_time_millis", ofNothing(() => String(Math.floor(now())))],
    ["timestamp", ofText((layout) => formatTime(new Date(now()), layout))],
    ["uuid", ofNothing(randomUUID)],
  ]);
}

export function ldifFunctions(now: () => number): TemplateFunctions {
  return new Map<string, TemplateFunction>([
    ...usernameFunctions(now),
    ["utf16le", ofText((bytes) => Buffer.from(decoded(bytes), "utf16le").toString("latin1"))],
  ]);
}

function bytesOf(value: Value | undefined): string {
  return value?.type === "string" ? value.bytes : "";
}

function integerOf(value: Value | undefined): number {
  return value !== undefined && "number" in value ? Number(value.number) : 0;
}

function random(length: number): string {
  if (length < 0 || length > 10_000) {
    throw new FunctionError(`cannot generate ${length} random characters`);
  }
  return randomText(length, lettersAndDigits);
}

/** An empty string is found before every character and at the end. */
function replace(from: string, to: string, text: string): string {
  const characters = runesOf(text).map(({ bytes }) => bytes);
  return from === "" ? ["", ...characters, ""].join(to) : text.replaceAll(from, () => to);
}

function truncate(length: number, bytes: string): string {
  if (length <= 0) {
    throw new FunctionError(`max length must be > 0 but was ${length}`);
  }
  return joined(runesOf(bytes).slice(0, length));
}

function truncateWithHash(length: number, bytes: string): string {
  if (length <= hashLength) {
    throw new FunctionError(`max length must be > ${hashLength} but was ${length}`);
  }
  const runes = runesOf(bytes);
  if (runes.length <= length) {
    return bytes;
  }
  const kept = joined(runes.slice(0, length - hashLength));
  return kept + sha256(joined(runes.slice(length - hashLength))).slice(0, hashLength);
}

function joined(runes: readonly { readonly bytes: string }[]): string {
  return runes.map(({ bytes }) => bytes).join("");
}

function sha256(bytes: string): string {
  return createHash("sha256").update(bytes, "latin1").digest("hex");
}
