import { isObject, type JsonObject, type JsonValue, mapped, textsIn, toJson } from "../../base/json";
import type { AnyResourceDefinition } from "../definition";
import {
  type Entry,
  type Managed,
  noRunOptions,
  type Program,
  type RunOptions,
  secretNames,
  unknown,
  valuesWithin,
} from "./entry";

/**
 * The encoding of the library's data in state and in the engine's protocol, for adapters and programs only.
 * Hidden inputs and outputs are absent from plans but present in exported state, so they never contain a
 * secret or its hash.
 */
const hiddenKeys = {
  /** How each argument is managed; see {@link Managed}. */
  managed: "__managed",
  /** The identity of the service where the object was created. */
  at: "__at",
  privateState: "__private",
  /** In inputs; in outputs only if the engine's calls do not contain it. */
  urn: "__urn",
  /** The names of the arguments that the program marked as secret. */
  secrets: "__secrets",
  generation: "__generation",
  /** In inputs only: the options of this run. Check removes them, so they are never in state. */
  run: "__run",
} as const;

const hiddenNames: ReadonlySet<string> = new Set([...Object.values(hiddenKeys), "__provider"]);

export function decodeEntry(stored: JsonObject): Entry {
  const { [hiddenKeys.managed]: managed, [hiddenKeys.privateState]: privateState } = stored;
  return {
    outputs: withoutHidden(stored),
    managed: isObject(managed) ? (managed as Managed) : undefined,
    privateState: isObject(privateState) ? privateState : {},
    service: textAt(stored, hiddenKeys.at),
    urn: textAt(stored, hiddenKeys.urn),
    generation: textAt(stored, hiddenKeys.generation),
    secrets: textsIn(stored[hiddenKeys.secrets]),
  };
}

/**
 * Without the URN and the marked secrets, which the plugin receives with each call; see {@link hiddenInputs}.
 */
export function encodeEntry(definition: AnyResourceDefinition, entry: Entry): JsonObject {
  const { managed, service, privateState, generation } = entry;
  const hidden: Readonly<Record<string, JsonValue | undefined>> = {
    [hiddenKeys.managed]: managed,
    [hiddenKeys.at]: service,
    [hiddenKeys.privateState]:
      Object.keys(privateState).length === 0 ? undefined : mapped(privateState, (value) => value),
    [hiddenKeys.generation]: generation,
  };
  return { ...encodeSecrets(definition, entry.outputs, entry.secrets), ...mapped(hidden, (value) => value) };
}

export function decodeProgram(inputs: JsonObject): Program {
  const run = inputs[hiddenKeys.run];
  return {
    args: mapped(withoutHidden(inputs), decodeUnknown),
    urn: textAt(inputs, hiddenKeys.urn),
    secrets: textsIn(inputs[hiddenKeys.secrets]),
    run: isObject(run) ? { ...noRunOptions, ...(run as Partial<RunOptions>) } : noRunOptions,
  };
}

/** In a preview, values can be unknown. */
export function encodeSecrets(
  definition: AnyResourceDefinition,
  values: JsonObject,
  marked: readonly string[] = [],
): JsonObject {
  const secrets = new Set([...secretNames(definition), ...marked]);
  return mapped(values, (value, name) => {
    const encoded = encodeUnknown(value);
    return secrets.has(name) && value !== null ? wrapSecret(encoded) : encoded;
  });
}

/**
 * What state and program contain in addition to the class's own values. Programs also pass outputs and
 * promises.
 */
export function hiddenInputs<Value>(values: {
  readonly urn?: Value | undefined;
  readonly secrets?: Value | undefined;
  readonly run?: Value | undefined;
}): Record<string, Value> {
  const { urn, secrets, run } = values;
  const hidden = { [hiddenKeys.urn]: urn, [hiddenKeys.secrets]: secrets, [hiddenKeys.run]: run };
  return mapped(hidden, (value) => value);
}

/** Only the options that are not the usual ones; `undefined` without any. */
export function encodeRun(run: RunOptions): JsonValue | undefined {
  const unusual = Object.entries(run).filter(([, value]) =>
    Array.isArray(value) ? value.length > 0 : value,
  );
  return unusual.length === 0 ? undefined : toJson(Object.fromEntries(unusual));
}

function withoutHidden(values: JsonObject): JsonObject {
  return mapped(values, (value, name) => (hiddenNames.has(name) ? undefined : value));
}

/** Whether the library has added this input. */
export function isHidden(name: string): boolean {
  return hiddenNames.has(name);
}

function textAt(values: JsonObject, key: string): string | undefined {
  const text = values[key];
  return typeof text === "string" ? text : undefined;
}

/**
 * The `__provider` input, which the engine's provider process evaluates. Neither this text nor the name of
 * the module must ever change: users' state contains both, and every version must manage the state of all
 * earlier ones.
 */
export function providerStub(type: string): string {
  return `${stubStart}${type}")`;
}

const stubStart = 'exports.handler=()=>require("pulumi-trivium/dynamic").provider("';

export function isProviderStub(text: unknown): boolean {
  return typeof text === "string" && text.startsWith(stubStart);
}

/** The engine requires this package for dynamic providers. */
export function typeToken(type: string): string {
  return `pulumi-nodejs:dynamic/trivium/${type}`;
}

export function pluginToken(type: string): string {
  return `trivium:${type}`;
}

/** The reverse of {@link pluginToken}. */
export function definitionType(token: string): string {
  return token.replace(pluginToken(""), "");
}

/**
 * The form of a URN or a type that is the same for both adapters: after a switch, one adapter deletes what
 * the other has replaced.
 */
export function inBothAdapters(urn: string): string {
  return urn.replaceAll(typeToken(""), pluginToken(""));
}

/** The URNs of an alias that a program sets, as in the state of either adapter. */
export const formsOfUrn: readonly ((urn: string) => string)[] = [
  inBothAdapters,
  (urn) => {
    const [scheme, stack, types = "", ...name] = urn.split("::");
    const chain = types.split("$").map((type) => {
      const own = pluginToken("");
      return type.startsWith(own) ? typeToken(type.slice(own.length)) : type;
    });
    return [scheme, stack, chain.join("$"), ...name].join("::");
  },
];

/** The key that marks a special object in the engine's protocol. */
export const signatureKey = "4dabf18193072939515e22adb298388d";
/** The value of this key for secrets, which the engine stores encrypted. */
const secretSignature = "1b47061264138c4ac30d75fd1eb44270";

export function wrapSecret(value: JsonValue): JsonObject {
  return isWrappedSecret(value) ? value : { [signatureKey]: secretSignature, value };
}

export function isWrappedSecret(value: unknown): value is JsonObject {
  return isObject(value) && value[signatureKey] === secretSignature;
}

export function secretWithin(value: JsonValue): JsonValue | undefined {
  return isWrappedSecret(value) ? (value.value ?? null) : undefined;
}

/** Values in plain text, and the names of those that the engine keeps encrypted. */
export function received(properties: JsonObject = {}) {
  // Fast path: most properties are strings and numbers.
  if (Object.values(properties).every((value) => typeof value !== "object" || value === null)) {
    return { values: properties, secrets: [] };
  }
  const secrets = new Set<string>();
  const values = Object.entries(properties).map(([name, value]): [string, JsonValue] => [
    name,
    inClear(value, () => secrets.add(name)),
  ]);
  return { values: Object.fromEntries(values), secrets: [...secrets] };
}

function inClear(value: JsonValue, found: () => void): JsonValue {
  const secret = secretWithin(value);
  if (secret !== undefined) {
    found();
    return inClear(secret, found);
  }
  if (Array.isArray(value)) {
    return value.map((item: JsonValue) => inClear(item, found));
  }
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, item]) => [name, inClear(item, found)]))
    : value;
}

/** The engine's placeholder in a preview for an unknown value of any type. */
const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/**
 * One placeholder per type. Node.js programs only send the first; the others come from the engine and from
 * other languages.
 */
const unknownSentinels: ReadonlySet<unknown> = new Set([
  unknownValue, // any, and string
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7", // boolean
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421", // number
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2", // array
  "030794c1-ac77-496b-92df-f27374a8bd58", // asset
  "e48ece36-62e2-4504-bad9-02848725956a", // archive
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff", // object
]);

function decodeUnknown(value: JsonValue): JsonValue {
  return replaced(value, (each) => unknownSentinels.has(each), unknown);
}

function encodeUnknown(value: JsonValue): JsonValue {
  return replaced(value, (each) => each === unknown, unknownValue);
}

/** Replaces all matching values, at any depth. */
function replaced(value: JsonValue, isMeant: (value: unknown) => boolean, by: JsonValue): JsonValue {
  if (isMeant(value)) {
    return by;
  }
  // Without a match, the value is not copied: a program might mistakenly pass a value that contains itself.
  if (typeof value !== "object" || value === null || !valuesWithin(value).some(isMeant)) {
    return value;
  }
  return Array.isArray(value)
    ? value.map((item: JsonValue) => replaced(item, isMeant, by))
    : mapped(value as JsonObject, (item) => replaced(item, isMeant, by));
}
