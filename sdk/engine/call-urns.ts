import { createRequire } from "node:module";
import { runningSdk } from "./process";

/** A message of the engine, with a URN and several sets of properties. */
type Message = Readonly<Record<string, unknown>>;

interface Properties {
  toJavaScript(): Readonly<Record<string, unknown>>;
}

/** Where the messages of the engine have the properties that the SDK's server passes to a hook. */
const desired = {
  CheckRequest: "getNews",
  DiffRequest: "getNews",
  CreateRequest: "getProperties",
  UpdateRequest: "getNews",
} as const;
/** State of earlier versions has a URN, which a refresh returns as it is. */
const stored = { ReadRequest: "getProperties", DeleteRequest: "getProperties" } as const;

/**
 * Adds the URN of each call to the properties that the hooks of this process get: the SDK's server does not pass it on,
 * and in state it would cost as much as all else that the library stores. The call that has loaded this module has
 * already taken its properties.
 *
 * @param name of the added property
 * @param isOurs whether a provider text is one of the library: the process also serves other people's providers
 * @returns whether it does: otherwise, the properties themselves must have the URN
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
  /** Whether it replaces a URN that is there. */
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
