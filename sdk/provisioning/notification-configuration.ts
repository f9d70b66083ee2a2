import { provisioningService } from "./service";
import type * as pulumi from "@pulumi/pulumi";
import { TriviumError } from "../base/errors";
import { path, type Path } from "../base/path";
import { isResource, TriviumResource } from "../resource/base";
import { set } from "../resource/canonical";
import type { Dialect } from "../base/settings";
import type { Validation } from "../base/validation";
import {
  type DesiredBySchema,
  defineResourceBySchema,
  type RemoteState,
  type Step,
} from "../resource/definition";
import { assertGetSupported } from "../resource/get";
import { isObject } from "../base/json";
import { durationInSeconds, nameInPath, warnOfEmpty } from "../resource/schemas";
import { sameTriggers, type Triggers, triggersArgument } from "../resource/triggers";
import type { Absence, ProvisioningClient } from "./client";
import { destinationTypeArgument } from "./destination-type";
import { type DestinationType, type NotificationTrigger, provisioningDialects } from "./dialect";
import { explainFullWorkspace } from "./full-workspace";
import { isGiven, notificationRules } from "./notification-rules";
import {
  type DeliveryResponse,
  notificationDocument,
  notificationKind,
  type NotificationObject,
} from "./notification-wire";
import { untilVerified, type VerificationWait } from "./verification";

/** How to wait for a receiver that is not up yet, and when to verify it again. */
export interface NotificationVerification {
  /**
   * How long to wait altogether: `"30s"`, or a number of seconds.
   *
   * @default fail at once
   */
  timeout?: pulumi.Input<string | number | null | undefined>;
  /**
   * How long to wait between two attempts: `"2s"`, or a number of seconds.
   *
   * @default one second, doubled after each attempt, up to ten seconds
   */
  interval?: pulumi.Input<string | number | null | undefined>;
  /** Values whose change makes the service verify the receiver again. They mean nothing else. */
  triggers?: pulumi.Input<Record<string, pulumi.Input<string | number | boolean>> | null | undefined>;
}

/** The arguments of a {@link NotificationConfiguration}. */
export interface NotificationConfigurationArgs {
  /** The id of the workspace that it belongs to: `ws-...`. A change replaces the configuration. */
  workspaceId: pulumi.Input<string>;
  /** A name for people. A change renames it in place. */
  name: pulumi.Input<string>;
  /**
   * Where notifications go to: `"generic"` (an HTTP request in the service's own format), `"email"`, or one of two
   * team chats, `"chat-a"` and `"chat-b"`: in the hashicorp dialect Slack and Microsoft Teams. The names are the same
   * in both dialects. A change replaces the configuration.
   */
  destinationType: pulumi.Input<DestinationType>;
  /**
   * Whether notifications are sent. Enabling, and every change while enabled, makes the service send a verification
   * request first; unless the receiver answers it with success, nothing is saved.
   *
   * @default false
   */
  enabled?: pulumi.Input<boolean | null | undefined>;
  /** The receiver's HTTP or HTTPS URL, for all destination types but `"email"`. Kept secret. */
  url?: pulumi.Input<string | null | undefined>;
  /**
   * The key with which `"generic"` notifications are signed. Kept secret. The service never returns it, so that a
   * change in the service cannot be seen.
   *
   * @default not signed
   */
  token?: pulumi.Input<string | null | undefined>;
  /**
   * What to notify about: `run:created`, `run:planning`, `run:needs_attention`, `run:applying`, `run:completed`,
   * `run:errored`, `assessment:drifted`, `assessment:failed`; in the hashicorp dialect any others too, such as
   * `assessment:check_failure`. Neither order nor repetition counts.
   *
   * @default nothing
   */
  triggers?: pulumi.Input<pulumi.Input<NotificationTrigger>[] | null | undefined>;
  /** Ids of users of the organization to notify, for `"email"`. The order does not count. */
  userIds?: pulumi.Input<pulumi.Input<string>[] | null | undefined>;
  /**
   * Wait for the receiver when verification fails, instead of failing at once; and verify it again when `triggers`
   * change. No other change of it makes a request.
   *
   * @default fail at once
   */
  verification?: pulumi.Input<NotificationVerification | null | undefined>;
  /**
   * Take over the configuration of this name and destination type if the workspace has exactly one, instead of
   * creating another one. Counts at creation only; a change does nothing.
   *
   * @default false
   */
  adopt?: pulumi.Input<boolean | null | undefined>;
}

const schema = (z: Validation, dialect: Dialect) => {
  const spoken = provisioningDialects[dialect];
  const { triggers } = spoken;
  return {
    workspaceId: nameInPath(z),
    name: z.string(),
    destinationType: destinationTypeArgument(z, spoken),
    enabled: z.boolean().optional(),
    url: z
      .string()
      .regex(/^https?:\/\/[^\s/]/i, "must be an HTTP or HTTPS URL")
      .optional(),
    token: z.string().optional(),
    triggers: z.array(triggers === undefined ? z.string() : z.enum(triggers)).optional(),
    userIds: z.array(z.string()).optional(),
    verification: z
      .strictObject({
        timeout: durationInSeconds(z).nullish(),
        interval: durationInSeconds(z)
          .refine((seconds) => seconds > 0, "must be longer than 0")
          .nullish(),
        triggers: triggersArgument(z).nullable(),
      })
      .optional(),
    adopt: z.boolean().optional(),
  };
};

type Wanted = DesiredBySchema<ReturnType<typeof schema>>;

/**
 * The path of a workspace's configurations.
 *
 * @internal
 */
export function configurationsOf(workspaceId: string): Path {
  return path`/workspaces/${workspaceId}/notification-configurations`;
}

/** The list that proves whether a configuration exists. */
function absenceOf(id: string, workspaceId: unknown): Absence {
  return {
    what: `notification configuration ${id}`,
    id,
    list:
      typeof workspaceId === "string"
        ? { path: configurationsOf(workspaceId), kind: notificationKind }
        : undefined,
  };
}

function waitOf({ verification }: Wanted): VerificationWait | undefined {
  const { timeout, interval } = verification ?? {};
  return typeof timeout === "number" ? { timeout, interval: interval ?? undefined } : undefined;
}

function isToVerify({ verification }: Wanted, { verification: former }: RemoteState): boolean {
  return !sameTriggers(isObject(former) ? former.triggers : undefined, verification?.triggers);
}

/** What a workspace had before a creation, by the arguments of the creation. */
const present = new WeakMap<Wanted, ReadonlySet<string>>();

function listConfigurations(
  { client }: Step<ProvisioningClient>,
  { workspaceId, name }: Wanted,
  fresh: boolean,
): Promise<readonly NotificationObject[]> {
  const request = {
    summary: `look for the notification configuration ${JSON.stringify(name)} in the workspace ${workspaceId}`,
    path: configurationsOf(workspaceId),
    kind: notificationKind,
  };
  return client.listAmong(request, fresh);
}

/** Names are not unique, so that a creation collides with nothing. */
async function findToAdopt(
  step: Step<ProvisioningClient>,
  wanted: Wanted,
): Promise<NotificationObject | undefined> {
  const configurations = await listConfigurations(step, wanted, false);
  present.set(wanted, new Set(configurations.map(({ id }) => id)));
  const [first, ...others] = configurations.filter((each) => isCalled(each, wanted));
  if (first === undefined || (wanted.adopt === true && others.length === 0)) {
    return first;
  }
  const ids = [first, ...others].map(({ id }) => id).join(", ");
  const has = `The workspace ${wanted.workspaceId} already has`;
  step.announce(
    "warning",
    wanted.adopt === true
      ? `${has} ${others.length + 1} notification configurations with this name and destination type (${ids}), so none ` +
          "was adopted. Another one is created."
      : `${has} a notification configuration with this name and destination type (${ids}). Another one is created; to ` +
          "manage the existing one instead, set `adopt: true`.",
  );
  return undefined;
}

/** Finds what a creation has left whose response was lost: what the list has now and did not have before. */
async function findCreated(
  step: Step<ProvisioningClient>,
  wanted: Wanted,
): Promise<NotificationObject | undefined> {
  const before = present.get(wanted);
  const created = (await listConfigurations(step, wanted, true)).filter(
    (each) => isCalled(each, wanted) && before?.has(each.id) === false,
  );
  const [only, ...others] = created;
  if (only === undefined) {
    throw new TriviumError(
      `the workspace ${wanted.workspaceId} has no new notification configuration with this name and destination type.`,
    );
  }
  if (others.length > 0) {
    throw new TriviumError(
      `the workspace ${wanted.workspaceId} has several new notification configurations with this name and ` +
        `destination type: ${created.map(({ id }) => id).join(", ")}. Delete those that nobody else uses.`,
    );
  }
  step.client.noteWritten(configurationsOf(wanted.workspaceId), only.id, only);
  return only;
}

function isCalled({ state }: NotificationObject, { name, destinationType }: Wanted): boolean {
  return state.name === name && state.destinationType === destinationType;
}

/**
 * Makes the service send a verification request to the receiver of a configuration.
 *
 * @internal
 */
export function verifyConfiguration(client: ProvisioningClient, id: string): Promise<NotificationObject> {
  return client.act({
    summary: `verify the notification configuration ${id}`,
    path: path`/notification-configurations/${id}/actions/verify`,
    kind: notificationKind,
    id,
    slow: true,
  });
}

/** @internal */
export const notificationConfigurationDefinition = defineResourceBySchema<ProvisioningClient>()({
  type: "provisioning:NotificationConfiguration",
  service: provisioningService,
  // A full workspace has no room for the new one.
  deleteBeforeReplace: true,
  timeoutArgument: "verification.timeout",
  schema,
  rules: notificationRules,
  arguments: {
    workspaceId: { replaces: true },
    name: { warning: warnOfEmpty },
    destinationType: { replaces: true },
    enabled: { cleared: false },
    url: { secret: true },
    token: {
      secret: true,
      writeOnly: true,
      warning: (token) => (token === "" ? "is empty: notifications are not signed" : undefined),
    },
    triggers: { canonical: set, cleared: [] },
    userIds: { canonical: set, cleared: [], warning: warnOfEmpty },
    verification: {
      writeOnly: true,
      local: true,
      warning: (verification) =>
        isObject(verification) && isGiven(verification.interval) && !isGiven(verification.timeout)
          ? "has an interval but no timeout: nothing is waited for"
          : undefined,
    },
    adopt: { role: "creation" },
  },
  outputs: {
    // It repeats the URL, which chat services take for a password.
    deliveryResponses: { secret: true, commonWords: true },
    createdAt: { optional: true },
    updatedAt: { optional: true },
  },

  inTurn: ({ client }, wanted, work) =>
    client.inTurn(JSON.stringify([wanted.workspaceId, wanted.name, wanted.destinationType]), work),

  find: (step, wanted, fresh) => (fresh ? findCreated(step, wanted) : findToAdopt(step, wanted)),

  async create(step, wanted) {
    const { client } = step;
    const { workspaceId, name } = wanted;
    const create = (): Promise<NotificationObject> =>
      client.create({
        summary: `create the notification configuration ${JSON.stringify(name)} in the workspace ${workspaceId}`,
        path: configurationsOf(workspaceId),
        document: notificationDocument(wanted, () => true, client.dialect),
        kind: notificationKind,
        slow: true,
      });
    const created = await untilVerified(step, waitOf(wanted), create).catch((error: unknown) =>
      explainFullWorkspace(client, workspaceId, configurationsOf(workspaceId), error),
    );
    client.noteWritten(configurationsOf(workspaceId), created.id, created);
    return created;
  },

  async read({ client }, id, { workspaceId }) {
    const request = {
      summary: `read the notification configuration ${id}`,
      path: path`/notification-configurations/${id}`,
      kind: notificationKind,
      id,
    };
    const configuration =
      typeof workspaceId === "string"
        ? await client.showAmong({ ...request, list: configurationsOf(workspaceId) })
        : await client.show(request);
    if (configuration === undefined) {
      await client.proveAbsent(absenceOf(id, workspaceId));
    }
    return configuration?.state;
  },

  async update(step, id, wanted, changed, known) {
    const { client } = step;
    let configuration: NotificationObject | undefined;
    if ([...changed].some((name) => name !== "verification")) {
      configuration = await untilVerified(step, waitOf(wanted), () =>
        client.update({
          summary: `update the notification configuration ${id}`,
          path: path`/notification-configurations/${id}`,
          document: notificationDocument(wanted, (name) => changed.has(name), client.dialect, id),
          kind: notificationKind,
          id,
          slow: true,
        }),
      );
    }
    // The service has verified an enabled one already before it saved the update.
    if (configuration?.state.enabled !== true && isToVerify(wanted, known)) {
      configuration = await untilVerified(step, waitOf(wanted), () => verifyConfiguration(client, id));
    }
    if (configuration === undefined) {
      return known;
    }
    client.noteWritten(configurationsOf(wanted.workspaceId), id, configuration);
    return configuration.state;
  },

  async delete({ client }, id, { workspaceId }) {
    await client.delete({
      summary: `delete the notification configuration ${id}`,
      path: path`/notification-configurations/${id}`,
      absence: absenceOf(id, workspaceId),
    });
    if (typeof workspaceId === "string") {
      client.noteWritten(configurationsOf(workspaceId), id, undefined);
    }
  },
});

/**
 * A configuration that makes the provisioning service send notifications about the runs of a workspace: by HTTP
 * request, to a team chat, or by e-mail.
 *
 * Its id is the service's own (`nc-...`). While it is enabled, the service verifies the receiver before it saves
 * anything: a receiver that does not answer with success makes creation or update fail with the service's reason,
 * unless `verification` says how long to wait for it. A workspace can have 20 configurations.
 *
 * Names are not unique: a configuration is created although the workspace has one of the same name and destination
 * type, and a warning names that. `adopt` takes it over if it is the only one. A change of `verification.triggers`
 * makes the service verify the receiver again.
 *
 * `url`, `token` and `deliveryResponses` are secrets. Drift of `token` cannot be seen; all else can.
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
 *
 * Documented under "Notification configurations" in the provisioning service's interface.
 */
export class NotificationConfiguration extends TriviumResource {
  /** @internal */
  static override readonly definition = notificationConfigurationDefinition;

  /** The id of the workspace that it belongs to. */
  declare readonly workspaceId: pulumi.Output<string>;
  /** Its name. */
  declare readonly name: pulumi.Output<string>;
  /** Where notifications go to. */
  declare readonly destinationType: pulumi.Output<DestinationType>;
  /** Whether notifications are sent. */
  declare readonly enabled: pulumi.Output<boolean>;
  /** The receiver's URL; null for e-mail. Secret. */
  declare readonly url: pulumi.Output<string | null>;
  /** The key of the signatures as it was last set; `undefined` when this program has not set one. Secret. */
  declare readonly token: pulumi.Output<string | null | undefined>;
  /** What it notifies about. */
  declare readonly triggers: pulumi.Output<NotificationTrigger[]>;
  /** The users that are notified by e-mail. */
  declare readonly userIds: pulumi.Output<string[]>;
  /** How long to wait for the receiver, and when to verify it again. */
  declare readonly verification: pulumi.Output<
    | { timeout?: string | number | null; interval?: string | number | null; triggers?: Triggers | null }
    | null
    | undefined
  >;
  /** What the receiver answered to the last verification; empty when there was none. Secret. */
  declare readonly deliveryResponses: pulumi.Output<DeliveryResponse[]>;
  /** When it was created: ISO 8601. */
  declare readonly createdAt: pulumi.Output<string>;
  /** When it was last changed: ISO 8601. */
  declare readonly updatedAt: pulumi.Output<string>;

  /**
   * Reads an existing configuration without managing it: it is never changed nor deleted.
   *
   * @param name the unique name of the resulting resource in the program
   * @param id the configuration's id: `nc-...`
   * @throws {@link errors.TriviumError} when the program runs with an SDK older than 3.268.0
   */
  static get(
    name: string,
    id: pulumi.Input<pulumi.ID>,
    options?: pulumi.CustomResourceOptions,
  ): NotificationConfiguration {
    assertGetSupported("provisioning.NotificationConfiguration");
    return new NotificationConfiguration(name, undefined, { ...options, id });
  }

  /** Whether a value is a notification configuration, also one that another copy of the library has made. */
  static override isInstance(value: unknown): value is NotificationConfiguration {
    return isResource(value, notificationConfigurationDefinition);
  }

  /**
   * @param name the unique name of the resource in the program
   * @param args what the configuration is to be
   * @throws {@link errors.InputError} when an option cannot work, such as `import`
   */
  constructor(name: string, args: NotificationConfigurationArgs, options?: pulumi.CustomResourceOptions);
  /** @internal */
  constructor(
    name: string,
    args: NotificationConfigurationArgs | undefined,
    options?: pulumi.CustomResourceOptions,
  );
  constructor(
    name: string,
    args: NotificationConfigurationArgs | undefined,
    options?: pulumi.CustomResourceOptions,
  ) {
    super(notificationConfigurationDefinition, name, args, options);
  }
}
