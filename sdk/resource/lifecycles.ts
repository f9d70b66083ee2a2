import { silenceEmptyReports } from "../engine/reports";
import { LifecycleError } from "./failure";
import { createLifecycle, type Lifecycle } from "./lifecycle";
import { definitionOf } from "./registry";

/**
 * Makes the lifecycles of one provider process, each when it is first asked for.
 *
 * @param load loads a module of the library: `secrets/mfa/totp-method`
 * @param adapt makes of a lifecycle what the engine calls
 * @returns finds what was made for a type, `service[/engine]:Type`
 */
export function lifecycles<Adapted>(
  load: (module: string) => object,
  adapt: (lifecycle: Lifecycle) => Adapted,
): (type: string) => Adapted {
  const known = new Map<string, Adapted>();
  return (type) => {
    const found = known.get(type);
    if (found !== undefined) {
      return found;
    }
    const definition = definitionOf(type, load);
    if (definition === undefined) {
      silenceEmptyReports();
      throw new LifecycleError(
        `The installed pulumi-trivium has no resource type ${type}: the state was written by a newer ` +
          "version. Upgrade pulumi-trivium in this project.",
      );
    }
    const adapted = adapt(createLifecycle(definition));
    known.set(type, adapted);
    return adapted;
  };
}
