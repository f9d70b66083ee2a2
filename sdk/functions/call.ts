import type * as pulumi from "@pulumi/pulumi";
import type * as Calling from "./calling";
import type { FunctionDefinition } from "./definition";
import type { FunctionOptions, ScriptFunctionOptions } from "./options";

export type { FunctionOptions, ScriptFunctionOptions };

/** Loaded with the first call, because most programs only declare resources. */
const calling = (): typeof Calling => require("./calling") as typeof Calling;

/** @internal */
export async function callFunction<Client, Arguments, Result>(
  definition: FunctionDefinition<Client, Arguments, Result>,
  args: unknown,
  options?: FunctionOptions,
): Promise<Result> {
  return calling().callFunction(definition, args, options);
}

/**
 * @param resource the resource to use in a program: `provisioning.ProjectWorkspaces`
 * @internal
 */
export async function callInScript<Client, Arguments, Result>(
  definition: FunctionDefinition<Client, Arguments, Result>,
  resource: string,
  args: unknown,
  options?: ScriptFunctionOptions,
): Promise<Result> {
  return calling().callInScript(definition, resource, args, options);
}

/** @internal */
export function callFunctionOutput<Client, Arguments, Result>(
  definition: FunctionDefinition<Client, Arguments, Result>,
  args: pulumi.Inputs,
  options?: pulumi.InvokeOutputOptions,
): pulumi.Output<Result> {
  return calling().callFunctionOutput(definition, args, options);
}
