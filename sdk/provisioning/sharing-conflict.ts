import * as pulumi from "@pulumi/pulumi";
import { InputError } from "../base/errors";
import { anyResourceToken } from "../connection/adapter";

/** The two ways to share modules; the service ends one when the other begins. */
type Sharing = "AdminOrganization with globalModuleSharing: true" | "ModuleConsumers";

type Claims = Map<string, Sharing>;

// By service: organizations of two services may share a name.
const claimsAt = new WeakMap<object, Claims>();
const noProgram = {};

/**
 * A key for the service of a resource: its provider, or else the program. One process can run several
 * programs, in sequence or in parallel; those of unit tests have mocks but no stack.
 */
function serviceOf({ provider, parent }: pulumi.CustomResourceOptions): object {
  return (
    provider ??
    parent?.getProvider(anyResourceToken()) ??
    pulumi.runtime.getStackResource() ??
    pulumi.runtime.getMonitor() ??
    noProgram
  );
}

function claim(service: object, organization: string, sharing: Sharing): void {
  const claims = claimsAt.get(service) ?? new Map<string, Sharing>();
  claimsAt.set(service, claims);
  const other = claims.get(organization);
  if (other !== undefined && other !== sharing) {
    throw new InputError(
      `The organization ${organization} cannot both share its modules with all organizations and name consumers: ` +
        `this program has ${other} and ${sharing} for it, and each would undo the other. Remove one of them.`,
    );
  }
  claims.set(organization, sharing);
}

/**
 * Notes that an organization shares its modules with everybody, if it does.
 *
 * @param args `undefined` when an existing resource is read
 * @returns the arguments; `globalModuleSharing` fails with the resource that it belongs to
 * @throws InputError when the same program names consumers of the organization's modules
 */
export function noteGlobalModuleSharing<
  Args extends {
    readonly name: pulumi.Input<string>;
    readonly globalModuleSharing?: pulumi.Input<boolean | null | undefined>;
  },
>(args: Args | undefined, options: pulumi.CustomResourceOptions = {}): Args | undefined {
  const { name, globalModuleSharing } = args ?? {};
  const service = serviceOf(options);
  return args === undefined || name === undefined || globalModuleSharing === undefined
    ? args
    : {
        ...args,
        globalModuleSharing: whenKnown([name, globalModuleSharing], ([organization, shared]) => {
          if (shared === true) {
            claim(service, organization, "AdminOrganization with globalModuleSharing: true");
          }
          return shared;
        }),
      };
}

/**
 * Notes that an organization names the consumers of its modules.
 *
 * @param args `undefined` when an existing resource is read
 * @returns the arguments; `organization` fails with the resource that it belongs to
 * @throws InputError when the same program shares the organization's modules with everybody
 */
export function noteModuleConsumers<Args extends { readonly organization: pulumi.Input<string> }>(
  args: Args | undefined,
  options: pulumi.CustomResourceOptions = {},
): Args | undefined {
  const service = serviceOf(options);
  return (
    args && {
      ...args,
      organization: whenKnown([args.organization, null], ([name]) => {
        claim(service, name, "ModuleConsumers");
        return name;
      }),
    }
  );
}

/** Checks synchronously if possible, so that the error points at the right line. */
function whenKnown<Result extends string | boolean | null | undefined>(
  inputs: [pulumi.Input<string>, pulumi.Input<boolean | null | undefined>],
  look: (values: [string, boolean | null | undefined]) => Result,
): pulumi.Input<Result> {
  const [name, shared] = inputs;
  if (typeof name === "string" && (typeof shared === "boolean" || shared === null)) {
    return look([name, shared]);
  }
  return pulumi.all([name, shared]).apply((values) => look(values));
}
