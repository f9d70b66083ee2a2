import type * as Zod from "zod";
import type { Service } from "../connection/service";
import type { Caller } from "../base/caller";
import type { Dialect } from "../base/settings";
import type { Validation } from "../base/validation";

/** The arguments of a function as it gets them: a null is as good as nothing. */
export type Known<Arguments> = { readonly [Name in keyof Arguments]: Exclude<Arguments[Name], null> };

/** A read-only function over a service, in terms from which both its forms derive. */
export interface FunctionDefinition<Client, Arguments, Result> {
  /** As a program writes it: `provisioning.getProject`. */
  readonly name: string;
  readonly service: Service<Client>;
  /** Validates the arguments as a whole. */
  readonly schema: (z: Validation, dialect: Dialect) => Zod.ZodType<Arguments>;
  /** The result holds secrets: an output of it is secret as a whole. */
  readonly secret?: boolean;
  call(client: Client, args: Arguments, caller: Caller): Promise<Result>;
}
