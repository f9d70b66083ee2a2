import type * as Calling from "./calling";
import type { FunctionOptions, ScriptFunctionOptions } from "./options";

export type { FunctionOptions, ScriptFunctionOptions };

/** Loaded with the first call, because most programs only declare resources. */
const calling = (): typeof Calling => require("./calling") as typeof Calling;

/** @internal */
export const callFunction: typeof Calling.callFunction = async (...call) => calling().callFunction(...call);

/** @internal */
export const callInScript: typeof Calling.callInScript = async (...call) => calling().callInScript(...call);

/** @internal */
export const callFunctionOutput: typeof Calling.callFunctionOutput = (...call) =>
  calling().callFunctionOutput(...call);
