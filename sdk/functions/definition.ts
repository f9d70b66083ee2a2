import type * as Zod from "zod";
import { type AnyField, type Desired, Fields } from "../resource/fields/field";
import type { Service } from "../connection/service";
import type { Caller } from "../base/caller";
import type { Dialect } from "../base/settings";
import { builtOnce, type Validation } from "../base/validation";

/** The arguments that a function receives: null arguments are omitted. */
export type Known<Arguments> = { readonly [Name in keyof Arguments]: Exclude<Arguments[Name], null> };

/** A read-only function of a service, from which both its forms are derived. */
export interface FunctionDefinition<Client, Arguments, Result> {
  /** As written in a program: `provisioning.getProject`. */
  readonly name: string;
  readonly service: Service<Client>;
  /** Validates the arguments as a whole. */
  readonly schema: (z: Validation, dialect: Dialect) => Zod.ZodType<Arguments>;
  /** The result contains secrets: an output of it is secret as a whole. */
  readonly secret?: boolean;
  call(client: Client, args: Arguments, caller: Caller): Promise<Result>;
}

/** Defines a function whose arguments are fields. */
export function defineFunction<Client, Rows extends Readonly<Record<string, AnyField>>>(
  service: Service<Client>,
  fields: Rows,
) {
  return <Result>(
    name: string,
    call: (client: Client, args: Desired<Rows>, caller: Caller) => Promise<Result>,
    options: {
      readonly secret?: boolean;
      /** A problem between arguments that are each valid. */
      readonly problem?: (args: Desired<Rows>) => string | undefined;
    } = {},
  ): FunctionDefinition<Client, Desired<Rows>, Result> => ({
    name,
    service,
    schema: builtOnce((z, dialect: Dialect) =>
      (
        z.strictObject(new Fields(fields, (each) => each).schema(z, dialect)) as unknown as Zod.ZodType<
          Desired<Rows>
        >
      ).superRefine((args, context) => {
        const message = options.problem?.(args);
        if (message !== undefined) {
          context.addIssue({ code: "custom", message });
        }
      }),
    ),
    ...(options.secret === undefined ? {} : { secret: options.secret }),
    call,
  });
}
