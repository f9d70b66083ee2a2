import type { Area } from "../area";
import type { EmulatorClock } from "../clock";
import { flag, textOrNull } from "../schemas";
import { newIdentifier } from "../tokens";
import { AttributeTable, refusing, settable, type Refuse } from "./attributes";
import { deletes, gets, pageOf, pageParameters, patches, pathPrefix, posts } from "./endpoint";
import type { ProvisioningEndpoint, ProvisioningRequest } from "./endpoint";
import { BodyReader, documentResponse, invalid, notFound, Refusal } from "./json-api";
import { notificationBodies, type Notifier, type Verification } from "./notifications";
import type { Records } from "./records";
import type { NotificationConfigurationRecord, NotificationConfigurationsInspection } from "./types";
import type { NotificationConfigurationsSetup, NotificationDestinationType, WorkspaceRecord } from "./types";

const limitPerWorkspace = 20;
const usersPointer = "/data/relationships/users";

const runTriggers = ["created", "planning", "needs_attention", "applying", "completed", "errored"];
const productTriggers = [
  "assessment:drifted",
  "assessment:check_failure",
  "assessment:failed",
  "workspace:auto_destroy_reminder",
  "workspace:auto_destroy_run_results",
];

/** In the order of the service. */
function triggersOf(isHashicorp: boolean): readonly string[] {
  const others = isHashicorp ? productTriggers : ["assessment:drifted", "assessment:failed"];
  return [...runTriggers.map((name) => `run:${name}`), ...others];
}

type DestinationTypes = ReadonlyMap<NotificationDestinationType, string>;

function destinationTypesOf(isHashicorp: boolean): DestinationTypes {
  return new Map([
    ["generic", "generic"],
    ["email", "email"],
    ["chat-a", isHashicorp ? "slack" : "chat-a"],
    ["chat-b", isHashicorp ? "microsoft-teams" : "chat-b"],
  ]);
}

const nullableText = settable(textOrNull, null);
/** An empty string means none, because an empty key signs nothing. */
const textOrNone = {
  ...nullableText,
  read: (value: unknown, refuse: Refuse) => nullableText.read(value, refuse) || null,
};

type Attributes = Omit<NotificationConfigurationRecord, "id" | "workspaceId" | "userIds">;

function createAttributes(types: DestinationTypes, known: readonly string[]): AttributeTable<Attributes> {
  return new AttributeTable<Attributes>({
    destinationType: {
      read(value, refuse) {
        const [found] = [...types].find(([, name]) => name === value) ?? [];
        if (found === undefined) {
          throw refuse(`must be one of ${[...types.values()].join(", ")}`);
        }
        return found;
      },
      returned: (type) => types.get(type),
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
    token: { ...textOrNone, returned: () => null },
    triggers: {
      initial: [],
      read(value, refuse) {
        if (!Array.isArray(value)) {
          throw refuse("must be a list");
        }
        const sent: readonly unknown[] = value;
        const unknown = sent.find((trigger) => !known.some((name) => name === trigger));
        if (unknown !== undefined) {
          throw refuse(`may not contain ${JSON.stringify(unknown)}; known: ${known.join(", ")}`);
        }
        return known.filter((name) => sent.includes(name));
      },
    },
    deliveryResponses: {
      initial: [],
      returned: (responses) =>
        responses.map(({ sentAt, ...response }) => ({ ...response, "sent-at": sentAt })),
    },
    createdAt: {},
    updatedAt: {},
  });
}

const collection = "/workspaces/:workspace_id/notification-configurations";
const path = "/notification-configurations/:notification_configuration_id";

export function createNotificationConfigurationsArea(
  records: Records,
  clock: EmulatorClock,
  notifier: Notifier,
  isHashicorp: boolean,
  clearsUnsentUsers: boolean,
): Area<ProvisioningEndpoint, NotificationConfigurationsInspection, NotificationConfigurationsSetup> {
  const bodies = new BodyReader(isHashicorp);
  const types = destinationTypesOf(isHashicorp);
  const triggers = triggersOf(isHashicorp);
  const attributes = createAttributes(types, triggers);
  const now = (): string => new Date(clock.now()).toISOString();
  const show = (configuration: NotificationConfigurationRecord): unknown => {
    const { id, workspaceId, destinationType, userIds } = configuration;
    const users = userIds.map((userId) => ({ id: userId, type: "users" }));
    const addresses = isHashicorp ? { "email-addresses": [], "external-email-addresses": [] } : {};
    return {
      id,
      type: "notification-configurations",
      attributes: { ...attributes.returned(configuration), ...addresses },
      relationships: {
        subscribable: { data: { id: workspaceId, type: "workspaces" } },
        ...(destinationType === "email" ? { users: isHashicorp ? { data: users } : users } : {}),
      },
      links: { self: `${pathPrefix}/notification-configurations/${id}` },
    };
  };
  const verifyIfEnabled = async (configuration: NotificationConfigurationRecord): Promise<Verification> => {
    const verification = configuration.enabled ? await notifier.verify(configuration) : {};
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
  const requireCapacity = ({ id }: WorkspaceRecord): void => {
    if (records.notificationConfigurationsOf(id).length >= limitPerWorkspace) {
      throw new Refusal(
        422,
        "unprocessable entity",
        `The workspace already has ${limitPerWorkspace} notification configurations, which is the limit.`,
      );
    }
  };
  const readUsers = (value: unknown, { organization }: WorkspaceRecord): string[] => {
    const ids = [...new Set(bodies.relationship(value, "users", usersPointer))];
    const unknown = ids.find((id) => !records.users.find(id)?.organizations.includes(organization));
    if (unknown !== undefined) {
      throw invalid(usersPointer, `User ${unknown} not found in the organization`);
    }
    return ids;
  };
  const readBody = (body: unknown, workspace: WorkspaceRecord, id?: string) => {
    const shape = {
      // The products also accept the plural.
      type: ["notification-configuration", ...(isHashicorp ? ["notification-configurations"] : [])],
      attributes: attributes.names,
      relationships: ["users"],
      ...(id === undefined ? {} : { id }),
    };
    const sent = bodies.resource(body, shape);
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
  /** For setup: does not apply the rules of the API. */
  const saveForSetup = (configuration: NotificationConfigurationRecord): NotificationConfigurationRecord => {
    const unknown = configuration.triggers.filter((trigger) => !triggers.includes(trigger));
    const known = triggers.filter((trigger) => configuration.triggers.includes(trigger));
    return save({ ...configuration, triggers: [...known, ...new Set(unknown)] });
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
          ...attributes.readNew(sent),
          ...users,
          ...times(),
        };
        requireConsistency(draft, types);
        requireCapacity(workspace);
        const verification = await verifyIfEnabled(draft);
        // Another request may have removed or filled the workspace during the verification.
        findWorkspace(request);
        requireCapacity(workspace);
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
          const workspace = records.workspaces.get(previous.workspaceId);
          const { sent, users } = readBody(request.body, workspace, previous.id);
          const unsent = clearsUnsentUsers ? { userIds: [] } : {};
          const changed = { ...previous, ...unsent, ...attributes.readChange(sent), ...users };
          if (changed.destinationType !== previous.destinationType) {
            throw refusing("destination-type")("can't be changed");
          }
          requireConsistency(changed, types);
          return changed;
        };
        const verification = await verifyIfEnabled(change());
        // Applied again: another request may have changed the configuration during the verification.
        return { data: show(save(withResponse({ ...change(), updatedAt: now() }, verification))) };
      }),
      deletes(path, (request) => records.notificationConfigurations.remove(findConfiguration(request).id)),
      {
        method: "POST",
        path: `${path}/actions/verify`,
        async handle(request) {
          const verification = await notifier.verify(findConfiguration(request));
          const verified = save(withResponse(findConfiguration(request), verification));
          requireSuccess(verification);
          return { data: show(verified) };
        },
      },
    ],
    setup: {
      addNotificationConfiguration: ({ workspace, ...settings }) =>
        saveForSetup({
          id: newIdentifier("nc-"),
          workspaceId: workspace,
          userIds: [],
          ...attributes.with({ destinationType: "generic", createdAt: now(), updatedAt: now(), ...settings }),
        }),
      changeNotificationConfiguration: (id, change) =>
        saveForSetup({ ...records.notificationConfigurations.get(id), ...change, updatedAt: now() }),
      removeNotificationConfiguration: (id) => records.notificationConfigurations.remove(id),
      async sendNotification({ workspace, trigger, body, ...run }) {
        if (!triggers.includes(trigger)) {
          const known = triggers.join(", ");
          throw new Error(`The service has no trigger ${JSON.stringify(trigger)}; it has ${known}.`);
        }
        const workspaceRecord = records.workspaces.get(workspace);
        const bodyFor = notificationBodies(workspaceRecord, trigger, run, now(), isHashicorp);
        const targets = records
          .notificationConfigurationsOf(workspace)
          .filter((target) => target.enabled && target.triggers.includes(trigger));
        const deliveries = targets.flatMap((target) => {
          const hasOwnBody = body !== undefined && target.destinationType === "generic";
          return target.url === null
            ? []
            : [notifier.deliver(target, target.url, hasOwnBody ? body : bodyFor(target))];
        });
        return Promise.all(deliveries);
      },
    },
    inspect: () => ({ notificationConfigurations: records.notificationConfigurations.all() }),
  };
}

function requireConsistency(
  { destinationType, url, token, userIds }: NotificationConfigurationRecord,
  types: DestinationTypes,
): void {
  const notSupported = `not supported for the destination type ${types.get(destinationType)}`;
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

function withResponse(
  configuration: NotificationConfigurationRecord,
  { response }: Verification,
): NotificationConfigurationRecord {
  return response === undefined ? configuration : { ...configuration, deliveryResponses: [response] };
}
