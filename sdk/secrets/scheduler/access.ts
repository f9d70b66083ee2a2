import type * as pulumi from "@pulumi/pulumi";
import { messageOf, ServiceError } from "../../base/errors";
import { path } from "../../base/path";
import { outputForm, promiseForm } from "../../functions/call";
import { TriviumResource } from "../../resource/program/base";
import { defineResource, type Rule } from "../../resource/definition";
import type { InputsOf, ResultOf } from "../../functions/results";
import { defineFields, snakeCase } from "../../resource/fields/field";
import { flag, integer, text, isGiven, nothingIsNull, pemLines } from "../../resource/fields/kinds";
import { secretsDialects } from "../dialect";
import { schedulerMount } from "../mount";
import { MountedObjects } from "../mounted-objects";
import { secretsService } from "../service";

/** The arguments of {@link Access}. */
export interface AccessArgs {
  /**
   * Where the scheduler engine is mounted, such as `teams/scheduler`. A change replaces the resource.
   *
   * @default "scheduler", in the hashicorp dialect "nomad"
   */
  mount?: pulumi.Input<string | null | undefined>;
  /**
   * Where the secrets service reaches the scheduler: `protocol://host:port`. A change is made in place.
   *
   * @default `SCHEDULER_ADDR` in the environment of the secrets service; in the hashicorp dialect `NOMAD_ADDR`
   */
  address?: pulumi.Input<string | null | undefined>;
  /**
   * The management token of the scheduler with which the secrets service creates tokens. Secret. Sent with
   * every write. The service never returns it, so drift is not detected.
   *
   * In the hashicorp dialect it is required unless `bootstrap` is true.
   *
   * @default `SCHEDULER_TOKEN` in the environment of the secrets service; in the hashicorp dialect `NOMAD_TOKEN`
   */
  token?: pulumi.Input<string | null | undefined>;
  /**
   * The longest name, in characters, that the secrets service gives a token; 0 for the longest that the scheduler
   * allows: 64 up to its release 0.8.3, 256 from 0.8.4. A change is made in place.
   *
   * @default 0
   */
  maxTokenNameLength?: pulumi.Input<number | null | undefined>;
  /**
   * The CA certificate of the scheduler: X.509 PEM. A change is made in place. From release 1.12 of the
   * service, certificates that are signed with SHA-1 cannot be verified without a workaround.
   */
  caCert?: pulumi.Input<string | null | undefined>;
  /** The client certificate for the scheduler: X.509 PEM. Requires `clientKey`. A change is made in place. */
  clientCert?: pulumi.Input<string | null | undefined>;
  /**
   * The key of the client certificate: X.509 PEM. Requires `clientCert`. Secret. A change is made in place.
   * The service never returns it, so drift is not detected.
   */
  clientKey?: pulumi.Input<string | null | undefined>;
  /**
   * Allow a first configuration without a token, with which the service bootstraps the ACL system of the
   * scheduler in the hashicorp dialect. This is possible only once. Keep the option as long as the program
   * sets no token. It has no effect in the documented dialect.
   *
   * @default false
   */
  bootstrap?: pulumi.Input<boolean | null | undefined>;
}

const documentedAddress = /^$|^[a-z][a-z\d+.-]*:\/\/[^\s/]/i;

const optionalText = { canonical: nothingIsNull(), cleared: "", whenNull: "", mayBeMissing: true } as const;
const optionalPem = { ...optionalText, canonical: nothingIsNull(pemLines) } as const;

const fields = defineFields<AccessArgs, Access>(snakeCase)({
  mount: schedulerMount,
  address: text({
    ...optionalText,
    inResults: "",
    warning: (address) =>
      documentedAddress.test(address)
        ? undefined
        : "must be protocol://host:port, such as https://10.0.0.4:4646",
  }),
  token: text({ ...optionalText, secret: true, writeOnly: true }),
  maxTokenNameLength: integer({
    cleared: 0,
    whenNull: 0,
    mayBeMissing: true,
    warning: (length) => (length < 0 ? "is negative; for the longest names, use 0" : undefined),
  }),
  caCert: text(optionalPem),
  clientCert: text(optionalPem),
  clientKey: text({ ...optionalPem, secret: true, writeOnly: true }),
  bootstrap: flag({ optional: true, role: "creation" }),
});

const rules: readonly Rule[] = [
  {
    between: ["clientCert", "clientKey"],
    // The documentation says that each requires the other; the products accept one alone.
    check({ clientCert, clientKey }, dialect) {
      const warning = !secretsDialects[dialect].pairsAccessKeys;
      const reason = isGiven(clientCert) ? "requires clientKey" : "is required with clientKey";
      return isGiven(clientCert) !== isGiven(clientKey) && { argument: "clientCert", reason, warning };
    },
  },
  {
    // The products bootstrap with a write without a token, also with an update that clears it.
    between: ["token", "bootstrap"],
    check: ({ token, bootstrap }, dialect) =>
      secretsDialects[dialect].bootstrapsAccess &&
      !isGiven(token) &&
      bootstrap !== true && {
        argument: "token",
        reason:
          "is required: without it, the service bootstraps the ACL system of the scheduler, " +
          "which is possible only once. If that is what you want, set bootstrap to true",
      },
  },
];

/** @internal */
export const accesses = new MountedObjects({
  what: "scheduler access configuration",
  key: { mount: schedulerMount },
  path: (at) => path`/${at}/config/access`,
  fields,
  importedBy: "scheduler",
});

/** A service may clear an omitted token. Real servers reset an omitted length of names. */
const alwaysSent = ["token", "maxTokenNameLength"];

const { identity, importedBy, read } = accesses.behaviour;

/** Older engines do not have the request. */
function unlessUnknown(error: unknown): false {
  if (
    /unsupported (?:path|operation)/i.test(messageOf(error)) ||
    (ServiceError.isInstance(error) && error.status === 405)
  ) {
    return false;
  }
  throw error;
}

/** @internal */
export const accessDefinition = defineResource(secretsService, fields)("secrets/scheduler:Access", {
  identity,
  importedBy,
  rules,
  // Real servers reset what a write omits.
  updatesWholeObject: true,

  // A creation overwrites an existing configuration: the service has no separate request for it.
  ...accesses.writing((name, _value, named) => alwaysSent.includes(name) || named.has(name)),

  read,

  async delete({ client, announce }, id) {
    const access = accesses.named(id, client.dialect.name);
    if (client.dialect.deletesAccess) {
      const isDeleted = await client.deleteFound(accesses.request("delete", access)).catch(unlessUnknown);
      if (isDeleted || (await accesses.read(client, access).catch(() => ({}))) === undefined) {
        return;
      }
    }
    announce(
      "warning",
      `The access configuration of the scheduler engine at ${access.mount} stays in the secrets service, with its ` +
        "token: the service has no request that deletes it. Revoke the token in the scheduler if it is no longer needed.",
    );
  },
});

/**
 * How the scheduler engine of the secrets service reaches the scheduler: its address, and a management token
 * to create tokens.
 *
 * Its id is the mount: there is one configuration per mount. Creation overwrites an existing configuration.
 * The documented service has no request that deletes it, so destruction leaves it in place, with a warning. In the
 * hashicorp dialect destruction deletes it; an engine that is too old for that keeps it, with the same warning. The
 * library's own settings for the scheduler are not used for it.
 *
 * `token` and `clientKey` are secrets. Their drift is not detected, nor that of `maxTokenNameLength`,
 * `caCert` and `clientCert` if the service only returns the address, as documented; in the hashicorp dialect
 * it returns these too.
 *
 * ## Example Usage
 *
 * ```typescript
 * import * as pulumi from "@pulumi/pulumi";
 * import * as trivium from "pulumi-trivium";
 *
 * const config = new pulumi.Config();
 *
 * const access = new trivium.secrets.scheduler.Access("scheduler", {
 *   address: "https://scheduler.example.com:4646",
 *   token: config.requireSecret("managementToken"),
 * });
 * ```
 *
 * Documented under "Scheduler access configuration" in the secrets service's interface.
 */
export class Access extends TriviumResource {
  /** @internal */
  static override readonly definition = accessDefinition;

  /** Where the scheduler engine is mounted. */
  declare readonly mount: pulumi.Output<string>;
  /** Where the secrets service reaches the scheduler; empty if its environment decides. */
  declare readonly address: pulumi.Output<string>;
  /** The management token as it was last set; `undefined` when this program has not set one. Secret. */
  declare readonly token: pulumi.Output<string | null | undefined>;
  /** The longest name of a token; `undefined` if neither the program nor the service sets it. */
  declare readonly maxTokenNameLength: pulumi.Output<number | null | undefined>;
  /**
   * The certificate of the scheduler's authority; `undefined` if neither the program nor the service sets it.
   */
  declare readonly caCert: pulumi.Output<string | null | undefined>;
  /** The client certificate; `undefined` if neither the program nor the service sets it. */
  declare readonly clientCert: pulumi.Output<string | null | undefined>;
  /** The client key as it was last set; `undefined` when this program has not set one. Secret. */
  declare readonly clientKey: pulumi.Output<string | null | undefined>;

  /**
   * Reads an existing access configuration without managing it: it is never changed.
   *
   * @param name the unique name of the resulting resource in the program
   * @param id the mount: `scheduler`
   * @throws {@link errors.TriviumError} when the program runs with an SDK older than 3.268.0
   */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): Access {
    return Access.existing(name, id, options);
  }

  /**
   * @param name the unique name of the resource in the program
   * @param args how the scheduler is reached
   * @throws {@link errors.InputError} when an option is not supported, such as `import`
   */
  constructor(name: string, args: AccessArgs, options?: pulumi.CustomResourceOptions) {
    super(accessDefinition, name, args, options);
  }
}

/** The arguments of {@link getAccess}. */
export interface GetAccessArgs {
  /**
   * Where the scheduler engine is mounted.
   *
   * @default "scheduler", in the hashicorp dialect "nomad"
   */
  mount?: string | null | undefined;
}

/** The arguments of {@link getAccessOutput}. */
export type GetAccessOutputArgs = InputsOf<GetAccessArgs>;

/**
 * An access configuration as functions return it, without the secrets; null for values that the service does
 * not return.
 */
export type GetAccessResult = ResultOf<Access, "id" | "token" | "clientKey">;

const getDefinition = accesses.reading<GetAccessResult>("secrets.scheduler.getAccess");

/**
 * Reads how the scheduler engine of a mount reaches the scheduler, without the secrets.
 *
 * @example
 * ```typescript
 * const { address } = await trivium.secrets.scheduler.getAccess();
 * ```
 *
 * @throws {@link errors.NotFoundError} when the mount has no access configuration
 */
export const getAccess = promiseForm<GetAccessArgs | undefined, GetAccessResult>(getDefinition);

/**
 * Reads how the scheduler engine of a mount reaches the scheduler, with arguments that may be outputs of
 * resources. In a preview that creates one of them, or one in `dependsOn`, the result is unknown.
 *
 * @throws {@link errors.InputError} when the provider is not a {@link Provider}
 */
export const getAccessOutput = outputForm<GetAccessOutputArgs | undefined, GetAccessResult>(getDefinition);
