import type * as Zod from "zod";
import type { Validation } from "../base/validation";
import type { KnownDestinationType, ProvisioningDialect } from "./dialect";

const names = ["generic", "email", "chat-a", "chat-b"] as const satisfies readonly KnownDestinationType[];

/** What programs call the destination type that has this other name on the wire; `undefined` for all other texts. */
export function destinationTypeCalled(
  wireName: unknown,
  { destinationTypes }: ProvisioningDialect,
): KnownDestinationType | undefined {
  return names.find((name) => name !== wireName && destinationTypes[name] === wireName);
}

/** A destination type as programs give it. Who gives the product's name for it is told the right one. */
export function destinationTypeArgument(
  z: Validation,
  dialect: ProvisioningDialect,
): Zod.ZodType<KnownDestinationType, KnownDestinationType> {
  return z.enum(names, {
    error({ input }) {
      const name = destinationTypeCalled(input, dialect);
      return name === undefined ? undefined : `is called ${JSON.stringify(name)} in programs`;
    },
  });
}
