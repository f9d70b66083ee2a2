import type { Area } from "../area";
import type { EmulatorClock } from "../clock";
import { flag, textOrNull } from "../forms";
import { newIdentifier } from "../tokens";
import { AttributeTable, refusing, settable, type Refuse } from "./attributes";
import type { ProvisioningDialect } from "./dialect";
import {
  deletes,
  gets,
  pageOf,
  pageParameters,
  patches,
  pathPrefix,
  posts,
  type ProvisioningEndpoint,
  type ProvisioningRequest,
} from "./endpoint";
import { documentResponse, invalid, notFound, readRelationship, readResource, Refusal } from "./json-api";
import { notificationBodies, type RunDescription } from "./notification-body";
import type { Deliveries, NotificationDelivery, Verification } from "./notification-delivery";
import type {
  NotificationConfigurationRecord,
  NotificationConfigurationSettings,
  NotificationDestinationType,
  Records,
  WorkspaceRecord,
} from "./records";

export interface NotificationConfigurationsInspection {
  /** With their tokens, in clear text. */
  readonly notificationConfigurations: readonly NotificationConfigurationRecord[];
}

/** A configuration that exists without having been verified. */
export interface NewNotificationConfiguration extends Partial<NotificationConfigurationSettings> {
  /** Id of an existing workspace. */
  readonly workspace: string;
  readonly name: string;
  /** Default `generic`. */
  readonly destinationType?: NotificationDestinationType;
}

/** What happens to a configuration behind a program's back. */
export type NotificationConfigurationChange = Partial<
  NotificationConfigurationSettings & Pick<NotificationConfigurationRecord, "deliveryResponses">
>;

/** A notification about a run, or with a body of its own. */
export interface NewNotification extends RunDescription {
  /** Id of an existing workspace. */
  readonly workspace: string;
  /** One that the service has, such as `run:completed`. */
  readonly trigger: string;
  /** What generic receivers get instead of the description of a run: for notifications that are not about runs. */
  readonly body?: unknown;
}

/** Works behind a program's back. Every method throws an Error for what does not exist. */
export interface NotificationConfigurationsSetup {
  /** Without verification; the rules of the interface, such as the largest number, are not applied. */
  addNotificationConfiguration(configuration: NewNotificationConfiguration): NotificationConfigurationRecord;
  /** Without verification; the rules of the interface are not applied. */
  changeNotificationConfiguration(
    id: string,
    change: NotificationConfigurationChange,
  ): NotificationConfigurationRecord;
  removeNotificationConfiguration(id: string): void;
  /**
   * Sends a notification, signed where there is a token, to the receivers of all configurations of the workspace that
   * are enabled and have the trigger. The emulator sends no e-mail: such configurations are left out.
   *
   * @returns what the receivers returned
   */
  sendNotification(notification: NewNotification): Promise<NotificationDelivery[]>;
}

const mostPerWorkspace = 20;
const usersPointer = "/data/relationships/users";
const destinationTypes: readonly NotificationDestinationType[] = ["generic", "email", "chat-a", "chat-b"];

const textOrNothing = settable(textOrNull, null);
/** An empty text is none: an empty key signs nothing. */
const textOrNone = {
  ...textOrNothing,
  read: (value: unknown, refuse: Refuse) => textOrNothing.read(value, refuse) || null,
};

type Attributes = Omit<NotificationConfigurationRecord, "id" | "workspaceId" | "userIds">;

const attributes = new AttributeTable<Attributes>({
  destinationType: {
    read(value, refuse, dialect) {
      const found = destinationTypes.find((type) => dialect.destinationTypes[type] === value);
      if (found === undefined) {
        throw refuse(
          `must be one of ${destinationTypes.map((type) => dialect.destinationTypes[type]).join(", ")}`,
        );
      }
      return found;
    },
    show: (type, dialect) => dialect.destinationTypes[type],
  },
  name: {
    read(value, refuse) {
      if (typeof value !== "string") {
        throw refuse(value === null || value === undefined ? "can't be blank" : "must be a string");
      }
      return value;
    },
  },
  enabled: settable(flag, false),
  url: textOrNone,
  token: { ...textOrNone, show: () => null },
  triggers: {
    initial: () => [],
    read(value, refuse, { triggers: known }) {
      if (!Array.isArray(value)) {
        throw refuse("must be a list");
      }
      const sent: readonly unknown[] = value;
      const stranger = sent.find((trigger) => !known.some((name) => name === trigger));
      if (stranger !== undefined) {
        throw refuse(`may not hold ${JSON.stringify(stranger)}; known: ${known.join(", ")}`);
      }
      return known.filter((name) => sent.includes(name));
    },
  },
  deliveryResponses: {
    initial: () => [],
    show: (responses) => responses.map(({ sentAt, ...response }) => ({ ...response, "sent-at": sentAt })),
  },
  createdAt: {},
  updatedAt: {},
});

const collection = "/workspaces/:workspace_id/notification-configurations";
const path = "/notification-configurations/:notification_configuration_id";

/** The notification configurations of workspaces, and the notifications themselves. */
export function createNotificationConfigurationsArea(
  records: Records,
  clock: EmulatorClock,
  deliveries: Deliveries,
  dialect: ProvisioningDialect,
): Area<ProvisioningEndpoint, NotificationConfigurationsInspection, NotificationConfigurationsSetup> {
  const now = (): string => new Date(clock.now()).toISOString();
  const show = (configuration: NotificationConfigurationRecord): unknown =>
    toResource(configuration, dialect);
  const verifyIfEnabled = async (configuration: NotificationConfigurationRecord): Promise<Verification> => {
    const verification = configuration.enabled ? await deliveries.verify(configuration) : {};
    requireSuccess(verification);
    return verification;
  };
  const findWorkspace = (
    request: ProvisioningRequest,
    id = request.parameter("workspace_id"),
  ): WorkspaceRecord => {
    const workspace = records.workspaces.find(id);
    if (workspace === undefined || !records.isAccessible(workspace.organization)) {
      throw notFound();
    }
    const { projectId, organization } = workspace;
    if (!request.permissions.on({ id: projectId, organization }).administerWorkspaces) {
      throw notFound();
    }
    return workspace;
  };
  const findConfiguration = (request: ProvisioningRequest): NotificationConfigurationRecord => {
    const id = request.parameter("notification_configuration_id");
    const configuration = records.notificationConfigurations.find(id);
    if (configuration === undefined) {
      throw notFound();
    }
    findWorkspace(request, configuration.workspaceId);
    return configuration;
  };
  const requireRoom = ({ id }: WorkspaceRecord): void => {
    if (records.notificationConfigurationsOf(id).length >= mostPerWorkspace) {
      throw new Refusal(
        422,
        "unprocessable entity",
        `The workspace has ${mostPerWorkspace} notification configurations already, the most it can have.`,
      );
    }
  };
  const readUsers = (value: unknown, { organization }: WorkspaceRecord): string[] => {
    const ids = [...new Set(readRelationship(value, usersPointer, "users", dialect))];
    const stranger = ids.find((id) => !records.users.find(id)?.organizations.includes(organization));
    if (stranger !== undefined) {
      throw invalid(usersPointer, `User ${stranger} not found in the organization`);
    }
    return ids;
  };
  const readBody = (body: unknown, workspace: WorkspaceRecord, id?: string) => {
    const form = {
      type: dialect.notificationTypes,
      attributes: attributes.settable(dialect),
      relationships: ["users"],
      ...(id === undefined ? {} : { id }),
    };
    const sent = readResource(body, form, dialect);
    return {
      sent: sent.attributes,
      users: sent.relationships.has("users")
        ? { userIds: readUsers(sent.relationships.get("users"), workspace) }
        : {},
    };
  };
  const save = (configuration: NotificationConfigurationRecord): NotificationConfigurationRecord => {
    records.setNotificationConfiguration(configuration);
    return configuration;
  };

  return {
    endpoints: [
      posts(collection, async (request) => {
        const workspace = findWorkspace(request);
        const { sent, users } = readBody(request.body, workspace);
        const times = () => ({ createdAt: now(), updatedAt: now() });
        const draft: NotificationConfigurationRecord = {
          id: newIdentifier("nc-"),
          workspaceId: workspace.id,
          userIds: [],
          ...attributes.readNew(sent, dialect),
          ...users,
          ...times(),
        };
        requireFitting(draft, dialect);
        requireRoom(workspace);
        const verification = await verifyIfEnabled(draft);
        // While the receiver was asked, others may have removed the workspace or filled it.
        findWorkspace(request);
        requireRoom(workspace);
        const created = save(withResponse({ ...draft, ...times() }, verification));
        return documentResponse(201, { data: show(created) });
      }),
      gets(
        collection,
        (request) => {
          const all = records.notificationConfigurationsOf(findWorkspace(request).id);
          return pageParameters.some((parameter) => request.query.has(parameter))
            ? pageOf(all, request, show)
            : { data: all.map(show) };
        },
        pageParameters,
      ),
      gets(path, (request) => ({ data: show(findConfiguration(request)) })),
      patches(path, async (request) => {
        const change = (): NotificationConfigurationRecord => {
          const previous = findConfiguration(request);
          const workspace = records.workspaces.known(previous.workspaceId);
          const { sent, users } = readBody(request.body, workspace, previous.id);
          const changed = { ...previous, ...attributes.readChange(sent, dialect), ...users };
          if (changed.destinationType !== previous.destinationType) {
            throw refusing("destination-type")("can't be changed");
          }
          requireFitting(changed, dialect);
          return changed;
        };
        const verification = await verifyIfEnabled(change());
        // Applied once more: to what has become of the configuration while the receiver was asked.
        return { data: show(save(withResponse({ ...change(), updatedAt: now() }, verification))) };
      }),
      deletes(path, (request) => records.notificationConfigurations.remove(findConfiguration(request).id)),
      {
        method: "POST",
        path: `${path}/actions/verify`,
        async handle(request) {
          const verification = await deliveries.verify(findConfiguration(request));
          const verified = save(withResponse(findConfiguration(request), verification));
          requireSuccess(verification);
          return { data: show(verified) };
        },
      },
    ],
    setup: createSetup(records, now, deliveries, dialect),
    inspect: () => ({ notificationConfigurations: records.notificationConfigurations.all() }),
    clear() {
      deliveries.abandon();
      records.notificationConfigurations.clear();
    },
  };
}

function createSetup(
  records: Records,
  now: () => string,
  deliveries: Deliveries,
  dialect: ProvisioningDialect,
): NotificationConfigurationsSetup {
  const save = (configuration: NotificationConfigurationRecord): NotificationConfigurationRecord => {
    const { triggers } = configuration;
    const known = dialect.triggers.filter((trigger) => triggers.includes(trigger));
    const ordered = { ...configuration, triggers: [...new Set([...known, ...triggers])] };
    records.setNotificationConfiguration(structuredClone(ordered));
    return ordered;
  };
  return {
    addNotificationConfiguration: ({ workspace, ...settings }) =>
      save({
        id: newIdentifier("nc-"),
        workspaceId: workspace,
        userIds: [],
        ...attributes.initial(),
        destinationType: "generic",
        createdAt: now(),
        updatedAt: now(),
        ...settings,
      }),
    changeNotificationConfiguration: (id, change) =>
      save({ ...records.notificationConfigurations.known(id), ...change, updatedAt: now() }),
    removeNotificationConfiguration(id) {
      records.notificationConfigurations.remove(id);
    },
    async sendNotification({ workspace, trigger, body, ...run }) {
      if (!dialect.triggers.includes(trigger)) {
        const known = dialect.triggers.join(", ");
        throw new Error(`The service has no trigger ${JSON.stringify(trigger)}; it has ${known}.`);
      }
      const bodyFor = notificationBodies(records.workspaces.known(workspace), trigger, run, now(), dialect);
      const deliveriesUnderWay = records
        .notificationConfigurationsOf(workspace)
        .filter(({ enabled, triggers }) => enabled && triggers.includes(trigger))
        .flatMap((target) => {
          const own = body !== undefined && target.destinationType === "generic";
          return target.url === null
            ? []
            : [deliveries.deliver(target, target.url, own ? body : bodyFor(target))];
        });
      return Promise.all(deliveriesUnderWay);
    },
  };
}

/** Which attributes there may be depends on the destination. */
function requireFitting(
  { destinationType, url, token, userIds }: NotificationConfigurationRecord,
  dialect: ProvisioningDialect,
): void {
  const notSupported = `not supported for the destination type ${dialect.destinationTypes[destinationType]}`;
  if (destinationType === "email" && url !== null) {
    throw refusing("url")(`is ${notSupported}`);
  }
  if (destinationType !== "email" && url === null) {
    throw refusing("url")("can't be blank");
  }
  if (url !== null && (!/^https?:\/\/\S+$/i.test(url) || !URL.canParse(url))) {
    throw refusing("url")("must be an HTTP or HTTPS URL");
  }
  if (token !== null && destinationType !== "generic") {
    throw refusing("token")(`is ${notSupported}`);
  }
  if (userIds.length > 0 && destinationType !== "email") {
    throw invalid(usersPointer, `Users are ${notSupported}`);
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

/** Only a response replaces the response before. */
function withResponse(
  configuration: NotificationConfigurationRecord,
  { response }: Verification,
): NotificationConfigurationRecord {
  return response === undefined ? configuration : { ...configuration, deliveryResponses: [response] };
}

/** The resource as the interface shows it: without the token. */
function toResource(configuration: NotificationConfigurationRecord, dialect: ProvisioningDialect): unknown {
  const { id, workspaceId, destinationType, userIds } = configuration;
  const users = userIds.map((userId) => ({ id: userId, type: "users" }));
  return {
    id,
    type: "notification-configurations",
    attributes: {
      ...attributes.show(configuration, dialect),
      ...dialect.furtherAttributes.notificationConfiguration,
    },
    relationships: {
      subscribable: { data: { id: workspaceId, type: "workspaces" } },
      ...(destinationType === "email"
        ? { users: dialect.relationships.shown === "data" ? { data: users } : users }
        : {}),
    },
    links: { self: `${pathPrefix}/notification-configurations/${id}` },
  };
}
