import { createRequire } from "node:module";
import { runningSdk } from "./process";

type Message = Readonly<Record<string, unknown>>;

interface Properties {
  toJavaScript(): Readonly<Record<string, unknown>>;
}

/** Getters for the properties that the SDK's server passes to a hook. */
const desired = {
  CheckRequest: "getNews",
  DiffRequest: "getNews",
  CreateRequest: "getProperties",
  UpdateRequest: "getNews",
} as const;
/** State of earlier versions contains a URN, which a refresh must return unchanged. */
const stored = { ReadRequest: "getProperties", DeleteRequest: "getProperties" } as const;

/**
 * Adds the URN of each call to the properties that hooks get, because the SDK's server does not pass it on.
 * In state it would take as much space as everything else that the library stores.
 *
 * @param isOurs recognizes our provider texts: the process also serves other providers
 * @returns whether it succeeded; otherwise, the properties themselves must contain the URN
 */
export function nameCalls(name: string, isOurs: (provider: unknown) => boolean): boolean {
  const directory = runningSdk();
  if (directory === undefined) {
    return false;
  }
  try {
    const messages = createRequire(`${directory}/`)("./proto/provider_pb") as Readonly<
      Record<string, { readonly prototype: Message } | undefined>
    >;
    const changes = [
      ...Object.entries(desired).map((entry) => [...entry, true] as const),
      ...Object.entries(stored).map((entry) => [...entry, false] as const),
    ].map(([message, getter, replaces]) =>
      changeOf(messages[message]?.prototype, getter, { name, isOurs, replaces }),
    );
    changes.forEach((change) => change());
    return true;
  } catch {
    return false;
  }
}

interface Change {
  readonly name: string;
  readonly isOurs: (provider: unknown) => boolean;
  readonly replaces: boolean;
}

function changeOf(
  prototype: Message | undefined,
  getter: string,
  { name, isOurs, replaces }: Change,
): () => void {
  const { [getter]: former, getUrn } = prototype ?? {};
  if (typeof former !== "function" || typeof getUrn !== "function") {
    throw new TypeError(`The SDK's messages have no ${getter}, or no URN.`);
  }
  const changed = function (this: Message): Properties | undefined {
    const found = former.call(this) as Properties | undefined;
    const properties = found?.toJavaScript() ?? {};
    const urn: unknown = getUrn.call(this);
    if (found === undefined || urn === "" || !isOurs(properties.__provider)) {
      return found;
    }
    return {
      toJavaScript: () => (replaces ? { ...properties, [name]: urn } : { [name]: urn, ...properties }),
    };
  };
  return () => void Object.defineProperty(prototype, getter, { value: changed, configurable: true });
}
