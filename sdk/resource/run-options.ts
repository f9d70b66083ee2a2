import type { JsonObject, JsonValue } from "../base/json";
import { isObject } from "../base/json";
import { hiddenKeys } from "./hidden";

/** What a definition remembered of an object, in an entry of the stack's state. */
export interface InheritedMemory {
  /** The identity of the service that the object was made at. */
  readonly at: string;
  readonly memory: JsonObject;
  /** The arguments that the program gave then. */
  readonly managed: readonly string[];
}

/**
 * What only the program knows of a resource and the provider process needs in the same run. It comes as a hidden input,
 * which check takes out, so that state never has it.
 */
export interface RunOptions {
  /** The arguments in the resource's `ignoreChanges`. */
  readonly ignored: readonly string[];
  /** The program asks for a replacement when the resource's connection leads to another service. */
  readonly followsProvider: boolean;
  /** What entries of the state remember of the same object. */
  readonly inherited: readonly InheritedMemory[];
}

/** What counts for a resource whose program says nothing special. */
export const noRunOptions: RunOptions = { ignored: [], followsProvider: false, inherited: [] };

/** Takes the options of the run out of a resource's inputs. */
export function takeRunOptions(inputs: JsonObject): {
  readonly inputs: JsonObject;
  readonly run: RunOptions;
} {
  const { [hiddenKeys.run]: run, ...others } = inputs;
  return isObject(run)
    ? { inputs: others, run: { ...noRunOptions, ...(run as Partial<RunOptions>) } }
    : { inputs, run: noRunOptions };
}

/** The options of the run as a hidden input; `undefined` where there is nothing to say. */
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
