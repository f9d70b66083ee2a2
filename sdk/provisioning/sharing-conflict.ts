import * as pulumi from "@pulumi/pulumi";
import { InputError } from "../base/errors";
import { anyResourceToken } from "../connection/adapter";

/** The two ways to share modules; the service ends one when the other begins. */
type Sharing = "AdminOrganization with globalModuleSharing: true" | "ModuleConsumers";

// By service: organizations of two services may share a name.
const claimsAt = new WeakMap<object, Map<string, Sharing>>();
const noProgram = {};

/**
 * Notes that a resource shares an organization's modules in one way. Checks synchronously if possible, so that the
 * error points at the right line.
 *
 * @param organization the name of the organization
 * @param value an argument that fails with the resource that it belongs to; false and null share nothing
 * @returns the argument
 * @throws InputError when the same program shares the organization's modules in the other way
 */
export function claimSharing<Value extends string | boolean | null | undefined>(
  sharing: Sharing,
  { provider, parent }: pulumi.CustomResourceOptions = {},
  organization: pulumi.Input<string>,
  value: pulumi.Input<Value>,
): pulumi.Input<Value> {
  // One process can run several programs, in sequence or in parallel; those of unit tests have mocks but no stack.
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
