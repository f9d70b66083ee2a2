import { attributePointer, readBoolean, readTextOrNull, type Attributes } from "./attribute-values";
import type { ProvisioningDialect } from "./dialect";
import { readRelationship, readResource, type ResourceBody } from "./json-api";
import type {
  NotificationConfigurationSettings,
  NotificationDestinationType,
} from "./notification-configuration-record";
import { inServiceOrder } from "./notification-triggers";
import { invalid } from "./refusal";

/** A configuration as its maker describes it. */
export interface DescribedConfiguration extends NotificationConfigurationSettings {
  readonly destinationType: NotificationDestinationType;
}

const destinationTypes: readonly NotificationDestinationType[] = ["generic", "email", "chat-a", "chat-b"];

const form = {
  type: ["notification-configuration", "notification-configurations"],
  attributes: ["destination-type", "enabled", "name", "token", "triggers", "url"],
  relationships: ["users"],
} as const;

const usersPointer = "/data/relationships/users";

/**
 * @param isMember whether a user belongs to the organization
 * @throws Refusal 422 when the body breaks a rule
 */
export function readNewConfiguration(
  body: unknown,
  dialect: ProvisioningDialect,
  isMember: (userId: string) => boolean,
): DescribedConfiguration {
  const resource = readResource(body, form, dialect);
  const destinationType = readDestinationType(resource.attributes, dialect);
  const nothing = { name: undefined, enabled: false, url: null, token: null, triggers: [], userIds: [] };
  return readDescription(resource, { destinationType, ...nothing }, dialect, isMember);
}

/**
 * @param previous what stands for everything that the body leaves out
 * @throws Refusal 422 when the body breaks a rule
 */
export function readChangedConfiguration(
  body: unknown,
  previous: DescribedConfiguration & { readonly id: string },
  dialect: ProvisioningDialect,
  isMember: (userId: string) => boolean,
): DescribedConfiguration {
  const resource = readResource(body, { ...form, id: previous.id }, dialect);
  if (
    resource.attributes.has("destination-type") &&
    readDestinationType(resource.attributes, dialect) !== previous.destinationType
  ) {
    throw invalid(attributePointer("destination-type"), "Destination type can't be changed");
  }
  return readDescription(resource, previous, dialect, isMember);
}

function readDescription(
  { attributes, relationships }: ResourceBody,
  previous: Omit<DescribedConfiguration, "name"> & { readonly name: string | undefined },
  dialect: ProvisioningDialect,
  isMember: (userId: string) => boolean,
): DescribedConfiguration {
  const { destinationType } = previous;
  const destination = dialect.destinationTypes[destinationType];
  const description = {
    destinationType,
    name: readName(attributes, previous.name),
    enabled: readBoolean(attributes, "enabled", previous.enabled),
    url: readUrl(attributes, previous),
    // An empty key signs nothing.
    token: readTextOrNull(attributes, "token", previous.token) || null,
    triggers: attributes.has("triggers")
      ? readTriggers(attributes.get("triggers"), dialect)
      : previous.triggers,
    userIds: relationships.has("users")
      ? readUsers(relationships.get("users"), dialect, isMember)
      : previous.userIds,
  };
  if (description.token !== null && destinationType !== "generic") {
    throw invalid(
      attributePointer("token"),
      `Token is not supported for the destination type ${destination}`,
    );
  }
  if (description.userIds.length > 0 && destinationType !== "email") {
    throw invalid(usersPointer, `Users are not supported for the destination type ${destination}`);
  }
  return description;
}

function readDestinationType(
  attributes: Attributes,
  { destinationTypes: names }: ProvisioningDialect,
): NotificationDestinationType {
  const found = destinationTypes.find((known) => names[known] === attributes.get("destination-type"));
  if (found === undefined) {
    const known = destinationTypes.map((type) => names[type]).join(", ");
    throw invalid(attributePointer("destination-type"), `Destination type must be one of ${known}`);
  }
  return found;
}

function readName(attributes: Attributes, previous: string | undefined): string {
  const name = attributes.has("name") ? attributes.get("name") : previous;
  if (name === null || name === undefined) {
    throw invalid(attributePointer("name"), "Name can't be blank");
  }
  if (typeof name !== "string") {
    throw invalid(attributePointer("name"), "Name must be a text");
  }
  return name;
}

function readUrl(
  attributes: Attributes,
  previous: Pick<DescribedConfiguration, "url" | "destinationType">,
): string | null {
  const url = readTextOrNull(attributes, "url", previous.url) || null;
  if (previous.destinationType === "email") {
    if (url !== null) {
      throw invalid(attributePointer("url"), "Url is not supported for the destination type email");
    }
    return null;
  }
  if (url === null) {
    throw invalid(attributePointer("url"), "Url can't be blank");
  }
  if (!/^https?:\/\/\S+$/i.test(url) || !URL.canParse(url)) {
    throw invalid(attributePointer("url"), "Url must be an HTTP or HTTPS URL");
  }
  return url;
}

function readTriggers(value: unknown, dialect: ProvisioningDialect): string[] {
  if (!Array.isArray(value)) {
    throw invalid(attributePointer("triggers"), "Triggers must be a list");
  }
  return inServiceOrder(
    value.map((trigger: unknown) => {
      const found = dialect.triggers.find((known) => known === trigger);
      if (found === undefined) {
        const known = dialect.triggers.join(", ");
        throw invalid(
          attributePointer("triggers"),
          `Triggers may not hold ${JSON.stringify(trigger)}; known: ${known}`,
        );
      }
      return found;
    }),
    dialect.triggers,
  );
}

function readUsers(
  value: unknown,
  dialect: ProvisioningDialect,
  isMember: (userId: string) => boolean,
): string[] {
  const ids = [...new Set(readRelationship(value, usersPointer, "users", dialect))];
  const stranger = ids.find((id) => !isMember(id));
  if (stranger !== undefined) {
    throw invalid(usersPointer, `User ${stranger} not found in the organization`);
  }
  return ids;
}
