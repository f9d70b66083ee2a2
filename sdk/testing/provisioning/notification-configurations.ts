import type { Area } from "../area";
import type { ServiceBasics } from "../response";
import { flag, names, textOrNull } from "../schemas";
import { newIdentifier } from "../tokens";
import { AttributeTable, refusing, settable, type Refuse } from "./attributes";
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
import { BodyReader, documentResponse, invalid, notFound, Refusal } from "./json-api";
import { notificationBodies } from "./notification-bodies";
import type { Notifier, Verification } from "./notifications";
import type { Records, Subscriber } from "./records";
import type {
  NotificationConfigurationRecord,
  NotificationConfigurationsInspection,
  NotificationConfigurationsSetup,
  NotificationDestinationType,
} from "./types";
import type { ProvisioningTraits } from "./traits";

const limit = 20;
const usersPointer = "/data/relationships/users";

const runTriggers = ["created", "planning", "needs_attention", "applying", "completed", "errored"];
/** In the order of the service. */
function triggersOf({ triggers }: ProvisioningTraits): readonly string[] {
  return [...runTriggers.map((name) => `run:${name}`), ...triggers];
}

type DestinationTypes = ReadonlyMap<NotificationDestinationType, string>;

function destinationTypesOf({ chats }: ProvisioningTraits): DestinationTypes {
  return new Map<NotificationDestinationType, string>([
    ["generic", "generic"],
    ["email", "email"],
    ["chat-a", chats["chat-a"]],
    ["chat-b", chats["chat-b"]],
  ]);
}

const nullableText = settable(textOrNull, null);
/** An empty string means none, because an empty key signs nothing. */
const textOrNone = {
  ...nullableText,
  read: (value: unknown, refuse: Refuse) => nullableText.read(value, refuse) || null,
};

type Attributes = Omit<NotificationConfigurationRecord, "id" | Subscriber | "userIds">;

function createAttributes(
  types: DestinationTypes,
  known: readonly string[],
  { notifiesAddresses }: ProvisioningTraits,
): AttributeTable<Attributes> {
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
          throw refuse(`must not contain ${JSON.stringify(unknown)}; known: ${known.join(", ")}`);
        }
        return known.filter((name) => sent.includes(name));
      },
    },
    emailAddresses: notifiesAddresses
      ? settable<readonly string[]>(names, [])
      : { initial: [], returned: () => undefined },
    deliveryResponses: {
      initial: [],
      returned: (responses) =>
        responses.map(({ sentAt, ...response }) => ({ ...response, "sent-at": sentAt })),
    },
    createdAt: {},
    updatedAt: {},
  });
}

/** Only workspaces in the documented dialect. */
const subscribers = { workspaceId: "workspace", projectId: "project", teamId: "team" } as const;
const subscriberKeys = Object.keys(subscribers) as Subscriber[];

interface Subscribed {
  readonly key: Subscriber;
  readonly id: string;
  readonly organization: string;
}

const path = "/notification-configurations/:notification_configuration_id";

export function createNotificationConfigurationsArea(
  records: Records,
  { clock, address }: Pick<ServiceBasics, "clock" | "address">,
  notifier: Notifier,
  traits: ProvisioningTraits,
  clearsUnsentUsers: boolean,
): Area<ProvisioningEndpoint, NotificationConfigurationsInspection, NotificationConfigurationsSetup> {
  const bodies = new BodyReader(traits);
  const types = destinationTypesOf(traits);
  const triggers = triggersOf(traits);
  const attributes = createAttributes(types, triggers, traits);
  const now = (): string => new Date(clock.now()).toISOString();
  const show = (configuration: NotificationConfigurationRecord): unknown => {
    const { id, destinationType, userIds } = configuration;
    const [key, subscriber] = subscriberOf(configuration);
    const users = userIds.map((userId) => ({ id: userId, type: "users" }));
    const addresses = traits.notifiesAddresses ? { "external-email-addresses": [] } : {};
    return {
      id,
      type: "notification-configurations",
      attributes: { ...attributes.returned(configuration), ...addresses },
      relationships: {
        subscribable: { data: { id: subscriber, type: `${subscribers[key]}s` } },
        ...(destinationType === "email" || users.length > 0
          ? { users: traits.wrapsUsers ? { data: users } : users }
          : {}),
      },
      links: { self: `${pathPrefix}/notification-configurations/${id}` },
    };
  };
  const verifyIfEnabled = async (configuration: NotificationConfigurationRecord): Promise<Verification> => {
    const verification = configuration.enabled ? await notifier.verify(configuration) : {};
    requireSuccess(verification);
    return verification;
  };
  const projectOf = (key: Subscriber, id: string) => {
    const workspace = key === "workspaceId" ? records.workspaces.find(id) : undefined;
    return key === "teamId" ? undefined : records.projects.find(workspace?.projectId ?? id);
  };
  const findSubscriber = (
    { permissions }: ProvisioningRequest,
    [key, id]: readonly [Subscriber, string],
  ): Subscribed => {
    const project = projectOf(key, id);
    const organization = (project ?? records.teams.find(id))?.organization ?? "";
    const rights = project === undefined ? permissions.in(organization) : permissions.on(project);
    if (!records.isAccessible(organization) || !rights.administerWorkspaces) {
      throw notFound();
    }
    return { key, id, organization };
  };
  const findConfiguration = (request: ProvisioningRequest): NotificationConfigurationRecord => {
    const id = request.parameter("notification_configuration_id");
    const configuration = records.notificationConfigurations.find(id);
    if (configuration === undefined) {
      throw notFound();
    }
    findSubscriber(request, subscriberOf(configuration));
    return configuration;
  };
  const requireCapacity = ({ key, id }: Subscribed): void => {
    if (records.notificationConfigurationsOf(key, id).length >= limit) {
      throw new Refusal(
        422,
        "unprocessable entity",
        `The ${subscribers[key]} already has ${limit} notification configurations, which is the limit.`,
      );
    }
  };
  const readUsers = (value: unknown, { organization }: Subscribed): string[] => {
    const ids = [...new Set(bodies.relationship(value, "users", usersPointer))];
    const unknown = ids.find((id) => !records.users.find(id)?.organizations.includes(organization));
    if (unknown !== undefined) {
      throw invalid(usersPointer, `User ${unknown} not found in the organization`);
    }
    return ids;
  };
  const readBody = (body: unknown, subscriber: Subscribed, id?: string) => {
    const shape = {
      // The products also accept the plural.
      type: ["notification-configuration", ...(traits.typeIsPlural ? ["notification-configurations"] : [])],
      attributes: attributes.names,
      relationships: ["users"],
      ...(id === undefined ? {} : { id }),
    };
    const sent = bodies.resource(body, shape);
    return {
      sent: sent.attributes,
      users: sent.relationships.has("users")
        ? { userIds: readUsers(sent.relationships.get("users"), subscriber) }
        : {},
    };
  };
  const save = (configuration: NotificationConfigurationRecord): NotificationConfigurationRecord => {
    records.setNotificationConfiguration(configuration);
    return configuration;
  };
  /** For setup, so the rules of the API do not apply. */
  const saveForSetup = (configuration: NotificationConfigurationRecord): NotificationConfigurationRecord => {
    const unknown = configuration.triggers.filter((trigger) => !triggers.includes(trigger));
    const known = triggers.filter((trigger) => configuration.triggers.includes(trigger));
    return save({ ...configuration, triggers: [...known, ...new Set(unknown)] });
  };

  const collectionOf = (key: Subscriber): ProvisioningEndpoint[] => {
    const kind = subscribers[key];
    const collection = `/${kind}s/:${kind}_id/notification-configurations`;
    const find = (request: ProvisioningRequest) =>
      findSubscriber(request, [key, request.parameter(`${kind}_id`)]);
    return [
      posts(collection, async (request) => {
        const subscriber = find(request);
        const { sent, users } = readBody(request.body, subscriber);
        const times = () => ({ createdAt: now(), updatedAt: now() });
        const draft: NotificationConfigurationRecord = {
          id: newIdentifier("nc-"),
          ...nobody,
          [key]: subscriber.id,
          userIds: [],
          ...attributes.readNew(sent),
          ...users,
          ...times(),
        };
        requireConsistency(draft, types, traits);
        requireCapacity(subscriber);
        const verification = await verifyIfEnabled(draft);
        // Another request might have removed or filled the subscriber during the verification.
        requireCapacity(find(request));
        const created = save(withResponse({ ...draft, ...times() }, verification));
        return documentResponse(201, { data: show(created) });
      }),
      gets(
        collection,
        (request) => {
          const all = records.notificationConfigurationsOf(key, find(request).id);
          return pageParameters.some((parameter) => request.query.has(parameter))
            ? pageOf(all, request, show)
            : { data: all.map(show) };
        },
        pageParameters,
      ),
    ];
  };

  return {
    endpoints: [
      ...subscriberKeys
        .filter((key) => traits.notifiesBeyondWorkspaces || key === "workspaceId")
        .flatMap(collectionOf),
      gets(path, (request) => ({ data: show(findConfiguration(request)) })),
      patches(path, async (request) => {
        const change = (): NotificationConfigurationRecord => {
          const previous = findConfiguration(request);
          const subscriber = findSubscriber(request, subscriberOf(previous));
          const { sent, users } = readBody(request.body, subscriber, previous.id);
          const unsent = clearsUnsentUsers ? { userIds: [] } : {};
          const changed = { ...previous, ...unsent, ...attributes.readChange(sent), ...users };
          if (changed.destinationType !== previous.destinationType) {
            throw refusing("destination-type")("can't be changed");
          }
          requireConsistency(changed, types, traits);
          return changed;
        };
        const verification = await verifyIfEnabled(change());
        // Applied a second time, because another request might have changed the configuration during the
        // verification.
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
      addNotificationConfiguration: ({ workspace = null, project = null, team = null, ...settings }) =>
        saveForSetup({
          id: newIdentifier("nc-"),
          workspaceId: workspace,
          projectId: project,
          teamId: team,
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
        const context = { now: now(), api: address() + pathPrefix, traits };
        const bodyFor = notificationBodies(workspaceRecord, trigger, run, context);
        const { organization, projectId } = workspaceRecord;
        const targets = records.notificationConfigurations
          .all()
          .filter(
            (target) =>
              target.workspaceId === workspace ||
              target.projectId === projectId ||
              records.teams.find(target.teamId ?? "")?.organization === organization,
          )
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

const nobody = { workspaceId: null, projectId: null, teamId: null };

function subscriberOf(configuration: NotificationConfigurationRecord): readonly [Subscriber, string] {
  const key = subscriberKeys.find((each) => configuration[each] !== null) ?? "workspaceId";
  return [key, configuration[key] ?? ""];
}

/** @param refusesUnused whether to reject members of other types, which the documentation does not forbid */
function requireConsistency(
  configuration: NotificationConfigurationRecord,
  types: DestinationTypes,
  { refusesUnusedMembers }: ProvisioningTraits,
): void {
  const { destinationType, url } = configuration;
  if (destinationType !== "email" && url === null) {
    throw refusing("url")("can't be blank");
  }
  if (url !== null && (!/^https?:\/\/\S+$/i.test(url) || !URL.canParse(url))) {
    throw refusing("url")("must be an HTTP or HTTPS URL");
  }
  if (refusesUnusedMembers) {
    requireUsed(configuration, `not supported for the destination type ${types.get(destinationType)}`);
  }
}

function requireUsed(
  { destinationType, url, token, triggers, userIds, emailAddresses, teamId }: NotificationConfigurationRecord,
  notSupported: string,
): void {
  if (destinationType === "email" && url !== null) {
    throw refusing("url")(`is ${notSupported}`);
  }
  if (token !== null && destinationType !== "generic") {
    throw refusing("token")(`is ${notSupported}`);
  }
  if (emailAddresses.length > 0 && destinationType !== "email") {
    throw refusing("email-addresses")(`is ${notSupported}`);
  }
  if (teamId !== null && triggers.some((trigger) => trigger !== "change_request:created")) {
    throw refusing("triggers")("can only contain change_request:created");
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
