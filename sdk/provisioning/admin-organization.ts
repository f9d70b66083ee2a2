import { mayHaveBeenProcessed, messageOf, NotFoundError, onStatus } from "../base/errors";
import { type JsonValue, namesWhere } from "../base/json";
import { path } from "../base/path";
import { builtOnce } from "../base/schema";
import { outputForm, promiseForm } from "../functions/call";
import { defineFunction } from "../functions/definition";
import { ReadableResource } from "../resource/program/base";
import {
  type Claim,
  defineResource,
  type Others,
  type PrivateStateOf,
  type RemoteState,
} from "../resource/definition";
import type { InputsOf, ResultOf } from "../functions/results";
import { type Desired, Fields, isRemote, kebabCase, output } from "../resource/fields/field";
import {
  duration,
  flag,
  integer,
  isGiven,
  oneOf,
  pathName,
  text,
  textComparedBy,
} from "../resource/fields/kinds";
import type { ArgsOf, Named, OutputsOf, PlainArgsOf } from "../resource/fields/rows";
import type { Member, ProvisioningClient } from "./client";
import { provisioningDialects } from "./dialect";
import { type FoundObject, resourceKind, toMany, toOne } from "./kind";
import type { IncludedResource } from "./pages";
import { provisioningService } from "./service";

/** The service keeps the text of a time limit as written. */
const durationText = textComparedBy(duration);

const timeLimit = {
  told: "kept",
  nullable: true,
  check(limit: string) {
    if (!/^[+-]?(?:\d+\.?\d*|\.\d+)\p{L}+$/u.test(limit)) {
      return 'must be a number with a unit, such as "2h" or "1.5h"';
    }
    // The documentation does not list the units.
    if (!/^\d+(?:\.\d+)?[smh]$/.test(limit)) {
      return { warning: "has a unit other than h, m or s: the service might reject it" };
    }
    return Number.parseFloat(limit) === 0 && { warning: "is 0: no run can finish in that time" };
  },
} as const;

const rows = {
  /** The name of the organization, which must exist. A change replaces the resource, not the organization. */
  name: pathName({ place: "body", replaces: true, told: "kept" }),
  /**
   * Whether workspaces are allowed to use beta versions of tools.
   *
   * @default false
   */
  accessBetaTools: flag({ cleared: false }),
  /**
   * Whether the organization shares the modules of its registry with all others. Turning this on removes the
   * organization's module consumers.
   *
   * @default false
   */
  globalModuleSharing: flag({ cleared: false, told: "kept" }),
  /**
   * Whether the organization shares the providers of its registry with all others. Turning this on removes
   * the organization's provider consumers.
   *
   * @default false
   */
  globalProviderSharing: flag({ cleared: false, told: "kept" }),
  /**
   * Whether the organization is disabled: nobody can use it, and all permissions in it are removed.
   *
   * @default false
   */
  isDisabled: flag({ cleared: false }),
  /**
   * How long an apply is allowed to run: a decimal number with a unit, such as `"24h"` or `"1.5h"`. Clearing it sets
   * `"24h"`, the documented default. If it was never set, the service's global limit applies, and the output is null.
   *
   * @default the service's own, 24 hours
   */
  iacBuildWorkerApplyTimeout: durationText({
    ...timeLimit,
    cleared: "24h",
    wire: { hashicorp: ["apply-timeout", "terraform-build-worker-apply-timeout"] },
  }),
  /**
   * How long a plan is allowed to run: a decimal number with a unit, such as `"2h"` or `"90m"`. Clearing it sets
   * `"2h"`, the documented default. If it was never set, the service's global limit applies, and the output is null.
   *
   * @default the service's own, 2 hours
   */
  iacBuildWorkerPlanTimeout: durationText({
    ...timeLimit,
    cleared: "2h",
    wire: { hashicorp: ["plan-timeout", "terraform-build-worker-plan-timeout"] },
  }),
  /**
   * How many workspaces the organization can have; 0 means no limit, as does null in the output. A limit
   * below the current number only prevents new workspaces. Clearing it sets 0.
   *
   * @default no limit
   */
  workspaceLimit: integer({
    check: (limit) => limit < 0 && { warning: "is negative: the service might reject it" },
    cleared: 0,
    told: "kept",
    nullable: true,
  }),
  /**
   * What happens to the organization when this resource is deleted: `"retain"` leaves it unchanged,
   * `"restore"` restores the original values of the managed attributes, and `"delete"` deletes the
   * organization with everything in it. A change does not send a request.
   *
   * @default "retain"
   */
  onDestroy: oneOf(["retain", "restore", "delete"], { local: "state", optional: true }),
  /** The organization's external ID: `org-...`. */
  externalId: output(text({ told: "maybe" })),
  /** The email address that the service sends notifications to. */
  notificationEmail: output(text({ told: "maybe" })),
  /** Whether the organization's users sign in with SSO. */
  ssoEnabled: output(flag({ told: "maybe" })),
  /** Whether workers are allowed to use sudo. */
  iacWorkerSudoEnabled: output(flag({ told: "maybe", wire: { hashicorp: "terraform-worker-sudo-enabled" } })),
  /** The IDs of the organization's owners. */
  ownerIds: output(toMany("users", { told: "kept", wire: "owners" })),
  /** The ID of the organization's subscription; null if there is none. */
  subscriptionId: output(toOne({ told: "kept", nullable: true, wire: "subscription" })),
  /** The ID of the organization's feature set; null if there is none. */
  featureSetId: output(toOne({ told: "kept", nullable: true, wire: "feature-set" })),
};

const fields = new Fields(rows, kebabCase);

/** The arguments of an {@link AdminOrganization}. Only arguments that the program sets are sent. */
export interface AdminOrganizationArgs extends ArgsOf<typeof rows>, Named {}

type FoundOrganization = FoundObject<typeof rows>;

/** @internal An organization's ID is its name. */
export const organizationKind = resourceKind("organizations", fields, {
  defaults: ({ id }) => ({ name: id }),
});

/** @internal */
export const organizations = path`/admin/organizations`;

/** @internal */
export function organizationMember(id: string): Member<FoundOrganization> {
  const [what, list] = [`organization ${id}`, organizations];
  return { what, id, path: path`/admin/organizations/${id}`, kind: organizationKind, list };
}

/** @internal */
export function organizationNotFound(organization: string, advice?: string): NotFoundError {
  return new NotFoundError(
    `The organization ${organization} does not exist, or the token does not belong to a site administrator.`,
    advice === undefined ? {} : { advice },
  );
}

const updatable = namesWhere(
  fields.arguments,
  (argument) => argument.replaces !== true && isRemote(argument),
);

/**
 * Sends all known values, because the documentation does not say whether an update keeps the values that it
 * omits.
 */
function change(
  client: ProvisioningClient,
  verb: "update" | "restore",
  values: Desired<typeof rows>,
  changed: ReadonlySet<string>,
): Promise<FoundOrganization> {
  const member = organizationMember(values.name);
  const isSent = (name: string) => changed.has(name) || isGiven(values[name as keyof typeof values]);
  const document = organizationKind.document(values, client.dialect, {
    changed: new Set(updatable.filter(isSent)),
  });
  const summary = `${verb} the ${member.what} as an administrator`;
  return client.patch({ ...member, summary, document, ifWithout: { id: values.name, state: {} } });
}

const privateState = builtOnce((z) =>
  z.object({
    /** The original values, by attribute. */
    former: z.record(z.string(), z.custom<JsonValue>()).optional().catch(undefined),
    /** The attributes that earlier resources managed. */
    also: z.array(z.string()).optional().catch(undefined),
  }),
);

type PrivateState = PrivateStateOf<typeof privateState>;

function formerAttributes(state: RemoteState): PrivateState {
  const known = updatable.filter((name) => state[name] !== undefined);
  return { former: Object.fromEntries(known.map((name) => [name, state[name] as JsonValue])) };
}

/** Omits what the service returns as null, because null is not documented for updates. */
function known(state: RemoteState): Partial<Desired<typeof fields.rows>> {
  return Object.fromEntries(updatable.map((name) => [name, state[name] ?? undefined]));
}

/**
 * A replacement keeps the original values from before the first resource, and the names that earlier
 * resources managed.
 */
function handedOn({ privateState, managed }: NonNullable<Others<PrivateState>["inherited"]>): PrivateState {
  return { ...privateState, also: [...new Set([...(privateState.also ?? []), ...managed])] };
}

const consumersClass = { modules: "ModuleConsumers", providers: "ProviderConsumers" } as const;

/** @internal How an organization's registry is shared. */
export type Shared = keyof typeof consumersClass;

/**
 * The service ends one way of sharing when the other begins.
 *
 * @internal
 */
export function claimSharing(organization: string | null | undefined, shared: Shared): Claim[] {
  const setting = shared === "modules" ? "globalModuleSharing" : "globalProviderSharing";
  return isGiven(organization)
    ? [
        {
          key: JSON.stringify([`sharing ${shared}`, organization]),
          what: `Sharing of the ${shared} of the organization ${organization}`,
          advice: `AdminOrganization with ${setting}: true and ${consumersClass[shared]} would undo each other. Remove one of them.`,
        },
      ]
    : [];
}

/** @internal Afterwards no module consumers are left. Providers are shared with none or some. */
export function shareModulesWithAll(client: ProvisioningClient, found: FoundOrganization): Promise<unknown> {
  const values = { globalModuleSharing: true, globalProviderSharing: false };
  const changed = new Set(["globalModuleSharing"]);
  return change(client, "restore", { ...known(found.state), ...values, name: found.id }, changed);
}

/**
 * @internal A key for everything that writes a part of an organization. The service ignores case in the name.
 */
export const turnOf = (organization: string): string => `organization ${organization.toLowerCase()}`;

const adminOrganizationType = "provisioning:AdminOrganization";

/** @internal */
export const adminOrganizationDefinition = defineResource(provisioningService, fields)(
  adminOrganizationType,
  {
    privateState,
    identity: {
      idIs: "the organization's name",
      arguments: ["name"],
      managesExisting: true,
      claims: ({ name, globalModuleSharing, globalProviderSharing }) => [
        ...(globalModuleSharing === true ? claimSharing(name, "modules") : []),
        ...(globalProviderSharing === true ? claimSharing(name, "providers") : []),
      ],
    },
    // The original values from before the first resource, which only its entry has.
    inherits: ({ name }, entries) =>
      entries
        .filter(({ type, outputs }) => type === adminOrganizationType && outputs.name === name)
        .map(({ at, privateState, managed }) => ({ at, privateState, managed })),
    turn: (_step, { name }) => turnOf(name),
    writesParts: true,
    importedBy: { option: "admin-organization", ids: (_client, name) => Promise.resolve([name]) },

    async create({ client, others }, desired) {
      const { name } = desired;
      const former = await client.show(organizationMember(name));
      if (former === undefined) {
        throw organizationNotFound(
          name,
          "AdminOrganization manages existing organizations and does not create them.",
        );
      }
      const privateState =
        others.inherited === undefined ? formerAttributes(former.state) : handedOn(others.inherited);
      const given = new Set(updatable.filter((each) => desired[each as keyof typeof desired] !== undefined));
      if (given.size === 0) {
        return { ...former, privateState };
      }
      const values = { ...known(former.state), ...desired };
      const organization = await change(client, "update", values, given).catch((error: unknown) => {
        if (!mayHaveBeenProcessed(error)) {
          throw error;
        }
        // Otherwise the original values are lost: the next update would store the new ones instead.
        return { ...former, failure: messageOf(error) };
      });
      return { ...organization, privateState };
    },

    async read(step, id) {
      const { client, managed, privateState } = step;
      const organization = await client.readMember(organizationMember(id));
      if (organization === undefined) {
        return undefined;
      }
      // An imported organization has its original values now.
      if (managed.size === 0 && privateState.former === undefined) {
        step.remember?.(formerAttributes(organization.state));
      }
      return organization.state;
    },

    updatesWholeObject: true,

    // An administrator can change the defaults, so a reset might not lead to the documented ones.
    async update({ client }, id, desired, changed, current) {
      const values = { ...known(current), ...desired, name: id };
      return (await change(client, "update", values, changed)).state;
    },

    async delete({ client, privateState, managed, announce }, id, { onDestroy }) {
      const member = organizationMember(id);
      if (onDestroy === "delete") {
        await client.deleteMember(member);
      }
      if (onDestroy !== "restore") {
        return;
      }
      const { former, also = [] } = privateState;
      if (former === undefined) {
        const text = `State does not contain the original settings of the organization ${id}, so it was left unchanged.`;
        announce("warning", text);
        return;
      }
      const names = Object.keys(former).filter((name) => managed.has(name) || also.includes(name));
      if (names.length === 0) {
        return;
      }
      // According to the documentation, an update does not accept null; the products do.
      const restore = async (withNull: boolean): Promise<unknown> => {
        const current = await client.show(member);
        if (current === undefined) {
          return client.proveAbsent(member);
        }
        const rowsHere = fields.in(client.dialect).arguments;
        const instead = (name: string) => (withNull ? undefined : rowsHere[name]?.cleared) ?? null;
        const original = names.map((name) => [name, former[name] ?? instead(name)] as const);
        const values = { ...known(current.state), ...Object.fromEntries<JsonValue>(original), name: id };
        return change(client, "restore", values, new Set(names));
      };
      const { takesNull } = provisioningDialects[client.dialect];
      const hadNull = names.some((name) => former[name] === null);
      const restored = restore(takesNull).catch(onStatus(hadNull ? [422] : [], () => restore(!takesNull)));
      await restored.catch(onStatus([404], () => client.proveAbsent(member)));
    },
  },
);

export interface AdminOrganization extends OutputsOf<typeof rows> {}

/**
 * The settings of an organization that only site administrators of Terraform Enterprise, the self-hosted
 * edition, can change. The organization must exist; the resource manages the attributes that you set.
 *
 * Its ID is the organization's name. `onDestroy` defines what deletion does; by default it leaves the organization
 * unchanged. The original values of the attributes are stored for `"restore"`. All drift is detected.
 *
 * You cannot both share with all organizations and name individual consumers: a program that sets `globalModuleSharing:
 * true` and declares `ModuleConsumers` for the same organization is rejected, as is `globalProviderSharing: true` with
 * `ProviderConsumers`.
 *
 * If a creation fails but the service might have processed it, the original values are kept and the next
 * `pulumi up` continues. If the provider process is killed at that moment, the original values are lost, and
 * the next creation stores the current ones.
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
 */
export class AdminOrganization extends ReadableResource<AdminOrganizationArgs> {
  /** @internal */
  static override readonly definition = adminOrganizationDefinition;
}

/** A user who owns an organization. */
export interface OrganizationOwner {
  /** The user's ID. */
  readonly id: string;
  /** All attributes that the service returns about the user, with the service's own names. */
  readonly attributes: Record<string, unknown>;
}

/**
 * An organization as site administrators see it. Values that the service does not return are false, empty or
 * null.
 */
export interface GetAdminOrganizationResult extends ResultOf<AdminOrganization, "id" | "onDestroy"> {
  /** The organization's owners, if `include` requests them. */
  readonly owners?: OrganizationOwner[];
}

const getRows = {
  /** The name of the organization. */
  name: pathName(),
  /** Include the owners. */
  include: oneOf(["owners"], { optional: true }),
};

/** The arguments of {@link getAdminOrganization}. */
export interface GetAdminOrganizationArgs extends PlainArgsOf<typeof getRows>, Named {}

/** The arguments of {@link getAdminOrganizationOutput}. */
export type GetAdminOrganizationOutputArgs = InputsOf<GetAdminOrganizationArgs>;

/** @internal */
export function organizationResult(
  { dialect }: ProvisioningClient,
  { state }: FoundOrganization,
  included?: readonly IncludedResource[],
): GetAdminOrganizationResult {
  const organization = fields.in(dialect).result<GetAdminOrganizationResult>({}, state);
  const ownerOf = (id: string): OrganizationOwner[] => {
    const user = included?.find((each) => each.type === "users" && each.id === id);
    return user === undefined ? [] : [{ id, attributes: user.attributes }];
  };
  return included === undefined
    ? organization
    : { ...organization, owners: organization.ownerIds.flatMap(ownerOf) };
}

const getDefinition = defineFunction(provisioningService, getRows)(
  "provisioning.getAdminOrganization",
  async (client, { name, include }): Promise<GetAdminOrganizationResult> => {
    const found = await client.showIncluding({ ...organizationMember(name), include });
    if (found === undefined) {
      throw organizationNotFound(name);
    }
    return organizationResult(client, found.object, include && found.included);
  },
);

/**
 * Reads an organization's settings as site administrators see them.
 *
 * @throws {@link errors.NotFoundError} if the organization does not exist, or the token does not belong to a site
 * administrator
 */
export const getAdminOrganization = promiseForm<GetAdminOrganizationArgs, GetAdminOrganizationResult>(
  getDefinition,
);

/**
 * Reads an organization's settings as site administrators see them, with arguments that can be outputs.
 *
 * @throws {@link errors.InputError} if the provider is not a {@link Provider}
 */
export const getAdminOrganizationOutput = outputForm<
  GetAdminOrganizationOutputArgs,
  GetAdminOrganizationResult
>(getDefinition);

const listRows = {
  /**
   * Returns only organizations whose name or email address contains this text. `email` and `name` are then ignored.
   */
  q: text({ optional: true }),
  /**
   * Returns only organizations whose email address contains this text. If `name` is set too, both must match.
   */
  email: text({ optional: true }),
  /** Returns only organizations whose name contains this text. */
  name: text({ optional: true }),
  /** Returns only organizations that share modules, or only those that do not. */
  moduleProducer: flag({ optional: true }),
  /** Returns only organizations that share providers, or only those that do not. */
  providerProducer: flag({ optional: true }),
  /** Include the owners. */
  include: getRows.include,
};

/** The arguments of {@link listAdminOrganizations}. */
export interface ListAdminOrganizationsArgs extends PlainArgsOf<typeof listRows>, Named {}

/** The arguments of {@link listAdminOrganizationsOutput}. */
export type ListAdminOrganizationsOutputArgs = InputsOf<ListAdminOrganizationsArgs>;

/** The result of {@link listAdminOrganizations}. */
export interface ListAdminOrganizationsResult {
  /** The organizations, in the service's order. */
  readonly organizations: GetAdminOrganizationResult[];
  /** How many organizations the service has, if it returns the number. */
  readonly statusCounts:
    { readonly total: number; readonly active: number; readonly disabled: number } | undefined;
}

const listDefinition = defineFunction(provisioningService, listRows)(
  "provisioning.listAdminOrganizations",
  async (
    client,
    { q, email, name, moduleProducer, providerProducer, include },
  ): Promise<ListAdminOrganizationsResult> => {
    const { items, meta, included } = await client.listAll({
      summary: "list the organizations as an administrator",
      path: organizations,
      query: {
        q,
        "q[email]": email,
        "q[name]": name,
        "filter[module_producer]": moduleProducer,
        "filter[provider_producer]": providerProducer,
        include,
      },
      kind: organizationKind,
      meta: (z) =>
        z.object({
          "status-counts": z
            .object({ total: z.number(), active: z.number(), disabled: z.number() })
            .nullish(),
        }),
    });
    return {
      organizations: items.map((organization) =>
        organizationResult(client, organization, include && included),
      ),
      statusCounts: meta["status-counts"] ?? undefined,
    };
  },
);

/**
 * Lists the organizations of the service (all pages).
 *
 * @throws {@link errors.ServiceError} if the token does not belong to a site administrator
 */
export const listAdminOrganizations = promiseForm<
  ListAdminOrganizationsArgs | undefined,
  ListAdminOrganizationsResult
>(listDefinition);

/**
 * Lists the organizations of the service, with arguments that can be outputs.
 *
 * @throws {@link errors.InputError} if the provider is not a {@link Provider}
 */
export const listAdminOrganizationsOutput = outputForm<
  ListAdminOrganizationsOutputArgs | undefined,
  ListAdminOrganizationsResult
>(listDefinition);
