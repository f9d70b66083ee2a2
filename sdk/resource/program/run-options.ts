import type { JsonObject, JsonValue } from "../../base/json";
import { isObject } from "../../base/json";
import { hiddenKeys } from "../state/hidden";

export interface InheritedMemory {
  /** The service where the object was created. */
  readonly at: string;
  readonly memory: JsonObject;
  readonly managed: readonly string[];
}

/** For the provider process in the same run: a hidden input that check removes, so that it is never in state. */
export interface RunOptions {
  /** From `ignoreChanges`. */
  readonly ignored: readonly string[];
  /** The program asks for a replacement when the connection leads to another service. */
  readonly followsProvider: boolean;
  readonly inherited: readonly InheritedMemory[];
}

export const noRunOptions: RunOptions = { ignored: [], followsProvider: false, inherited: [] };

export function takeRunOptions(inputs: JsonObject): {
  readonly inputs: JsonObject;
  readonly run: RunOptions;
} {
  const { [hiddenKeys.run]: run, ...others } = inputs;
  return isObject(run)
    ? { inputs: others, run: { ...noRunOptions, ...(run as Partial<RunOptions>) } }
    : { inputs, run: noRunOptions };
}

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
