import { type JsonObject, type JsonValue, isObject, toJson } from "../../base/json";

/** Hidden inputs and outputs: absent from plans, present in exported state, so never a secret or its hash. */
export const hiddenKeys = {
  /** The managed arguments: see `outputs.ts`. */
  managed: "__managed",
  /** The service where the object was created. With the prefix {@link managesAll}, it replaces `managed`. */
  at: "__at",
  /** Data that a definition stores about an object. */
  memory: "__memory",
  /**
   * The resource's URN: whole if it is from the engine's call (`engine/calls.ts`), otherwise the short one that the
   * program sends. Only a short one is written to state. A refresh with drift returns it, or it would show as removed.
   */
  urn: "__urn",
  /** Input and output: the names of the arguments that the program marked as secret. */
  secrets: "__secrets",
  /** After a manual replacement, distinguishes an adopted object's entry from the former one with the same URN. */
  generation: "__generation",
  /** Input: the options of this run (`RunOptions`). Check removes it, so it is never in state. */
  run: "__run",
} as const;

/** Prefix of {@link hiddenKeys.at}: the program manages all arguments that the outputs have. */
export const managesAll = "*";

const hiddenNames: ReadonlySet<string> = new Set([...Object.values(hiddenKeys), "__provider"]);

export function withoutHidden(values: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(values).filter(([key]) => !hiddenNames.has(key)));
}

/** From the inputs themselves, or from the outputs in state that store them. */
export function hiddenInputsOf(values: JsonObject): JsonObject {
  const { [hiddenKeys.urn]: urn, [hiddenKeys.secrets]: secrets } = values;
  return {
    ...(urn === undefined || isWholeUrn(urn) ? {} : { [hiddenKeys.urn]: urn }),
    ...(secrets === undefined ? {} : { [hiddenKeys.secrets]: secrets }),
  };
}

export function generationOf(outputs: JsonObject): string | undefined {
  const generation = outputs[hiddenKeys.generation];
  return typeof generation === "string" ? generation : undefined;
}

/**
 * The `__provider` input, which the engine's provider process evaluates. Neither this text nor the module it names may
 * ever change: it is in the state of users, and every version must manage the state of all earlier ones.
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

const prefix = "urn:pulumi:";
const separator = "::";

export function isWholeUrn(value: unknown): boolean {
  return typeof value === "string" && value.startsWith(prefix);
}

/** `dev::shop::acme:Team::payments`, or `dev::shop::::payments` without a parent: the resource's type is implied. */
export function shortUrn(urn: string): string {
  if (!urn.startsWith(prefix)) {
    return urn;
  }
  const [stack = "", project = "", types = "", ...name] = urn.slice(prefix.length).split(separator);
  const end = types.lastIndexOf("$");
  const parents = types.slice(0, Math.max(0, end));
  return [stack, project, parents, ...name].join(separator);
}

/** Completes a short URN with the type; versions up to 0.1.0 wrote the whole one. */
export function urnIn(values: JsonObject, type: string): string | undefined {
  const { __urn: stored } = values;
  if (typeof stored !== "string") {
    return undefined;
  }
  const [stack = "", project = "", parents, ...name] = stored.split(separator);
  return stored.startsWith(prefix) || parents === undefined || name.length === 0
    ? stored
    : [
        prefix + stack,
        project,
        (parents === "" ? "" : `${parents}$`) + typeToken(type),
        name.join(separator),
      ].join(separator);
}

export interface InheritedState {
  /** The service where the object was created. */
  readonly at: string;
  readonly privateState: JsonObject;
  readonly managed: readonly string[];
}

/** For the provider process in the same run: a hidden input that check removes, so that it is never in state. */
export interface RunOptions {
  /** From `ignoreChanges`. */
  readonly ignored: readonly string[];
  /** The program asks for a replacement when the connection leads to another service. */
  readonly followsProvider: boolean;
  readonly inherited: readonly InheritedState[];
}

export const noRunOptions: RunOptions = { ignored: [], followsProvider: false, inherited: [] };

export function takeRunOptions(inputs: JsonObject): {
  readonly inputs: JsonObject;
  readonly run: RunOptions;
} {
  const { [hiddenKeys.run]: run, ...others } = inputs;
  return isObject(run)
    ? { inputs: others, run: { ...noRunOptions, ...(run as Partial<RunOptions>) } }
    : { inputs, run: noRunOptions };
}

export function runInput(run: RunOptions): JsonValue | undefined {
  const unusual = Object.entries(run).filter(([, value]) =>
    Array.isArray(value) ? value.length > 0 : value,
  );
  return unusual.length === 0 ? undefined : toJson(Object.fromEntries(unusual));
}

/** Marks an object of the engine's protocol that is not plain data. */
export const signatureKey = "4dabf18193072939515e22adb298388d";
/** For secrets, which the engine stores encrypted. */
const secretSignature = "1b47061264138c4ac30d75fd1eb44270";

export function wrapSecret(value: JsonValue): JsonObject {
  return isWrappedSecret(value) ? value : { [signatureKey]: secretSignature, value };
}

function isWrappedSecret(value: JsonValue): value is JsonObject {
  return isObject(value) && value[signatureKey] === secretSignature;
}

/** The value itself and all values in it. They may be deep or cyclic. */
function valuesWithin(value: unknown): readonly unknown[] {
  const found = [value];
  const seen = new Set<unknown>();
  for (const next of found) {
    if ((Array.isArray(next) || isObject(next)) && !seen.has(next)) {
      seen.add(next);
      for (const inner of Object.values(next)) {
        found.push(inner);
      }
    }
  }
  return found;
}

export function textsWithin(value: unknown): string[] {
  return valuesWithin(value).filter((each) => typeof each === "string");
}

export function secretWithin(value: JsonValue): JsonValue | undefined {
  return isWrappedSecret(value) ? (value.value ?? null) : undefined;
}

/** The engine's placeholder in a preview for an unknown value of any type. */
export const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** One per type. Node.js programs only send the first; the others come from the engine and from other languages. */
const unknownSentinels: ReadonlySet<unknown> = new Set([
  unknownValue, // any, and string
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7", // boolean
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421", // number
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2", // array
  "030794c1-ac77-496b-92df-f27374a8bd58", // asset
  "e48ece36-62e2-4504-bad9-02848725956a", // archive
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff", // object
]);

export function containsUnknown(value: unknown): boolean {
  return valuesWithin(value).some((each) => unknownSentinels.has(each));
}
