import type { JsonObject, JsonValue } from "../../base/json";
import { isObject } from "../../base/json";
import { hiddenKeys } from "../state/hidden";

/** What a definition stored about an object, in an entry of state. */
export interface InheritedMemory {
  /** The identity of the service where the object was created. */
  readonly at: string;
  readonly memory: JsonObject;
  /** The managed arguments at that time. */
  readonly managed: readonly string[];
}

/**
 * What only the program knows about a resource and the provider process needs in the same run. Passed as a
 * hidden input that check removes, so that it is never in state.
 */
export interface RunOptions {
  /** The arguments in the resource's `ignoreChanges`. */
  readonly ignored: readonly string[];
  /** The program asks for a replacement if the resource's connection leads to another service. */
  readonly followsProvider: boolean;
  /** What entries in state store for the same object. */
  readonly inherited: readonly InheritedMemory[];
}

/** The defaults. */
export const noRunOptions: RunOptions = { ignored: [], followsProvider: false, inherited: [] };

/** Removes the run options from the inputs of a resource. */
export function takeRunOptions(inputs: JsonObject): {
  readonly inputs: JsonObject;
  readonly run: RunOptions;
} {
  const { [hiddenKeys.run]: run, ...others } = inputs;
  return isObject(run)
    ? { inputs: others, run: { ...noRunOptions, ...(run as Partial<RunOptions>) } }
    : { inputs, run: noRunOptions };
}

/** The run options as a hidden input; `undefined` if they are the defaults. */
export function runInput({ ignored, followsProvider, inherited }: RunOptions): JsonValue | undefined {
  const said = {
    ...(ignored.length === 0 ? {} : { ignored }),
    ...(followsProvider ? { followsProvider } : {}),
    ...(inherited.length === 0
      ? {}
      : { inherited: inherited.map(({ at, memory, managed }) => ({ at, memory, managed })) }),
  };
  return Object.keys(said).length === 0 ? undefined : said;
}
