import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { isObject, type JsonObject, type JsonValue } from "../base/json";
import { requireFromSdk } from "../engine/sdk-modules";
import { hiddenKeys, withoutHidden } from "../resource/hidden";
import { secretWithin } from "../resource/secret";

/**
 * Properties as the engine sends them: values in clear text, and the names of those that it keeps encrypted.
 */
export interface Received {
  readonly values: JsonObject;
  readonly secrets: readonly string[];
}

/** Takes properties out of a message. */
export function received(struct: Struct | undefined): Received {
  const secrets: string[] = [];
  const values = Object.entries(struct?.toJavaScript() ?? {}).map(([name, value]) => {
    const clear = inClear(value, () => secrets.push(name));
    return [name, clear] as const;
  });
  return { values: Object.fromEntries(values), secrets };
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

/**
 * Properties as a lifecycle takes them. What state has hidden of them for a dynamic provider comes with each call here.
 */
export function forLifecycle(struct: Struct | undefined, urn: string): JsonObject {
  const { values, secrets } = received(struct);
  const { [hiddenKeys.urn]: _urn, [hiddenKeys.secrets]: _secrets, ...own } = values;
  return {
    ...own,
    [hiddenKeys.urn]: urn,
    ...(secrets.length === 0 ? {} : { [hiddenKeys.secrets]: [...new Set(secrets)] }),
  };
}

/** The inputs that a program gives, without what only the library sees. */
export function argumentsOf(struct: Struct | undefined): JsonObject {
  return withoutHidden(received(struct).values);
}

/** Puts what a lifecycle returned into a message, without the inputs that every call adds. */
export function toStruct(values: JsonObject): Struct {
  const { [hiddenKeys.urn]: _urn, [hiddenKeys.secrets]: _secrets, __provider: _provider, ...own } = values;
  const { Struct: Message } = requireFromSdk<typeof import("google-protobuf/google/protobuf/struct_pb")>(
    "google-protobuf/google/protobuf/struct_pb",
  );
  return Message.fromJavaScript(own);
}
