import type * as pulumi from "@pulumi/pulumi";
import type * as Calling from "./calling";
import type { FunctionDefinition } from "./definition";
import type { FunctionOptions, ScriptFunctionOptions } from "./options";

export type { FunctionOptions, ScriptFunctionOptions };

type AnyFunction<Result> = FunctionDefinition<unknown, unknown, Result>;

/** Arguments that can be `undefined` can be omitted. */
type CallParameters<Args, Options> = undefined extends Args
  ? [args?: Args, options?: Options]
  : [args: Args, options?: Options];

/** Loaded with the first call, because most programs only declare resources. */
const calling = (): typeof Calling => require("./calling") as typeof Calling;

/** @param name as written in a program: `provisioning.getProject` */
function named<Form>(name: string, form: Form): Form {
  return Object.defineProperty(form, "name", { value: name.slice(name.lastIndexOf(".") + 1) });
}

/** @internal */
export function promiseForm<Args, Result>(definition: AnyFunction<Result>) {
  const form = named(
    definition.name,
    async (...[args, options]: CallParameters<Args, FunctionOptions>): Promise<Result> =>
      calling().callFunction(definition, args, options),
  );
  // The provider plugin wraps such a result.
  return Object.defineProperty(form, "isSecret", { value: definition.secret === true });
}

/** @internal */
export function outputForm<Args, Result>(definition: AnyFunction<Result>) {
  return named(
    `${definition.name}Output`,
    (...[args, options]: CallParameters<Args, pulumi.InvokeOutputOptions>): pulumi.Output<Result> =>
      calling().callFunctionOutput(definition, { ...args }, options),
  );
}

/** @internal */
export function scriptForm<Args, Result = void>(definition: AnyFunction<Result>, resource: string) {
  return named(
    definition.name,
    async (...[args, options]: CallParameters<Args, ScriptFunctionOptions>): Promise<Result> =>
      calling().callInScript(definition, resource, args, options),
  );
}
