/**
 * State of any version requires this module and `provider` by name in the engine's provider process: neither may be
 * renamed or change its meaning.
 */
import type { dynamic } from "@pulumi/pulumi";
import type { JsonObject } from "./base/json";
import { nameCalls } from "./engine/calls";
import { hiddenKeys, isProviderStub } from "./resource/state/protocol";
import { lifecycles } from "./resource/lifecycle/lifecycle";

/** Whether the engine's calls carry the URN; otherwise state must. */
const callsHaveUrns = nameCalls(hiddenKeys.urn, isProviderStub);

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
