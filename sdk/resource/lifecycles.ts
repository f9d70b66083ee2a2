import { silenceEmptyReports } from "../engine/reports";
import { LifecycleError } from "./failure";
import { createLifecycle, type Lifecycle } from "./lifecycle";
import { definitionOf } from "./registry";

/**
 * Makes the lifecycles of one provider process, each when it is first asked for.
 *
 * @param load loads a module of the library: `secrets/mfa/totp-method`
 * @returns finds the lifecycle of a type, `service[/engine]:Type`
 */
export function lifecycles(load: (module: string) => object): (type: string) => Lifecycle {
  const known = new Map<string, Lifecycle>();
  return (type) => {
    const definition = known.has(type) ? undefined : definitionOf(type, load);
    if (definition !== undefined) {
      known.set(type, createLifecycle(definition));
    }
    const lifecycle = known.get(type);
    if (lifecycle === undefined) {
      silenceEmptyReports();
      throw new LifecycleError(
        `The installed pulumi-trivium has no resource type ${type}: the state was written by a newer ` +
          "version. Upgrade pulumi-trivium in this project.",
      );
    }
    return lifecycle;
  };
}
