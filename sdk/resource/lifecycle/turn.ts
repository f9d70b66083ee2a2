import { KeyedMutex } from "../../base/timing";
import { serviceOf, type ServiceConnection } from "../../connection/connect";
import { aloneOnMachine } from "../../engine/machine-lock";
import type { DefinitionIn, Step } from "../definition";

const turns = new KeyedMutex();

/** Does the work once nothing else has the turn that the definition names. */
export function inTurn<Result>(
  definition: DefinitionIn,
  { settings }: ServiceConnection,
  step: Step<never>,
  values: Record<string, unknown>,
  work: () => Promise<Result>,
): Promise<Result> {
  const own = definition.turn?.(step, values);
  if (typeof own !== "string") {
    return own === undefined ? work() : own.run(work);
  }
  const key = `${serviceOf(settings)} ${own}`;
  return definition.writesParts === true ? aloneOnMachine(step, key, work) : turns.run(key, work);
}
