/**
 * What the engine's provider process requires to manage resources. State written by any version of the library
 * names this module and this function, so neither may ever be renamed or change its meaning.
 *
 * Programs import `pulumi-trivium`, never this.
 */
import type { dynamic } from "@pulumi/pulumi";
import type { JsonObject } from "./base/json";
import { nameCalls } from "./engine/call-urns";
import { hiddenKeys } from "./resource/state/hidden";
import { lifecycles } from "./resource/lifecycle/lifecycle";
import { isProviderStub } from "./resource/state/stub";

/** Whether each call has the URN, so that state need not. */
const callsHaveUrns = nameCalls(hiddenKeys.urn, isProviderStub);

/**
 * The lifecycle of one type of resource.
 *
 * @param type `service[/engine]:Type` as in state, for example `provisioning:Project`
 * @throws LifecycleError when this version of the library does not know the type
 */
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
        // Refresh and destroy look for the provider's text in the outputs: an update puts it there.
        return { ...(await lifecycle.diff(id, olds, news, { former: {} })), changes: true };
      }
      return lifecycle.diff(id, olds, news);
    },
    update: (id, olds: JsonObject, news: JsonObject) =>
      lifecycle.update(id, olds, news, wroteLast(olds) ? {} : { former: {}, isComplete: true }),
  }),
);

/** Whether an entry of the state was written by a dynamic provider, not by the plugin. */
function wroteLast(outputs: JsonObject): boolean {
  return typeof outputs.__provider === "string";
}
