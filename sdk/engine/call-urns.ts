import { createRequire } from "node:module";
import { succeeds } from "../base/errors";
import type { JsonObject } from "../base/json";
import { runningSdk } from "./process";

/** For each message, the getter of the properties that the SDK's server passes to a hook. */
const getters = {
  CheckRequest: "getNews",
  DiffRequest: "getNews",
  CreateRequest: "getProperties",
  UpdateRequest: "getNews",
  ReadRequest: "getProperties",
  DeleteRequest: "getProperties",
} as const;

type Message = Readonly<Record<string, unknown>>;

/**
 * Adds what follows from the URN of the call to the properties that hooks receive: the SDK's server does not
 * pass on the URN.
 *
 * @returns false if the SDK's messages cannot be changed
 */
export function extendCalls(extended: (properties: JsonObject, urn: string) => JsonObject): boolean {
  const directory = runningSdk();
  if (directory === undefined) {
    return false;
  }
  return succeeds(() => {
    const messages = createRequire(`${directory}/`)("./proto/provider_pb") as Readonly<
      Record<string, { readonly prototype: Message } | undefined>
    >;
    const changes = Object.entries(getters).map(([message, getter]) =>
      changeOf(messages[message]?.prototype, getter, extended),
    );
    changes.forEach((change) => change());
  });
}

function changeOf(
  prototype: Message | undefined,
  getter: string,
  extended: (properties: JsonObject, urn: string) => JsonObject,
): () => void {
  const { [getter]: former, getUrn } = prototype ?? {};
  if (typeof former !== "function" || typeof getUrn !== "function") {
    throw new TypeError(`The SDK's messages have no ${getter}, or no URN.`);
  }
  const changed = function (this: Message): unknown {
    const found: unknown = former.call(this);
    const urn: unknown = getUrn.call(this);
    const { toJavaScript } = Object(found) as { readonly toJavaScript?: unknown };
    if (typeof toJavaScript !== "function" || typeof urn !== "string" || urn === "") {
      return found;
    }
    const properties = (): JsonObject => extended(toJavaScript.call(found) as JsonObject, urn);
    return Object.create(found as object, { toJavaScript: { value: properties } }) as unknown;
  };
  return () => void Object.defineProperty(prototype, getter, { value: changed, configurable: true });
}
