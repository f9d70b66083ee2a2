import { provisioningService } from "./service";
import type * as pulumi from "@pulumi/pulumi";
import { mayHaveBeenProcessed, ServiceError, TriviumError } from "../base/errors";
import { path } from "../base/path";
import { isResource, TriviumResource } from "../resource/base";
import { duration } from "../resource/canonical";
import type { Validation } from "../base/validation";
import { defineResourceBySchema, type RemoteState } from "../resource/definition";
import { parseDuration } from "../base/duration";
import { messageOf } from "../resource/failure";
import { assertGetSupported } from "../resource/get";
import { isObject, type JsonObject } from "../base/json";
import { nameInPath } from "../resource/schemas";
import {
  organizationDocument,
  organizationKind,
  updatableArguments,
  updatableAttributes,
} from "./admin-organization-wire";
import type { Absence, ProvisioningClient } from "./client";
import { noteGlobalModuleSharing } from "./sharing-conflict";

/** The arguments of an {@link AdminOrganization}. Only those that are given are ever sent. */
export interface AdminOrganizationArgs {
  /** The name of the organization, which has to exist. A change replaces the resource, not the organization. */
  name: pulumi.Input<string>;
  /**
   * Whether workspaces may use beta versions of tools.
   *
   * @default false
   */
  accessBetaTools?: pulumi.Input<boolean | null | undefined>;
  /**
   * Whether the organization shares the modules of its registry with all others. Turning it on removes its module
   * consumers.
   *
   * @default false
   */
  globalModuleSharing?: pulumi.Input<boolean | null | undefined>;
  /**
   * Whether the organization shares the providers of its registry with all others. Turning it on removes its
   * provider consumers.
   *
   * @default false
   */
  globalProviderSharing?: pulumi.Input<boolean | null | undefined>;
  /**
   * Whether the organization is disabled: all permissions in it are removed and nobody can use it.
   *
   * @default false
   */
  isDisabled?: pulumi.Input<boolean | null | undefined>;
  /**
   * How long an apply may run: a decimal number with a unit, such as `"24h"` or `"1.5h"`. Clearing it sets `"24h"`,
   * the documented default.
   *
   * @default the service's own, 24 hours
   */
  iacBuildWorkerApplyTimeout?: pulumi.Input<string | null | undefined>;
  /**
   * How long a plan may run: a decimal number with a unit, such as `"2h"` or `"90m"`. Clearing it sets `"2h"`, the
   * documented default.
   *
   * @default the service's own, 2 hours
   */
  iacBuildWorkerPlanTimeout?: pulumi.Input<string | null | undefined>;
  /**
   * How many workspaces the organization may have; 0 is no limit. A limit below the present number only stops new
   * ones. Clearing it sets 0.
   *
   * @default no limit
   */
  workspaceLimit?: pulumi.Input<number | null | undefined>;
  /**
   * What happens to the organization when this resource is deleted: it stays as it is (`"retain"`), the managed
   * attributes get back the values that they had before (`"restore"`), or it is deleted with all it holds
   * (`"delete"`). A change makes no request.
   *
   * @default "retain"
   */
  onDestroy?: pulumi.Input<"retain" | "restore" | "delete" | null | undefined>;
}

const decimalWithUnit = /^[+-]?(?:\d+\.?\d*|\.\d+)\p{L}+$/u;

const timeout = (z: Validation) =>
  z
    .string()
    .regex(decimalWithUnit, 'must be a decimal number with a unit, such as "2h" or "1.5h"')
    .optional();

/** The documents do not list the units. */
function warnOfTimeout(value: unknown): string | undefined {
  const text = String(value);
  if (!/^\d+(?:\.\d+)?[smh]$/.test(text)) {
    return "is neither in hours (h) nor minutes (m) nor seconds (s): the service may refuse it";
  }
  return parseDuration(text) === 0 ? "is 0: nothing may run that long" : undefined;
}

/**
 * The list that proves whether an organization exists.
 *
 * @internal
 */
export function organizationAbsence(name: string): Absence {
  return {
    what: `organization ${name}`,
    id: name,
    list: { path: path`/admin/organizations`, kind: organizationKind },
  };
}

function showRequest(name: string) {
  return {
    summary: `read the organization ${name} as an administrator`,
    path: path`/admin/organizations/${name}`,
    kind: organizationKind,
    id: name,
  };
}

/** The documents have these where a read may answer null; an update takes text and numbers only. */
const documentedDefaults: JsonObject = {
  iacBuildWorkerApplyTimeout: "24h",
  iacBuildWorkerPlanTimeout: "2h",
  workspaceLimit: 0,
};

/** Gives an organization its former values back; one that is gone has nothing to restore. */
async function restore(
  client: ProvisioningClient,
  name: string,
  former: JsonObject,
  attributes: ReadonlySet<string>,
): Promise<void> {
  const send = async (values: JsonObject): Promise<void> => {
    await client.update({
      summary: `restore the organization ${name} as an administrator`,
      path: path`/admin/organizations/${name}`,
      document: organizationDocument(values, attributes, client.dialect),
      kind: organizationKind,
      id: name,
    });
  };
  const nulls = Object.keys(documentedDefaults).filter(
    (each) => attributes.has(each) && former[each] === null,
  );
  try {
    await send(former).catch((error: unknown) => {
      if (nulls.length === 0 || !ServiceError.isInstance(error) || error.status !== 422) {
        throw error;
      }
      return send({
        ...former,
        ...Object.fromEntries(nulls.map((each) => [each, documentedDefaults[each] ?? null])),
      });
    });
  } catch (error) {
    if (!ServiceError.isInstance(error) || error.status !== 404) {
      throw error;
    }
    await client.proveAbsent(organizationAbsence(name));
  }
}

/** What deletion can bring back. */
function formerAttributes({ dialect }: ProvisioningClient, state: RemoteState): JsonObject {
  return { former: updatableAttributes(state, dialect) };
}

/**
 * What a resource remembers that replaces another one of the same organization: the values from before the first of
 * them, and also the attributes that only an earlier one managed.
 */
function handedOn({ memory, managed }: { memory: JsonObject; managed: readonly string[] }): JsonObject {
  return { ...memory, also: [...new Set([...namesIn(memory.also), ...managed])] };
}

function namesIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];
}

/** @internal */
export const adminOrganizationDefinition = defineResourceBySchema<ProvisioningClient>()({
  type: "provisioning:AdminOrganization",
  service: provisioningService,
  identifiedBy: ["name"],
  inPlace: true,
  inherits: true,
  schema: (z) => ({
    name: nameInPath(z),
    accessBetaTools: z.boolean().optional(),
    globalModuleSharing: z.boolean().optional(),
    globalProviderSharing: z.boolean().optional(),
    isDisabled: z.boolean().optional(),
    iacBuildWorkerApplyTimeout: timeout(z),
    iacBuildWorkerPlanTimeout: timeout(z),
    workspaceLimit: z.number().int("must be a whole number").optional(),
    onDestroy: z.enum(["retain", "restore", "delete"]).optional(),
  }),
  arguments: {
    name: { replaces: true },
    accessBetaTools: { cleared: false },
    globalModuleSharing: { cleared: false },
    globalProviderSharing: { cleared: false },
    isDisabled: { cleared: false },
    iacBuildWorkerApplyTimeout: {
      canonical: duration,
      warning: warnOfTimeout,
      cleared: documentedDefaults.iacBuildWorkerApplyTimeout,
    },
    iacBuildWorkerPlanTimeout: {
      canonical: duration,
      warning: warnOfTimeout,
      cleared: documentedDefaults.iacBuildWorkerPlanTimeout,
    },
    workspaceLimit: {
      cleared: documentedDefaults.workspaceLimit,
      warning: (limit) => (Number(limit) < 0 ? "is negative: the service may refuse it" : undefined),
    },
    onDestroy: { role: "behaviour" },
  },
  outputs: {
    externalId: { optional: true },
    notificationEmail: { optional: true },
    ssoEnabled: { optional: true },
    iacWorkerSudoEnabled: { optional: true },
    ownerIds: { optional: true },
    subscriptionId: { optional: true },
    featureSetId: { optional: true },
  },

  async create({ client, others }, wanted) {
    const { name } = wanted;
    const former = await client.show(showRequest(name));
    if (former === undefined) {
      throw new TriviumError(
        `There is no organization ${name} to manage, or the token is not that of a site administrator.`,
        { hint: "AdminOrganization manages organizations that exist; it does not create them." },
      );
    }
    const memory =
      others?.inherited === undefined ? formerAttributes(client, former.state) : handedOn(others.inherited);
    const given = updatableArguments(client.dialect).filter(
      (name) => wanted[name as keyof typeof wanted] !== undefined,
    );
    if (given.length === 0) {
      return { ...former, memory };
    }
    try {
      const organization = await client.update({
        summary: `update the organization ${name} as an administrator`,
        path: path`/admin/organizations/${name}`,
        document: organizationDocument(wanted, new Set(given), client.dialect),
        kind: organizationKind,
        id: name,
      });
      return { ...organization, memory };
    } catch (error) {
      if (!mayHaveBeenProcessed(error)) {
        throw error;
      }
      // What is remembered of the time before would be lost: the next run would take the new values for the former.
      return { ...former, memory, failure: messageOf(error) };
    }
  },

  remember: formerAttributes,

  async read({ client }, id) {
    const organization = await client.show(showRequest(id));
    if (organization === undefined) {
      await client.proveAbsent(organizationAbsence(id));
    }
    return organization?.state;
  },

  async update({ client }, id, wanted, changed) {
    const organization = await client.update({
      summary: `update the organization ${id} as an administrator`,
      path: path`/admin/organizations/${id}`,
      document: organizationDocument(wanted, changed, client.dialect),
      kind: organizationKind,
      id,
    });
    return organization.state;
  },

  async delete({ client, memory, managed, announce }, id, { onDestroy }) {
    if (onDestroy === "delete") {
      await client.delete({
        summary: `delete the organization ${id} as an administrator`,
        path: path`/admin/organizations/${id}`,
        absence: organizationAbsence(id),
      });
    } else if (onDestroy === "restore") {
      const { former } = memory;
      const also = namesIn(memory.also);
      if (!isObject(former)) {
        announce("warning", `State has no former values of the organization ${id}, which stays as it is.`);
        return;
      }
      const attributes = new Set(
        Object.keys(former).filter((name) => managed.has(name) || also.includes(name)),
      );
      if (attributes.size > 0) {
        await restore(client, id, former, attributes);
      }
    }
  },
});

/**
 * The settings of an organization that only site administrators of the self-hosted edition can change. It manages
 * an organization that exists, and of it only the attributes that are given.
 *
 * Its id is the organization's name. What deletion does is said by `onDestroy`; by default nothing happens to the
 * organization. The values that the attributes had when the resource was made are remembered for `"restore"`. All
 * drift is visible.
 *
 * Sharing modules with everybody and naming module consumers exclude each other: a program that sets
 * `globalModuleSharing: true` and has `ModuleConsumers` for the same organization is refused.
 *
 * When a creation fails and the service may have acted on it, the former values are kept and the next `pulumi up`
 * goes on from there. When the provider process itself is killed at that moment they are lost: the next creation
 * remembers the values that it finds.
 *
 * ## Example Usage
 *
 * ```typescript
 * import * as trivium from "pulumi-trivium";
 *
 * const limits = new trivium.provisioning.AdminOrganization("acme", {
 *   name: "acme",
 *   iacBuildWorkerPlanTimeout: "90m",
 *   workspaceLimit: 200,
 *   onDestroy: "restore",
 * });
 * ```
 *
 * Documented under "Administrative organizations" in the provisioning service's interface.
 */
export class AdminOrganization extends TriviumResource {
  /** @internal */
  static override readonly definition = adminOrganizationDefinition;

  /** The name of the organization. */
  declare readonly name: pulumi.Output<string>;
  /** Whether workspaces may use beta versions of tools. */
  declare readonly accessBetaTools: pulumi.Output<boolean>;
  /** Whether the organization shares its modules with all others. */
  declare readonly globalModuleSharing: pulumi.Output<boolean>;
  /** Whether the organization shares its providers with all others. */
  declare readonly globalProviderSharing: pulumi.Output<boolean>;
  /** Whether the organization is disabled. */
  declare readonly isDisabled: pulumi.Output<boolean>;
  /** How long an apply may run; null where the service's own limit counts. */
  declare readonly iacBuildWorkerApplyTimeout: pulumi.Output<string | null>;
  /** How long a plan may run; null where the service's own limit counts. */
  declare readonly iacBuildWorkerPlanTimeout: pulumi.Output<string | null>;
  /** How many workspaces it may have; null or 0 for no limit. */
  declare readonly workspaceLimit: pulumi.Output<number | null>;
  /** What happens when this resource is deleted. */
  declare readonly onDestroy: pulumi.Output<"retain" | "restore" | "delete" | null | undefined>;
  /** The organization's id elsewhere: `org-...`. */
  declare readonly externalId: pulumi.Output<string>;
  /** Where the service writes to. */
  declare readonly notificationEmail: pulumi.Output<string>;
  /** Whether its users sign in with SSO. */
  declare readonly ssoEnabled: pulumi.Output<boolean>;
  /** Whether workers may use sudo. */
  declare readonly iacWorkerSudoEnabled: pulumi.Output<boolean>;
  /** The ids of its owners. */
  declare readonly ownerIds: pulumi.Output<string[]>;
  /** The id of its subscription, null without one. */
  declare readonly subscriptionId: pulumi.Output<string | null>;
  /** The id of its feature set, null without one. */
  declare readonly featureSetId: pulumi.Output<string | null>;

  /**
   * Reads an organization's settings without managing them.
   *
   * @param name the unique name of the resulting resource in the program
   * @param id the organization's name
   * @throws {@link errors.TriviumError} when the program runs with an SDK older than 3.268.0
   */
  static get(
    name: string,
    id: pulumi.Input<pulumi.ID>,
    options?: pulumi.CustomResourceOptions,
  ): AdminOrganization {
    assertGetSupported("provisioning.AdminOrganization");
    return new AdminOrganization(name, undefined, { ...options, id });
  }

  /** Whether a value is such a resource, also one that another copy of the library has made. */
  static override isInstance(value: unknown): value is AdminOrganization {
    return isResource(value, adminOrganizationDefinition);
  }

  /**
   * @param name the unique name of the resource in the program
   * @param args which settings to manage
   * @throws {@link errors.InputError} when an option cannot work, such as `import`
   */
  constructor(name: string, args: AdminOrganizationArgs, options?: pulumi.CustomResourceOptions);
  /** @internal */
  constructor(name: string, args: AdminOrganizationArgs | undefined, options?: pulumi.CustomResourceOptions);
  constructor(name: string, args: AdminOrganizationArgs | undefined, options?: pulumi.CustomResourceOptions) {
    super(
      adminOrganizationDefinition,
      name,
      args && { ...args, globalModuleSharing: noteGlobalModuleSharing(args, options) },
      options,
    );
  }
}
