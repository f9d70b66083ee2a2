import type * as Zod from "zod";
import type { Service } from "../connection/service";
import type { Caller } from "../base/caller";
import { TriviumError } from "../base/errors";
import { isObject } from "../base/json";
import type { Dialect } from "../base/settings";
import { builtOnce, checked, type Validation } from "../base/schema";
import { type Desired, Fields, type Rows } from "../resource/fields/field";

/** For the output form, the result is unknown instead. */
export class UnknownInPreview extends TriviumError {}

/** Both forms of the function are derived from it. */
export interface FunctionDefinition<Client, Arguments, Result> {
  /** As written in a program: `provisioning.getProject`. */
  readonly name: string;
  readonly service: Service<Client>;
  readonly schema: (z: Validation, dialect: Dialect) => Zod.ZodType<Arguments>;
  /** The result contains secrets, so its output is secret as a whole. */
  readonly secret?: boolean | undefined;
  call(client: Client, args: Arguments, caller: Caller): Promise<Result>;
}

export function defineFunction<Client, Table extends Rows>(service: Service<Client>, rows: Table) {
  return <Result>(
    name: string,
    call: (client: Client, args: Desired<Table>, caller: Caller) => Promise<Result>,
    {
      secret,
      problem = () => undefined,
    }: {
      readonly secret?: boolean;
      /**
       * Explains an invalid combination. Only the presence of arguments matters, because some might be
       * invalid.
       */
      readonly problem?: (args: Desired<Table>) => string | undefined;
    } = {},
  ): FunctionDefinition<Client, Desired<Table>, Result> => ({
    name,
    service,
    schema: builtOnce((z, dialect: Dialect) => {
      const schema = z.strictObject(new Fields(rows, (each) => each).in(dialect).schema(z)) as unknown;
      return checked(schema as Zod.ZodType<Desired<Table>>, problem, ({ value }) => isObject(value));
    }),
    secret,
    call,
  });
}
