import assert from "node:assert/strict";
import { CallError, type Properties } from "./provider-process";

const signatureKey = "4dabf18193072939515e22adb298388d";
const secretSignature = "1b47061264138c4ac30d75fd1eb44270";

/** What the engine sends in previews for values that are not known yet. */
export const unknownValues = {
  string: "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
  boolean: "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  number: "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  array: "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  asset: "030794c1-ac77-496b-92df-f27374a8bd58",
  archive: "e48ece36-62e2-4504-bad9-02848725956a",
  object: "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
} as const;

type Value = Properties[string];

/** A value as the engine sends it when it is to be encrypted. */
export function secret(value: Value): Value {
  return { [signatureKey]: secretSignature, value };
}

/** As the engine passes properties to a provider that does not accept secrets; also of an export with secrets. */
export function inClear(properties: Properties): Properties {
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, clear(value)]));
}

function clear(value: Value): Value {
  if (Array.isArray(value)) {
    return value.map(clear);
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  const properties = value as Properties;
  if (properties[signatureKey] !== secretSignature) {
    return inClear(properties);
  }
  const { value: inner = null, plaintext } = properties;
  return typeof plaintext === "string" ? clear(JSON.parse(plaintext) as Value) : clear(inner);
}

export async function failureOf(call: Promise<unknown>): Promise<CallError> {
  const outcome = await call.then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );
  if (!("error" in outcome)) {
    assert.fail(`The call succeeded: ${JSON.stringify(outcome.result)}`);
  }
  if (!(outcome.error instanceof CallError)) {
    throw outcome.error;
  }
  return outcome.error;
}

/** The partial object of a creation that could not be completed. */
export async function partialOf(call: Promise<unknown>): Promise<NonNullable<CallError["partial"]>> {
  const failure = await failureOf(call);
  return failure.partial ?? assert.fail(`The object was lost: ${failure.message}`);
}

export function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(withoutSecrets);
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  return isMarked(value)
    ? "[secret]"
    : Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutSecrets(inner)]));
}

export function isMarked(value: unknown): boolean {
  return typeof value === "object" && value !== null && signatureKey in value;
}
