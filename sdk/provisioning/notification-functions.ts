import { provisioningService } from "./service";
import type * as pulumi from "@pulumi/pulumi";
import {
  callFunction,
  callFunctionOutput,
  callInScript,
  type FunctionOptions,
  type ScriptFunctionOptions,
} from "../functions/call";
import type { FunctionDefinition } from "../functions/definition";
import { NotFoundError } from "../base/errors";
import { path } from "../base/path";
import { nameInPath } from "../resource/schemas";
import type { ProvisioningClient } from "./client";
import type { DestinationType, NotificationTrigger } from "./dialect";
import { configurationsOf, verifyConfiguration } from "./notification-configuration";
import { type DeliveryResponse, type NotificationObject, notificationKind } from "./notification-wire";

/** A notification configuration as functions answer it. */
export interface GetNotificationConfigurationResult {
  /** Its id: `nc-...`. */
  readonly id: string;
  /** The id of the workspace that it belongs to: `ws-...`; empty when it belongs to a project or a team. */
  readonly workspaceId: string;
  /** Its name. */
  readonly name: string;
  /** Where notifications go to. */
  readonly destinationType: DestinationType;
  /** Whether notifications are sent. */
  readonly enabled: boolean;
  /** The receiver's URL; null for e-mail. Secret. */
  readonly url: string | null;
  /** What it notifies about. */
  readonly triggers: NotificationTrigger[];
  /** The users that are notified by e-mail. */
  readonly userIds: string[];
  /** What the receiver answered to the last verification. Secret. */
  readonly deliveryResponses: DeliveryResponse[];
  /** When it was created: ISO 8601; empty when the service does not say. */
  readonly createdAt: string;
  /** When it was last changed: ISO 8601; empty when the service does not say. */
  readonly updatedAt: string;
}

/** The arguments of {@link getNotificationConfiguration} and {@link verifyNotificationConfiguration}. */
export interface GetNotificationConfigurationArgs {
  /** The configuration's id: `nc-...`. */
  id: string;
}

/** The arguments of {@link getNotificationConfigurationOutput}. */
export interface GetNotificationConfigurationOutputArgs {
  /** The configuration's id: `nc-...`. */
  id: pulumi.Input<string>;
}

/** The arguments of {@link listNotificationConfigurations}. */
export interface ListNotificationConfigurationsArgs {
  /** The id of the workspace: `ws-...`. */
  workspaceId: string;
}

/** The arguments of {@link listNotificationConfigurationsOutput}. */
export interface ListNotificationConfigurationsOutputArgs {
  /** The id of the workspace: `ws-...`. */
  workspaceId: pulumi.Input<string>;
}

/** What {@link listNotificationConfigurations} answers. */
export interface ListNotificationConfigurationsResult {
  /** The configurations, in the service's order. */
  readonly notificationConfigurations: GetNotificationConfigurationResult[];
}

function resultOf({ id, state }: NotificationObject): GetNotificationConfigurationResult {
  return {
    ...state,
    id,
    workspaceId: state.workspaceId ?? "",
    url: state.url ?? null,
    triggers: state.triggers ?? [],
    userIds: state.userIds ?? [],
    deliveryResponses: state.deliveryResponses ?? [],
    createdAt: state.createdAt ?? "",
    updatedAt: state.updatedAt ?? "",
  };
}

const getDefinition: FunctionDefinition<
  ProvisioningClient,
  GetNotificationConfigurationArgs,
  GetNotificationConfigurationResult
> = {
  name: "provisioning.getNotificationConfiguration",
  service: provisioningService,
  secret: true,
  schema: (z) => z.strictObject({ id: nameInPath(z) }),
  async call(client, { id }) {
    const configuration = await client.show({
      summary: `read the notification configuration ${id}`,
      path: path`/notification-configurations/${id}`,
      kind: notificationKind,
      id,
    });
    if (configuration === undefined) {
      throw new NotFoundError(`There is no notification configuration ${id}, or this token may not see it.`);
    }
    return resultOf(configuration);
  },
};

/**
 * Reads one notification configuration. Its URL and what its receiver answered are secrets.
 *
 * @throws {@link errors.NotFoundError} when there is none, or the service does not show it to this token
 */
export function getNotificationConfiguration(
  args: GetNotificationConfigurationArgs,
  options?: FunctionOptions,
): Promise<GetNotificationConfigurationResult> {
  return callFunction(getDefinition, args, options);
}

/**
 * Reads one notification configuration, with arguments that may be outputs. The result is secret.
 *
 * @throws {@link errors.InputError} when the provider is not a {@link Provider}
 */
export function getNotificationConfigurationOutput(
  args: GetNotificationConfigurationOutputArgs,
  options?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetNotificationConfigurationResult> {
  return callFunctionOutput(getDefinition, { ...args }, options);
}

const listDefinition: FunctionDefinition<
  ProvisioningClient,
  ListNotificationConfigurationsArgs,
  ListNotificationConfigurationsResult
> = {
  name: "provisioning.listNotificationConfigurations",
  service: provisioningService,
  secret: true,
  schema: (z) => z.strictObject({ workspaceId: nameInPath(z) }),
  async call(client, { workspaceId }) {
    const { items } = await client.listAll({
      summary: `list the notification configurations of the workspace ${workspaceId}`,
      path: configurationsOf(workspaceId),
      kind: notificationKind,
      meta: (z) => z.unknown(),
    });
    return { notificationConfigurations: items.map(resultOf) };
  },
};

/**
 * Lists the notification configurations of a workspace. Their URLs and what receivers answered are secrets.
 *
 * @throws {@link errors.ServiceError} when the service refuses
 */
export function listNotificationConfigurations(
  args: ListNotificationConfigurationsArgs,
  options?: FunctionOptions,
): Promise<ListNotificationConfigurationsResult> {
  return callFunction(listDefinition, args, options);
}

/**
 * Lists the notification configurations of a workspace, with arguments that may be outputs. The result is secret.
 *
 * @throws {@link errors.InputError} when the provider is not a {@link Provider}
 */
export function listNotificationConfigurationsOutput(
  args: ListNotificationConfigurationsOutputArgs,
  options?: pulumi.InvokeOutputOptions,
): pulumi.Output<ListNotificationConfigurationsResult> {
  return callFunctionOutput(listDefinition, { ...args }, options);
}

const verifyDefinition: typeof getDefinition = {
  ...getDefinition,
  name: "provisioning.verifyNotificationConfiguration",
  async call(client, { id }) {
    const configuration = await verifyConfiguration(client, id);
    return resultOf(configuration);
  },
};

/**
 * Makes the service send a verification request to the receiver of a configuration, and reads the configuration
 * with the receiver's answer. For scripts: in a program, {@link NotificationConfiguration} is verified by itself.
 *
 * @throws {@link errors.TriviumError} when the receiver could not be reached; {@link errors.InputError} inside a Pulumi program
 */
export function verifyNotificationConfiguration(
  args: GetNotificationConfigurationArgs,
  options?: ScriptFunctionOptions,
): Promise<GetNotificationConfigurationResult> {
  return callInScript(verifyDefinition, "provisioning.NotificationConfiguration", args, options);
}
