import { type Adapter, typeWith } from "../engine/support/adapter";
import { type SharedStack, useSharedStack } from "../engine/support/shared-stack";
import type { Properties } from "../support/provider-process";
import { inClear } from "../support/values";
import type { Servers } from "./servers";

/** A stack on the secrets service. */
export function useStackOn(server: Servers["secrets"], name: string, adapter: Adapter): SharedStack {
  const stack = useSharedStack(`${name}-${adapter}`, () => ({}), { adapter });
  before(async () => {
    const { address = "", token = "", namespace } = server ?? {};
    await stack.setConfiguration("trivium:secretsAddress", address);
    await stack.setConfiguration("trivium:secretsDialect", "hashicorp");
    await stack.setConfiguration("trivium:secretsToken", token, true);
    await (namespace && stack.setConfiguration("trivium:secretsNamespace", namespace));
  });
  return stack;
}

/** The outputs of the only resource of a class, as texts in plain text. */
export async function outputsOf<Name extends string>(stack: SharedStack, adapter: Adapter, type: string) {
  const [entry] = await stack.resourcesInClear(typeWith(adapter, type));
  return inClear((entry?.outputs ?? {}) as Properties) as Readonly<Partial<Record<Name, string>>>;
}
