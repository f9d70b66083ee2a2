import * as pulumi from "@pulumi/pulumi";
import { InputError } from "../base/errors";
import { anyResourceToken } from "../connection/adapter";

/** The service ends one way of sharing when the other begins. */
type Sharing = "AdminOrganization with globalModuleSharing: true" | "ModuleConsumers";

// By service: organizations of two services may have the same name.
const claimsAt = new WeakMap<object, Map<string, Sharing>>();
const noProgram = {};

/** Checks synchronously if the arguments are known, so that the error points at the right line of the program. */
export function claimSharing<Value extends string | boolean | null | undefined>(
  sharing: Sharing,
  { provider, parent }: pulumi.CustomResourceOptions = {},
  organization: pulumi.Input<string>,
  value: pulumi.Input<Value>,
): pulumi.Input<Value> {
  // One process can run several programs, also in parallel; programs in unit tests have mocks but no stack.
  const service =
    provider ??
    parent?.getProvider(anyResourceToken()) ??
    pulumi.runtime.getStackResource() ??
    pulumi.runtime.getMonitor() ??
    noProgram;
  const check = (name: string, shared: Value): Value => {
    const claims = claimsAt.get(service) ?? new Map<string, Sharing>();
    claimsAt.set(service, claims);
    const other = claims.get(name) ?? sharing;
    if (shared && other !== sharing) {
      throw new InputError(
        `The organization ${name} cannot both share its modules with all organizations and name consumers: ` +
          `this program has ${other} and ${sharing} for it, and each would undo the other. Remove one of them.`,
      );
    }
    if (shared) {
      claims.set(name, sharing);
    }
    return shared;
  };
  const isKnown = (typeof value !== "object" || value === null) && typeof organization === "string";
  return isKnown
    ? check(organization, value)
    : pulumi.all([organization, value]).apply(([name, shared]) => check(name, shared as Value));
}
