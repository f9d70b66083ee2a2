/**
 * What the engine's provider process requires to manage resources. State written by any version of the library
 * names this module and this function, so neither may ever be renamed or change its meaning.
 *
 * Programs import `pulumi-trivium`, never this.
 */
import type { dynamic } from "@pulumi/pulumi";
import { silenceEmptyReports } from "./engine/reports";
import { LifecycleError } from "./resource/failure";
import { createLifecycle } from "./resource/lifecycle";
import { definitionOf } from "./resource/registry";

const lifecycles = new Map<string, dynamic.ResourceProvider>();

/**
 * The lifecycle of one type of resource.
 *
 * @param type `service[/engine]:Type` as it stands in state, for example `provisioning:Project`
 * @throws LifecycleError when this version of the library does not know the type
 */
export function provider(type: string): dynamic.ResourceProvider {
  const known = lifecycles.get(type);
  if (known !== undefined) {
    return known;
  }
  const definition = definitionOf(type, (module) => require(`./${module}`) as object);
  if (definition === undefined) {
    silenceEmptyReports();
    throw new LifecycleError(
      `The installed pulumi-trivium does not know the resource type ${type}: the state was written by a newer ` +
        "version. Upgrade pulumi-trivium in this project.",
    );
  }
  const lifecycle = createLifecycle(definition);
  lifecycles.set(type, lifecycle);
  return lifecycle;
}
