import type { AclTokenType } from "../scheduler/seeds";
import { decodeBase64 } from "./directory/ldap/ldif";
import {
  boolean,
  enterprise,
  type Field,
  integer,
  type ItemOf,
  list,
  never,
  oneOf,
  requiredText,
  seconds,
  secondsOrEmpty,
  text,
} from "./fields";

/** Of a configuration and of roles. */
export const automatedFields = {
  rotationSchedule: enterprise(text()),
  /** Seconds. */
  rotationWindow: enterprise(
    seconds({
      rule: [(window) => window === 0 || window >= 3_600, "rotation_window must be 3600 seconds or more"],
    }),
  ),
  disableAutomatedRotation: enterprise(boolean()),
  rotationPolicy: enterprise(text()),
  rotateOnRead: enterprise(boolean()),
  /** Seconds. */
  rotateOnReadCooldown: enterprise(seconds({ initial: 60 })),
  autoUnlock: enterprise(boolean()),
};

/** When the products rotate automatically. Only in the hashicorp dialect. Strings are empty when they are not set. */
export interface AutomatedRotation extends Partial<ItemOf<typeof automatedFields>> {}

/** Only in the hashicorp dialect. */
export const versionFields = {
  tlsMinVersion: text({ initial: "tls12" }),
  tlsMaxVersion: text({ initial: "tls12" }),
};

export const productConfigFields = {
  /** Only in the hashicorp dialect, as the next two. */
  selfManaged: enterprise(boolean()),
  credentialType: enterprise(text({ initial: "password", resets: true })),
  /** Seconds; 0 for never. */
  rotationPeriod: enterprise(
    seconds({
      rule: [(period) => period === 0 || period >= 10, "rotation_period must be 10 seconds or more"],
    }),
  ),
};

/** Valid base64 is decoded, as on real servers. */
const ldif: Field<string> = text({
  read(body, name) {
    const sent = body.text(name);
    return sent === undefined ? undefined : (decodeBase64(sent)?.toString("utf8") ?? sent);
  },
});

export const dynamicRoleFields = {
  /** LDIF templates, decoded if they were sent in base64. */
  creationLdif: ldif,
  deletionLdif: ldif,
  rollbackLdif: ldif,
  usernameTemplate: text(),
  /** Seconds. */
  defaultTtl: secondsOrEmpty,
  /** Seconds. */
  maxTtl: secondsOrEmpty,
};

/** A dynamic role: how accounts are created and deleted. Strings are empty and times 0 when they are not set. */
export interface DynamicRoleRecord extends ItemOf<typeof dynamicRoleFields> {
  /** As written; in lower case in the hashicorp dialect. */
  readonly name: string;
  /** Only in the hashicorp dialect. Empty for the configuration's policy. */
  readonly passwordPolicy?: string;
}

export const librarySetFields = {
  serviceAccountNames: list({ read: (body, name) => distinct(body.list(name)) }),
  /** Seconds; 0 for no limit. */
  ttl: seconds({ initial: 86_400 }),
  /** Seconds; 0 for no limit. */
  maxTtl: seconds({ initial: 86_400 }),
  disableCheckInEnforcement: boolean(),
};

/** A set of accounts that clients check out. */
export interface LibrarySetRecord extends ItemOf<typeof librarySetFields> {
  /** As written; in lower case in the hashicorp dialect. */
  readonly name: string;
}

function distinct(names: readonly string[] | undefined): string[] | undefined {
  return names?.filter(
    (name, index) => names.findIndex((other) => other.toLowerCase() === name.toLowerCase()) === index,
  );
}

export const pushMethodFields = {
  /** Empty for a method without a mount, which exists only in the hashicorp dialect. */
  mountAccessor: requiredText(),
  usernameFormat: text(),
  secretKey: text(),
  integrationKey: text(),
  apiHostname: text(),
  pushInfo: text(),
};

/** Everything that can be set on a push method. */
export interface PushMethodSettings extends ItemOf<typeof pushMethodFields> {
  /** Only in the hashicorp dialect. */
  readonly usePasscode?: boolean;
}

export const schedulerAccessFields = {
  /** `protocol://host:port`; if empty, the address comes from the service's own environment. */
  address: text(),
  /** A management token; if empty, the token comes from the service's own environment. */
  token: text({ returned: never }),
  /** In characters; 0 for the scheduler's maximum. */
  maxTokenNameLength: integer({
    resets: true,
    rule: [(length) => length >= 0, "max_token_name_length must not be negative"],
  }),
  caCert: text(),
  clientCert: text(),
  clientKey: text({ returned: never }),
};

/** How an engine reaches the scheduler. Empty strings mean that a value is not configured. */
export interface SchedulerAccessRecord extends ItemOf<typeof schedulerAccessFields> {}

export const schedulerLeaseFields = { ttl: secondsOrEmpty, maxTtl: secondsOrEmpty };

/** How long the tokens that an engine issues are valid. Seconds; 0 if the mount decides. */
export interface SchedulerLeaseRecord extends ItemOf<typeof schedulerLeaseFields> {}

export const schedulerRoleFields = {
  /** Names of the scheduler's policies; in the hashicorp dialect empty for management tokens. */
  policies: list({ read: (body, name) => body.list(name, "a string") }),
  global: boolean(),
  type: oneOf<AclTokenType>(["client", "management"], 'type must be "client" or "management"', {
    initial: "client",
    resets: true,
  }),
};

/** What kind of tokens to issue. */
export interface SchedulerRoleRecord extends ItemOf<typeof schedulerRoleFields> {
  readonly name: string;
}
