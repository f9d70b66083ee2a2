/**
 * State of any version requires this module and `provider` by name in the engine's provider process: neither may be
 * renamed or change its meaning.
 */
import { createRequire } from "node:module";
import type { dynamic } from "@pulumi/pulumi";
import { succeeds } from "./base/errors";
import type { JsonObject } from "./base/json";
import { runningSdk } from "./engine/calls";
import { hiddenKeys, isProviderStub } from "./resource/state/protocol";
import { lifecycles } from "./resource/lifecycle/lifecycle";

/** By message: the getter of the properties that the SDK's server passes to a hook. */
const getters = {
  CheckRequest: "getNews",
  DiffRequest: "getNews",
  CreateRequest: "getProperties",
  UpdateRequest: "getNews",
  ReadRequest: "getProperties",
  DeleteRequest: "getProperties",
} as const;

/** Whether the engine's calls carry the URN; otherwise state must. */
const callsHaveUrns = nameCalls();

/** The lifecycle of a resource type, named as in state: `provisioning:Project`. */
export const provider: (type: string) => dynamic.ResourceProvider = lifecycles(
  (module) => require(`./${module}`) as object,
  (lifecycle) => ({
    ...lifecycle,
    async check(olds: JsonObject, news: JsonObject) {
      const { inputs, failures } = await lifecycle.check(olds, news);
      const { [hiddenKeys.urn]: _urn, ...unnamed } = inputs;
      return { inputs: callsHaveUrns ? unnamed : inputs, failures };
    },
    async diff(id, olds: JsonObject, news: JsonObject) {
      if (!wroteLast(olds)) {
        // Refresh and destroy look for the serialized provider in the outputs: an update puts it there.
        return { ...(await lifecycle.diff(id, olds, news, { former: {} })), changes: true };
      }
      return lifecycle.diff(id, olds, news);
    },
    update: (id, olds: JsonObject, news: JsonObject) =>
      lifecycle.update(id, olds, news, wroteLast(olds) ? {} : { former: {}, isComplete: true }),
  }),
);

/** Only dynamic providers write this property. */
function wroteLast(outputs: JsonObject): boolean {
  return typeof outputs.__provider === "string";
}

type Message = Readonly<Record<string, unknown>>;

interface Properties {
  toJavaScript(): Readonly<Record<string, unknown>>;
}

/**
 * Adds the URN of each call to the properties that hooks get, because the SDK's server does not pass it on.
 * In state it would take as much space as everything else that the library stores.
 */
function nameCalls(): boolean {
  const directory = runningSdk();
  if (directory === undefined) {
    return false;
  }
  return succeeds(() => {
    const messages = createRequire(`${directory}/`)("./proto/provider_pb") as Readonly<
      Record<string, { readonly prototype: Message } | undefined>
    >;
    const changes = Object.entries(getters).map(([message, getter]) => {
      // State of earlier versions contains a URN, which a refresh must return unchanged.
      const keepsStored = message === "ReadRequest" || message === "DeleteRequest";
      return changeOf(messages[message]?.prototype, getter, keepsStored);
    });
    changes.forEach((change) => change());
  });
}

function changeOf(prototype: Message | undefined, getter: string, keepsStored: boolean): () => void {
  const { [getter]: former, getUrn } = prototype ?? {};
  if (typeof former !== "function" || typeof getUrn !== "function") {
    throw new TypeError(`The SDK's messages have no ${getter}, or no URN.`);
  }
  const changed = function (this: Message): Properties | undefined {
    const found = former.call(this) as Properties | undefined;
    const properties = found?.toJavaScript() ?? {};
    const urn: unknown = getUrn.call(this);
    // The process also serves other providers.
    if (found === undefined || urn === "" || !isProviderStub(properties.__provider)) {
      return found;
    }
    const named = { [hiddenKeys.urn]: urn };
    return { toJavaScript: () => (keepsStored ? { ...named, ...properties } : { ...properties, ...named }) };
  };
  return () => void Object.defineProperty(prototype, getter, { value: changed, configurable: true });
}
