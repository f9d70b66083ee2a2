import type * as Zod from "zod";
import type { Caller } from "../base/caller";
import { advisedOtherwise, onStatus, type ServiceError, TriviumError } from "../base/errors";
import { path } from "../base/path";
import type { Dialect } from "../base/settings";
import { outputForm, promiseForm, scriptForm } from "../functions/call";
import { defineFunction } from "../functions/definition";
import { ReadableResource } from "../resource/program/base";
import { defineResource, type RemoteState, type Rule, type Look } from "../resource/definition";
import type { InputsOf, ResultOf } from "../functions/results";
import {
  type Desired,
  field,
  Fields,
  kebabCase,
  type Kind,
  type KindIn,
  objectOf,
  output,
  outputAs,
  type Validation,
  type Given,
} from "../resource/fields/field";
import {
  adopt,
  durationAsWritten,
  flag,
  isGiven,
  oneOf,
  pathName,
  positiveDuration,
  nameInResponse,
  sameTriggers,
  text,
  textSet,
  triggers,
  warnOfEmpty,
  wordSet,
} from "../resource/fields/kinds";
import type { ArgsOf, MembersOf, Named, OutputsOf, PlainArgsOf, ValuesOf } from "../resource/fields/rows";
import type { ListRequest, Member, ProvisioningClient } from "./client";
import { type FoundObject, resourceKind, toMany, toOne } from "./kind";
import { provisioningDialects } from "./dialect";
import { provisioningService } from "./service";
import { untilVerified } from "./verification";

/**
 * The type of a notification's destination. In the hashicorp dialect `"slack"` is the same as `"chat-a"`, and
 * `"microsoft-teams"` the same as `"chat-b"`; the output is `"chat-a"` or `"chat-b"`.
 */
export type DestinationType = (typeof DestinationType)[keyof typeof DestinationType];

/** The values of the type of this name, as generated programs write them. */
export const DestinationType = {
  Generic: "generic",
  Email: "email",
  Chat_a: "chat-a",
  Chat_b: "chat-b",
  Slack: "slack",
  Microsoft_teams: "microsoft-teams",
} as const;

/**
 * The events that a notification can be about; the last five only in the hashicorp dialect. For triggers of
 * newer releases, which that dialect also accepts, use a cast: `"run:paused" as NotificationTrigger`.
 */
export type NotificationTrigger = (typeof NotificationTrigger)[keyof typeof NotificationTrigger];

/** The values of the type of this name, as generated programs write them. */
export const NotificationTrigger = {
  Run_created: "run:created",
  Run_planning: "run:planning",
  Run_needs_attention: "run:needs_attention",
  Run_applying: "run:applying",
  Run_completed: "run:completed",
  Run_errored: "run:errored",
  Assessment_drifted: "assessment:drifted",
  Assessment_failed: "assessment:failed",
  Assessment_check_failure: "assessment:check_failure",
  Workspace_auto_destroy_reminder: "workspace:auto_destroy_reminder",
  Workspace_auto_destroy_run_results: "workspace:auto_destroy_run_results",
  Workspace_deleted: "workspace:deleted",
  Change_request_created: "change_request:created",
} as const;

const verificationRows = {
  /**
   * The total time to wait: `"30s"`, or a number of seconds.
   *
   * @default fail at once
   */
  timeout: field(durationAsWritten(), { optional: true }),
  /**
   * The interval between attempts: `"2s"`, or a number of seconds.
   *
   * @default one second, doubled after each attempt, up to ten seconds
   */
  interval: field(durationAsWritten(positiveDuration), { optional: true }),
  /** Arbitrary values. If one changes, the receiver is verified again. */
  triggers: triggers(),
};

/** How long to wait for a receiver that is not running yet, and when to verify the receiver again. */
export interface NotificationVerification extends ArgsOf<typeof verificationRows>, Named {}

interface VerificationValue extends MembersOf<typeof verificationRows> {}

const verification: KindIn<NotificationVerification, VerificationValue> = objectOf(verificationRows);

const deliveryRows = {
  /** The URL that the request was sent to. */
  url: output(text()),
  /** The body of the response, possibly truncated. */
  body: outputAs((z) => z.string(), { told: "kept" }, ""),
  /** The HTTP status. */
  code: outputAs((z) => z.union([z.string(), z.number().transform(String)])),
  /** The response headers, by lower-case name. */
  headers: outputAs<Record<string, string[]>, { readonly told: "kept" }>(
    (z) => z.record(z.string(), z.union([z.array(z.string()), z.string().transform((value) => [value])])),
    { told: "kept" },
    {},
  ),
  /** When the request was sent, in the service's format: `2026-01-02 03:04:05 UTC`, or ISO 8601. */
  sentAt: output(text()),
  /** Whether the service considers the response a success. */
  successful: outputAs((z) =>
    z.union([z.boolean(), z.enum(["true", "false"]).transform((value) => value === "true")]),
  ),
};

/** The receiver's response to the last verification request. */
export interface DeliveryResponse extends ValuesOf<typeof deliveryRows> {}

/** What a response can leave out. */
const leftOut = { body: "", headers: {} };

function deliveries(dialect: Dialect): Kind<never, DeliveryResponse[]> {
  const { response } = objectOf(deliveryRows, kebabCase)(dialect);
  return {
    argument: (z) => z.never(),
    response: (z) => z.array(response(z).transform((found) => ({ ...leftOut, ...found }))),
    nothing: [],
  };
}

const hasValue = <Value>(value: Value): value is NonNullable<Value> =>
  value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);

const destinationTypes: readonly DestinationType[] = ["generic", "email", "chat-a", "chat-b"];

const documentedTriggers: readonly NotificationTrigger[] = [
  "run:created",
  "run:planning",
  "run:needs_attention",
  "run:applying",
  "run:completed",
  "run:errored",
  "assessment:drifted",
  "assessment:failed",
];

const parentOptions = { optional: true, replaces: true, told: "kept", nullable: true } as const;

const rows = {
  /**
   * The ID of the workspace to notify about: `ws-...`. Required in the documented dialect; in the hashicorp dialect,
   * exactly one of `workspaceId`, `projectId` and `teamId` is required. A change replaces the configuration.
   */
  workspaceId: toOne({ wire: "workspaces", ...parentOptions, optional: { hashicorp: true } }),
  /**
   * The ID of the project to notify about, including all its workspaces: `prj-...`. A change replaces the
   * configuration. Requires HCP Terraform (since April 2026) or Terraform Enterprise 2.0. Only in the hashicorp
   * dialect.
   */
  projectId: toOne({ wire: "projects", ...parentOptions, only: "hashicorp" }),
  /**
   * The ID of the team to notify: `team-...`. The only trigger for teams is `change_request:created`. A change replaces
   * the configuration. Requires HCP Terraform, or Terraform Enterprise from about v202412. Only in the hashicorp
   * dialect.
   */
  teamId: toOne({ wire: "teams", ...parentOptions, only: "hashicorp" }),
  /** The display name. A change renames it in place. */
  name: text({ check: warnOfEmpty }),
  /**
   * Where notifications are sent: `"generic"` (an HTTP request in the service's own format), `"email"`, or one of two
   * team chats, `"chat-a"` and `"chat-b"`. In the hashicorp dialect, these are Slack and Microsoft Teams, and the
   * products' names `"slack"` and `"microsoft-teams"` are valid too; the output is `"chat-a"` or `"chat-b"`. A change
   * replaces the configuration.
   */
  destinationType: oneOf(destinationTypes, {
    replaces: true,
    wireWords: { hashicorp: { "chat-a": "slack", "chat-b": "microsoft-teams" } },
  }),
  /**
   * Whether notifications are sent. When you enable a configuration, or change one that is enabled, the
   * service first sends a verification request, and saves nothing unless the receiver responds with success.
   * For `"email"` no request is sent: people verify the addresses. A disabled configuration does not send
   * notifications.
   *
   * @default false
   */
  enabled: flag({ cleared: false }),
  /**
   * The receiver's HTTP or HTTPS URL. Required for every destination type except `"email"`, for which the output is
   * null. Secret.
   */
  url: text({
    secret: true,
    optional: true,
    told: "kept",
    nullable: true,
    check: (url) => !/^https?:\/\/[^\s/]\S*$/i.test(url) && "must be an HTTP or HTTPS URL",
  }),
  /**
   * The key for signing `"generic"` notifications. Secret. The service never returns the key, so drift is not
   * detected; the output is `undefined` if this program has not set the key.
   *
   * @default not signed
   */
  token: text({
    secret: true,
    told: "never",
    optional: true,
    check: (token) => token === "" && { warning: "is empty: notifications are not signed" },
  }),
  /**
   * The events to notify about. Order and duplicates do not matter. For runs: `run:created` (it is pending),
   * `run:planning` (it starts), `run:needs_attention` (a plan waits for an approval or a policy override),
   * `run:applying`, `run:completed` (it succeeded) and `run:errored` (it failed or was canceled).
   *
   * For drift detection: `assessment:drifted` and `assessment:failed`. These occur only in workspaces with drift
   * detection, and not in Terraform Enterprise, the self-hosted edition. The hashicorp dialect also has
   * `assessment:check_failure`, `workspace:auto_destroy_reminder`, `workspace:auto_destroy_run_results`,
   * `workspace:deleted` and, for teams, `change_request:created`. For any other trigger of the product, use a cast.
   *
   * @default nothing
   */
  // The products add new triggers.
  triggers: wordSet({ documented: documentedTriggers }, { cleared: [] }),
  /**
   * The IDs of the organization's users to notify, for `"email"`. The order does not matter. In the hashicorp
   * dialect, a configuration without users or addresses notifies everybody with access to the project; the
   * preview warns about this.
   */
  userIds: toMany("users", { wire: "users", cleared: [], told: "kept", check: warnOfEmpty }),
  /**
   * Addresses to notify in addition to `userIds`, for `"email"`. The order does not matter. A change is made in place.
   * Only in the hashicorp dialect: Terraform Enterprise.
   */
  emailAddresses: textSet({
    only: { dialect: "hashicorp", since: "Terraform Enterprise" },
    cleared: [],
    told: "maybe",
    check: warnOfEmpty,
  }),
  /**
   * How long to wait for the receiver if the verification fails, and when to verify the receiver again. Only
   * a change of `triggers` sends a request.
   *
   * @default fail at once
   */
  verification: field(verification, {
    told: "never",
    local: "class",
    optional: true,
    check: ({ timeout, interval }) =>
      hasValue(interval) &&
      !hasValue(timeout) && { warning: "has an interval but no timeout, so nothing is retried" },
  }),
  /**
   * Adopt the existing configuration with this name and destination type, instead of creating another one.
   * The workspace (or project, or team) must have exactly one. Only used at creation; a later change has no
   * effect.
   *
   * @default false
   */
  adopt: adopt(),
  /** The receiver's response to the most recent verification; empty if there was none. Secret. */
  // Responses contain the URL, which chat services treat as a password.
  deliveryResponses: output(field(deliveries, { secret: true, recomputedBy: true })),
  /** When the configuration was created: ISO 8601. */
  createdAt: output(text({ told: "maybe" })),
  /** When the configuration was last changed: ISO 8601. */
  updatedAt: output(text({ told: "maybe", recomputedBy: true })),
};

const fields = new Fields(rows, kebabCase);

/** The arguments of a {@link NotificationConfiguration}. */
export interface NotificationConfigurationArgs extends ArgsOf<typeof rows>, Named {}

type DesiredConfiguration = Desired<typeof rows>;

type FoundConfiguration = FoundObject<typeof rows>;

/** @internal */
const kindAsRead = resourceKind("notification-configurations", fields, {
  prepared: bySubscriber,
  // Only email configurations have users, and they do not have a URL.
  defaults: ({ state: { destinationType } }) =>
    destinationType === "email" ? { url: null } : { userIds: [] },
});

/** @internal */
export const notificationKind: typeof kindAsRead = {
  ...kindAsRead,
  document(desired, dialect, change) {
    const { data } = kindAsRead.document(desired, dialect, change);
    return { data: { ...data, type: provisioningDialects[dialect].notificationType } };
  },
};

/** A single relationship names the workspace, project or team; here each of the three has its own name. */
function bySubscriber(z: Validation, dialect: Dialect): Zod.ZodType {
  const data = z.object({ id: nameInResponse(z), type: z.string().optional() }).nullish();
  const subscribable = z.object({ data }).nullish();
  const none = provisioningDialects[dialect].notifiesOfProjects
    ? { workspaces: null, projects: null, teams: null }
    : {};
  return z
    .looseObject({ relationships: z.looseObject({ subscribable }).nullish() })
    .transform((configuration) => {
      const named = configuration.relationships?.subscribable;
      const { type = "workspaces" } = named?.data ?? {};
      return named?.data
        ? { ...configuration, relationships: { ...configuration.relationships, ...none, [type]: named } }
        : configuration;
    });
}

const parents = { workspaceId: "workspace", projectId: "project", teamId: "team" } as const;
const lists = {
  workspaceId: (id: string) => path`/workspaces/${id}/notification-configurations`,
  projectId: (id: string) => path`/projects/${id}/notification-configurations`,
  teamId: (id: string) => path`/teams/${id}/notification-configurations`,
};
const parentNames = Object.keys(parents) as (keyof typeof parents)[];

type Subscriber = { readonly [Name in keyof typeof parents]?: string | null | undefined };

function knownParent(values: Subscriber) {
  for (const name of parentNames) {
    const id = values[name];
    if (isGiven(id)) {
      return { kind: parents[name], what: `${parents[name]} ${id}`, list: lists[name](id) };
    }
  }
  return undefined;
}

function parentOf(values: Subscriber) {
  const parent = knownParent(values);
  if (parent === undefined) {
    throw new TriviumError(`workspaceId ${withoutParent}.`);
  }
  return parent;
}

function memberOf(id: string, known: Subscriber = {}): Member<FoundConfiguration> {
  const list = knownParent(known)?.list;
  const what = `notification configuration ${id}`;
  return { what, id, path: path`/notification-configurations/${id}`, kind: notificationKind, list };
}

function listRequest(values: Subscriber): ListRequest<FoundConfiguration> {
  const { what, list } = parentOf(values);
  return {
    summary: `list the notification configurations of the ${what}`,
    path: list,
    kind: notificationKind,
  };
}

const mostPerParent = 20;

/**
 * Names are not unique: others with the same name cause a warning, or one of them is adopted if the program
 * sets `adopt`.
 */
function findToAdopt(caller: Caller, desired: DesiredConfiguration, same: readonly FoundConfiguration[]) {
  const [first] = same;
  const { adopt } = desired;
  if (first === undefined || (adopt === true && same.length === 1)) {
    return first;
  }
  const { what: parent } = parentOf(desired);
  const ids = same.map(({ id }) => id).join(", ");
  const what = `with this name and destination type (${ids})`;
  caller.announce(
    "warning",
    adopt === true
      ? `The ${parent} already has ${same.length} notification configurations ${what}, so none was ` +
          "adopted. Another one is created."
      : `The ${parent} already has a notification configuration ${what}. Another one is created; to ` +
          "manage the existing one instead, set `adopt: true`.",
  );
  return undefined;
}

/** Finds the object of a creation whose response was lost: the only new one in the list. */
function onlyCreated(desired: DesiredConfiguration, created: readonly FoundConfiguration[]) {
  const [only, ...others] = created;
  if (only !== undefined && others.length === 0) {
    return only;
  }
  const ids = created.map(({ id }) => id).join(", ");
  const { what } = parentOf(desired);
  throw new TriviumError(
    only === undefined
      ? `the ${what} has no new notification configuration with this name and destination type.`
      : `the ${what} has several new notification configurations with this name and destination ` +
          `type: ${ids}. Delete the ones that are not in use elsewhere.`,
  );
}

async function findLike({ client }: { readonly client: ProvisioningClient }, desired: DesiredConfiguration) {
  const all = await client.listTogether(listRequest(desired));
  const { name, destinationType } = desired;
  const same = all.filter(({ state }) => state.name === name && state.destinationType === destinationType);
  return { all, same };
}

async function explainRefusal(
  client: ProvisioningClient,
  desired: DesiredConfiguration,
  error: ServiceError,
): Promise<never> {
  // A failed count must not hide the error of the creation.
  const present = await client.listAll(listRequest(desired)).catch(() => undefined);
  const count = present?.items.length ?? 0;
  const limit = `already has ${count} notification configurations; the maximum is ${mostPerParent}.`;
  throw count < mostPerParent ? error : advisedOtherwise(error, `The ${parentOf(desired).what} ${limit}`);
}

function verify(client: ProvisioningClient, member: Member<FoundConfiguration>): Promise<FoundConfiguration> {
  return client.post({
    ...member,
    summary: `verify the ${member.what}`,
    path: path`/notification-configurations/${member.id}/actions/verify`,
    slow: true,
  });
}

const withoutParent = "is required without projectId and teamId";

function problemOfParent(given: Subscriber) {
  const [first, second] = parentNames.filter((name) => hasValue(given[name]));
  return first === undefined
    ? { argument: "workspaceId" as const, reason: withoutParent }
    : second !== undefined && { argument: second, reason: `must not be set together with ${first}` };
}

/**
 * The documentation names the type that uses an argument, but does not forbid the argument for other types.
 */
function onlyFor(
  argument: keyof typeof rows,
  isValid: (type: unknown) => boolean,
  reason: string,
): Rule<Given<typeof rows>> {
  return {
    between: ["destinationType", argument],
    byPresence: [argument],
    check({ destinationType, [argument]: value }, dialect) {
      const warning = !provisioningDialects[dialect].refusesUnused;
      const told = warning ? `is not used: it ${reason}` : reason;
      return hasValue(value) && !isValid(destinationType) && { argument, reason: told, warning };
    },
  };
}

const rules: readonly Rule<Given<typeof rows>>[] = [
  { between: parentNames, byPresence: parentNames, check: problemOfParent },
  {
    between: ["teamId", "triggers"],
    check: ({ teamId, triggers }) =>
      hasValue(teamId) &&
      triggers?.some((trigger) => trigger !== "change_request:created") && {
        argument: "triggers",
        reason: 'of a team can only have "change_request:created": the service might reject others',
        warning: true,
      },
  },
  {
    between: ["destinationType", "url"],
    check: ({ destinationType: type, url }) =>
      type !== "email" &&
      !hasValue(url) && { argument: "url", reason: `is required when destinationType is "${type ?? ""}"` },
  },
  onlyFor("url", (type) => type !== "email", 'is only valid for other types of destinations than "email"'),
  onlyFor(
    "token",
    (type) => type === "generic",
    'is only valid for destinationType "generic": others are not signed',
  ),
  ...(["userIds", "emailAddresses"] as const).map((argument) =>
    onlyFor(argument, (type) => type === "email", 'is only valid for destinationType "email"'),
  ),
  {
    between: ["destinationType", "userIds", "emailAddresses"],
    check: ({ destinationType: type, userIds, emailAddresses }, dialect) =>
      provisioningDialects[dialect].mailsEverybody &&
      type === "email" &&
      !hasValue(userIds) &&
      !hasValue(emailAddresses) && {
        argument: "userIds",
        reason: "is missing: every member with access to the project gets the emails",
        warning: true,
      },
  },
];

/** @internal */
export const notificationConfigurationDefinition = defineResource(provisioningService, fields)(
  "provisioning:NotificationConfiguration",
  {
    identity: { idIs: "the configuration's ID: `nc-...`" },
    // A parent with the maximum number has no room for the new one.
    deleteBeforeReplace: true,
    rules,
    importedBy: {
      option: Object.values(parents),
      async ids(client, id, kind) {
        if (kind !== parents.workspaceId && !provisioningDialects[client.dialect].notifiesOfProjects) {
          throw new TriviumError(
            `Notification configurations of a ${kind} are only available in the hashicorp dialect, but this service uses the ${client.dialect} dialect.`,
          );
        }
        return (await client.listAll(listRequest({ [`${kind}Id`]: id }))).items.map((found) => found.id);
      },
      known: (id, kind) => ({ [`${kind}Id`]: id }),
    },

    turn: (_step, desired) => JSON.stringify([parentOf(desired).list, desired.name, desired.destinationType]),

    async look(step, desired): Promise<Look<ReadonlySet<string>>> {
      const { all, same } = await findLike(step, desired);
      return { existing: findToAdopt(step, desired, same), seen: new Set(all.map(({ id }) => id)) };
    },

    async recover(step, desired, seen) {
      const { same } = await findLike(step, desired);
      const created = same.filter(({ id }) => seen?.has(id) === false);
      return onlyCreated(desired, created);
    },

    create(step, desired) {
      const { client } = step;
      const { kind, what, list } = parentOf(desired);
      return untilVerified(step, desired.verification, () =>
        client.post({
          summary: `create the notification configuration ${JSON.stringify(desired.name)} in the ${what}`,
          path: list,
          document: notificationKind.document(desired, client.dialect),
          kind: notificationKind,
          slow: true,
          advice: {
            404:
              `The ${what} does not exist, or the token is not allowed to create notification configurations in ` +
              `it, which requires the permission to administer the ${kind}. \`npx pulumi-trivium doctor provisioning\` checks the token.`,
          },
        }),
      ).catch(onStatus([403, 409, 422], (error) => explainRefusal(client, desired, error)));
    },

    read: async ({ client }, id, known) => (await client.readMember(memberOf(id, known)))?.state,

    async update(step, id, desired, changed, current) {
      const { client } = step;
      const { verification: former } = current;
      const member = memberOf(id, desired);
      let state: RemoteState = current;
      if ([...changed].some((name) => name !== "verification")) {
        const namesUsers =
          provisioningDialects[client.dialect].mayDropUsers && desired.destinationType === "email";
        const sent = namesUsers ? new Set([...changed, "userIds"]) : changed;
        const kept = namesUsers && !changed.has("userIds") ? { userIds: current.userIds ?? [] } : {};
        const document = notificationKind.document({ ...desired, ...kept }, client.dialect, {
          id,
          changed: sent,
        });
        const request = { ...member, summary: `update the ${member.what}`, document, slow: true };
        ({ state } = await untilVerified(step, desired.verification, () => client.patch(request)));
      }
      const isSame = sameTriggers(former?.triggers, desired.verification?.triggers);
      // The service verifies an enabled configuration before it saves an update.
      if (!isSame && (state === current || state.enabled !== true)) {
        ({ state } = await untilVerified(step, desired.verification, () => verify(client, member)));
      }
      return state;
    },

    delete: ({ client }, id, known) => client.deleteMember(memberOf(id, known)),
  },
);

export interface NotificationConfiguration extends OutputsOf<typeof rows> {}

/**
 * Makes the provisioning service (HCP Terraform or Terraform Enterprise) send notifications about a workspace's runs by
 * HTTP request, team chat or email. In the hashicorp dialect, it can also cover all workspaces of a project, or notify
 * a team.
 *
 * The service assigns the ID (`nc-...`). The token needs admin access to the workspace. While the
 * configuration is enabled, the service verifies the receiver before it saves anything. If the receiver does
 * not respond with success, the creation or update fails with the service's explanation, unless
 * `verification` sets a time to wait. A workspace or project can have up to 20 configurations.
 *
 * Names are not unique: if the workspace already has a configuration with the same name and destination type,
 * another one is created, with a warning. `adopt: true` adopts the existing one if there is only one. When
 * `verification.triggers` changes, the receiver is verified again.
 *
 * `url`, `token` and `deliveryResponses` are secrets. Drift in `token` is not detected; all other drift is.
 *
 * ## Example Usage
 *
 * ```typescript
 * import * as pulumi from "@pulumi/pulumi";
 * import * as trivium from "pulumi-trivium";
 *
 * const config = new pulumi.Config();
 *
 * const notification = new trivium.provisioning.NotificationConfiguration("deployments", {
 *   workspaceId: "ws-4jYzgpqCuGAG3mCt",
 *   name: "deployments",
 *   destinationType: "generic",
 *   enabled: true,
 *   url: "https://hooks.example.com/runs",
 *   token: config.requireSecret("signingKey"),
 *   triggers: ["run:completed", "run:errored"],
 *   verification: { timeout: "60s" },
 * });
 * ```
 */
export class NotificationConfiguration extends ReadableResource<NotificationConfigurationArgs> {
  /** @internal */
  static override readonly definition = notificationConfigurationDefinition;
}

/**
 * A notification configuration as functions return it. Values that the service does not return are empty or
 * null.
 */
export type GetNotificationConfigurationResult = ResultOf<
  NotificationConfiguration,
  "token" | "verification"
>;

const idRows = {
  /** The configuration's ID: `nc-...`. */
  id: pathName(),
};

/** The arguments of {@link getNotificationConfiguration} and {@link verifyNotificationConfiguration}. */
export interface GetNotificationConfigurationArgs extends PlainArgsOf<typeof idRows>, Named {}

/** The arguments of {@link getNotificationConfigurationOutput}. */
export type GetNotificationConfigurationOutputArgs = InputsOf<GetNotificationConfigurationArgs>;

const resultOf = (
  { dialect }: ProvisioningClient,
  { id, state }: FoundConfiguration,
): GetNotificationConfigurationResult => fields.in(dialect).result({ id }, state);

const byId = defineFunction(provisioningService, idRows);

const getDefinition = byId(
  "provisioning.getNotificationConfiguration",
  async (client, { id }): Promise<GetNotificationConfigurationResult> =>
    resultOf(client, await client.get(memberOf(id))),
  { secret: true },
);

/**
 * Reads a notification configuration. Its URL and the receiver's responses are secrets.
 *
 * @throws {@link errors.NotFoundError} if the configuration does not exist, or the token has no access to it
 */
export const getNotificationConfiguration = promiseForm<
  GetNotificationConfigurationArgs,
  GetNotificationConfigurationResult
>(getDefinition);

/**
 * Reads a notification configuration, with arguments that can be outputs. The result is secret.
 *
 * @throws {@link errors.InputError} if the provider is not a {@link Provider}
 */
export const getNotificationConfigurationOutput = outputForm<
  GetNotificationConfigurationOutputArgs,
  GetNotificationConfigurationResult
>(getDefinition);

const listRows = {
  /** The ID of the workspace: `ws-...`. In the hashicorp dialect, set exactly one of the three arguments. */
  workspaceId: pathName({ optional: { hashicorp: true } }),
  /** The ID of the project: `prj-...`. Only in the hashicorp dialect. */
  projectId: pathName({ only: "hashicorp", optional: true }),
  /** The ID of the team: `team-...`. Only in the hashicorp dialect. */
  teamId: pathName({ only: "hashicorp", optional: true }),
};

/** The arguments of {@link listNotificationConfigurations}. */
export interface ListNotificationConfigurationsArgs extends PlainArgsOf<typeof listRows>, Named {}

/** The arguments of {@link listNotificationConfigurationsOutput}. */
export type ListNotificationConfigurationsOutputArgs = InputsOf<ListNotificationConfigurationsArgs>;

/** The result of {@link listNotificationConfigurations}. */
export interface ListNotificationConfigurationsResult {
  /** The configurations, in the service's order. */
  readonly notificationConfigurations: GetNotificationConfigurationResult[];
}

const listDefinition = defineFunction(provisioningService, listRows)(
  "provisioning.listNotificationConfigurations",
  async (client, args): Promise<ListNotificationConfigurationsResult> => ({
    notificationConfigurations: (await client.listAll(listRequest(args))).items.map((each) =>
      resultOf(client, each),
    ),
  }),
  {
    secret: true,
    problem(args) {
      const { argument, reason } = problemOfParent(args) || {};
      return argument && `${argument} ${reason}`;
    },
  },
);

/**
 * Lists the notification configurations of a workspace, a project or a team. Their URLs and the receivers'
 * responses are secrets.
 *
 * @throws {@link errors.ServiceError} if the service returns an error
 */
export const listNotificationConfigurations = promiseForm<
  ListNotificationConfigurationsArgs,
  ListNotificationConfigurationsResult
>(listDefinition);

/**
 * Lists the notification configurations of a workspace, a project or a team, with arguments that can be outputs. The
 * result is secret.
 *
 * @throws {@link errors.InputError} if the provider is not a {@link Provider}
 */
export const listNotificationConfigurationsOutput = outputForm<
  ListNotificationConfigurationsOutputArgs,
  ListNotificationConfigurationsResult
>(listDefinition);

const verifyDefinition = byId(
  "provisioning.verifyNotificationConfiguration",
  async (client, { id }): Promise<GetNotificationConfigurationResult> =>
    resultOf(client, await verify(client, memberOf(id))),
  { secret: true },
);

/**
 * Makes the service send a verification request to a configuration's receiver, and returns the configuration
 * with the receiver's response, even if that is an error. For scripts only: in a program,
 * {@link NotificationConfiguration} verifies its receiver automatically.
 *
 * @throws {@link errors.TriviumError} if the receiver could not be reached; {@link errors.InputError} inside
 * a Pulumi program
 */
export const verifyNotificationConfiguration = scriptForm<
  GetNotificationConfigurationArgs,
  GetNotificationConfigurationResult
>(verifyDefinition, "provisioning.NotificationConfiguration");
