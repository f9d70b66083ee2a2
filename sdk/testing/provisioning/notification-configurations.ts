import type { Area } from "../area";
import type { Answer } from "../answer";
import type { EmulatorClock } from "../clock";
import { newIdentifier } from "../identifiers";
import type { ProvisioningDialect } from "./dialect";
import type { ProvisioningEndpoint, ProvisioningRequest } from "./endpoint";
import { documentAnswer, noContent } from "./json-api";
import { readChangedConfiguration, readNewConfiguration } from "./notification-configuration-form";
import type { NotificationConfigurationRecord } from "./notification-configuration-record";
import { toNotificationConfigurationResource } from "./notification-configuration-resource";
import {
  createNotificationConfigurationsSetup,
  type NotificationConfigurationsSetup,
} from "./notification-configurations-setup";
import { noVerification, verify, type Verification } from "./notification-delivery";
import { pageParameters, paginate } from "./pagination";
import type { Receivers } from "./receivers";
import type { Records, WorkspaceRecord } from "./records";
import { notFound, Refusal } from "./refusal";

export interface NotificationConfigurationsInspection {
  /** With their tokens, in clear. */
  readonly notificationConfigurations: readonly NotificationConfigurationRecord[];
}

const mostPerWorkspace = 20;
const path = "/notification-configurations/:notification_configuration_id";

/** The notification configurations of workspaces, and the notifications themselves. */
export function createNotificationConfigurationsArea(
  records: Records,
  clock: EmulatorClock,
  receivers: Receivers,
  dialect: ProvisioningDialect,
): Area<ProvisioningEndpoint, NotificationConfigurationsInspection, NotificationConfigurationsSetup> {
  const now = (): string => new Date(clock.now()).toISOString();
  const toResource = (configuration: NotificationConfigurationRecord): unknown =>
    toNotificationConfigurationResource(configuration, dialect);
  const configurationAnswer = (status: number, configuration: NotificationConfigurationRecord): Answer =>
    documentAnswer(status, { data: toResource(configuration) });
  const verifyTarget = (target: Parameters<typeof verify>[0]): Promise<Verification> =>
    verify(target, receivers, clock, dialect);
  return {
    endpoints: [
      {
        method: "POST",
        path: "/workspaces/:workspace_id/notification-configurations",
        takesBody: true,
        async handle(request) {
          const workspace = findWorkspace(records, request);
          const description = readNewConfiguration(request.body, dialect, memberOf(records, workspace));
          requireRoom(records, workspace);
          const draft = { id: newIdentifier("nc-"), workspaceId: workspace.id, ...description };
          const verification = draft.enabled ? await verifyTarget(draft) : noVerification;
          requireSuccess(verification);
          // While the receiver was asked, others may have removed the workspace or filled it.
          findWorkspace(records, request);
          requireRoom(records, workspace);
          const { response } = verification;
          const configuration: NotificationConfigurationRecord = {
            ...draft,
            deliveryResponses: response === undefined ? [] : [response],
            createdAt: now(),
            updatedAt: now(),
          };
          records.setNotificationConfiguration(configuration);
          return configurationAnswer(201, configuration);
        },
      },
      {
        method: "GET",
        path: "/workspaces/:workspace_id/notification-configurations",
        query: pageParameters,
        takesBody: false,
        handle(request) {
          const { id } = findWorkspace(records, request);
          const all = records.notificationConfigurationsOf(id);
          if (!pageParameters.some((parameter) => request.query.has(parameter))) {
            return documentAnswer(200, { data: all.map(toResource) });
          }
          const { items, links, pagination } = paginate(all, request.query, request.url);
          const data = items.map(toResource);
          return documentAnswer(200, { data, links, meta: { pagination } });
        },
      },
      {
        method: "GET",
        path,
        takesBody: false,
        handle: (request) => configurationAnswer(200, findConfiguration(records, request)),
      },
      {
        method: "PATCH",
        path,
        takesBody: true,
        async handle(request) {
          const change = (): NotificationConfigurationRecord => {
            const previous = findConfiguration(records, request);
            const isMember = memberOf(records, records.workspace(previous.workspaceId));
            return { ...previous, ...readChangedConfiguration(request.body, previous, dialect, isMember) };
          };
          const wanted = change();
          const verification = wanted.enabled ? await verifyTarget(wanted) : noVerification;
          requireSuccess(verification);
          // Applied once more: to what has become of the configuration while the receiver was asked.
          const changed = withResponse({ ...change(), updatedAt: now() }, verification);
          records.setNotificationConfiguration(changed);
          return configurationAnswer(200, changed);
        },
      },
      {
        method: "DELETE",
        path,
        takesBody: false,
        handle(request) {
          records.removeNotificationConfiguration(findConfiguration(records, request).id);
          return noContent;
        },
      },
      {
        method: "POST",
        path: `${path}/actions/verify`,
        takesBody: false,
        async handle(request) {
          const verification = await verifyTarget(findConfiguration(records, request));
          const verified = withResponse(findConfiguration(records, request), verification);
          records.setNotificationConfiguration(verified);
          requireSuccess(verification);
          return configurationAnswer(200, verified);
        },
      },
    ],
    setup: createNotificationConfigurationsSetup(records, clock, receivers, dialect),
    inspect: () => ({ notificationConfigurations: [...records.notificationConfigurations.values()] }),
    clear() {
      receivers.abandon();
      records.notificationConfigurations.clear();
    },
  };
}

function findWorkspace(
  records: Records,
  request: ProvisioningRequest,
  id = request.parameter("workspace_id"),
): WorkspaceRecord {
  const workspace = records.workspaces.get(id);
  if (workspace === undefined || !records.isAccessible(workspace.organization)) {
    throw notFound();
  }
  const { projectId, organization } = workspace;
  if (!request.permissions.on({ id: projectId, organization }).administerWorkspaces) {
    throw notFound();
  }
  return workspace;
}

function findConfiguration(records: Records, request: ProvisioningRequest): NotificationConfigurationRecord {
  const id = request.parameter("notification_configuration_id");
  const configuration = records.notificationConfigurations.get(id);
  if (configuration === undefined) {
    throw notFound();
  }
  findWorkspace(records, request, configuration.workspaceId);
  return configuration;
}

function memberOf(records: Records, { organization }: WorkspaceRecord): (userId: string) => boolean {
  return (userId) => records.users.get(userId)?.organizations.includes(organization) === true;
}

function requireRoom(records: Records, { id }: WorkspaceRecord): void {
  if (records.notificationConfigurationsOf(id).length >= mostPerWorkspace) {
    throw new Refusal(
      422,
      "unprocessable entity",
      `The workspace has ${mostPerWorkspace} notification configurations already, the most it can have.`,
    );
  }
}

function requireSuccess({ failure }: Verification): void {
  if (failure !== undefined) {
    throw new Refusal(
      400,
      "verification failed",
      `The verification request to the destination URL could not be completed: ${failure}.`,
    );
  }
}

/** Only an answer replaces the answer before. */
function withResponse(
  configuration: NotificationConfigurationRecord,
  { response }: Verification,
): NotificationConfigurationRecord {
  return response === undefined ? configuration : { ...configuration, deliveryResponses: [response] };
}
