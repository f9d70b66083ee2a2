import * as pulumi from "@pulumi/pulumi";
import { InputError } from "../base/errors";
import { anyResourceToken } from "../connection/program";

/** The service ends one way of sharing when the other begins. */
type Sharing = "AdminOrganization with globalModuleSharing: true" | "ModuleConsumers";

// By service: organizations of two services may have the same name.
const claimsAt = new WeakMap<object, Map<unknown, Sharing>>();
const noProgram = {};

/**
 * Checks synchronously if the arguments are known, so that the error points at the right line of the program.
 *
 * @param shared the argument with a value that is true if the organization shares in this way
 */
export function claimSharing<Args extends object>(
  sharing: Sharing,
  { provider, parent }: pulumi.CustomResourceOptions = {},
  args: Args,
  organization: keyof Args,
  shared: keyof Args,
): Args {
  const values = [args[organization], args[shared]];
  if (values.some((value) => value === undefined)) {
    return args;
  }
  // One process can run several programs, also in parallel; programs in unit tests have mocks but no stack.
  const service =
    provider ??
    parent?.getProvider(anyResourceToken()) ??
    pulumi.runtime.getStackResource() ??
    pulumi.runtime.getMonitor() ??
    noProgram;
  const check = ([name, value]: readonly unknown[]): unknown => {
    const claims = claimsAt.get(service) ?? new Map<unknown, Sharing>();
    claimsAt.set(service, claims);
    const other = claims.get(name) ?? sharing;
    if (value && other !== sharing) {
      throw new InputError(
        `The organization ${String(name)} cannot both share its modules with all organizations and name consumers: ` +
          `this program has ${other} and ${sharing} for it, and each would undo the other. Remove one of them.`,
      );
    }
    if (value) {
      claims.set(name, sharing);
    }
    return value;
  };
  const isKnown = values.every((value) => typeof value !== "object" || value === null);
  return { ...args, [shared]: isKnown ? check(values) : pulumi.all(values).apply(check) };
}
