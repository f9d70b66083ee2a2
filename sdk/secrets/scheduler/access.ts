import { messageOf, ServiceError, TriviumError } from "../../base/errors";
import { path } from "../../base/path";
import { outputForm, promiseForm } from "../../functions/call";
import { ReadableResource } from "../../resource/program/base";
import { defineResource, type Rule } from "../../resource/definition";
import type { InputsOf, ResultOf } from "../../functions/results";
import { Fields, snakeCase, type Given } from "../../resource/fields/field";
import { flag, integer, isGiven, pem, text, untoldText } from "../../resource/fields/kinds";
import type { ArgsOf, Named, OutputsOf, PlainArgsOf } from "../../resource/fields/rows";
import { secretsDialects } from "../dialect";
import { schedulerLists, schedulerMount, schedulerMountRows } from "../mount";
import { MountedObjects } from "../mounted-objects";
import { secretsService } from "../service";

const documentedAddress = /^$|^[a-z][a-z\d+.-]*:\/\/[^\s/]/i;

const rows = {
  /**
   * Where the scheduler engine is mounted, such as `teams/scheduler`. A change replaces the resource.
   *
   * @default "scheduler", in the hashicorp dialect "nomad"
   */
  mount: schedulerMount,
  /**
   * The address at which the secrets service reaches the scheduler: `protocol://host:port`. The output is
   * empty if the address comes from the environment of the secrets service. A change is made in place.
   *
   * @default `SCHEDULER_ADDR` in the environment of the secrets service; in the hashicorp dialect `NOMAD_ADDR`
   */
  address: text({
    cleared: "",
    told: "kept",
    check: (address) =>
      /\s/.test(address)
        ? "must be a URL without spaces or line breaks"
        : !documentedAddress.test(address) && {
            warning: "must be protocol://host:port, such as https://10.0.0.4:4646",
          },
  }),
  /**
   * The scheduler's management token, which the secrets service uses to create tokens. Secret. Sent with
   * every write. The service never returns the token, so drift is not detected; the output is `undefined` if
   * this program has not set one.
   *
   * In the hashicorp dialect, the token is required unless `bootstrap` is true.
   *
   * @default `SCHEDULER_TOKEN` in the environment of the secrets service; in the hashicorp dialect `NOMAD_TOKEN`
   */
  token: text({ ...untoldText, secret: true, told: "never" }),
  /**
   * The maximum length, in characters, of the names of issued tokens; 0 for the scheduler's maximum (64 up to
   * release 0.8.3, 256 from 0.8.4). The output is `undefined` if neither the program nor the service sets it.
   * A change is made in place.
   *
   * @default 0
   */
  maxTokenNameLength: integer({
    cleared: 0,
    told: "maybe",
    check: (length) => length < 0 && { warning: "is negative; for the longest names, use 0" },
  }),
  /**
   * The CA certificate to verify the scheduler's certificate with: X.509 in PEM. The output is `undefined` if
   * neither the program nor the service sets it. A change is made in place. Release 1.12 and newer of the
   * service cannot verify certificates that are signed with SHA-1 without a workaround.
   */
  caCert: pem(untoldText),
  /**
   * The client certificate that the secrets service presents to the scheduler: X.509 in PEM. Requires
   * `clientKey`. The output is `undefined` if neither the program nor the service sets it. A change is made
   * in place.
   */
  clientCert: pem(untoldText),
  /**
   * The private key of the client certificate, in PEM. Requires `clientCert`. Secret. A change is made in
   * place. The service never returns the key, so drift is not detected; the output is `undefined` if this
   * program has not set one.
   */
  clientKey: pem({ ...untoldText, secret: true, told: "never" }),
  /**
   * Allow the first configuration to omit the token. In the hashicorp dialect, the service then bootstraps
   * the scheduler's ACL system, which can only be done once. Keep this argument for as long as the program
   * does not set a token. This argument has no effect in the documented dialect.
   *
   * @default false
   */
  bootstrap: flag({ optional: true, local: "creation" }),
  /**
   * Allow a destroy or a replacement to delete a configuration that was created with `bootstrap`. In the
   * hashicorp dialect, such a configuration contains the only copy of the scheduler's management token, which
   * the service also needs to revoke the tokens that it has issued. A change does not send a request.
   *
   * @default false
   */
  forgetToken: flag({ optional: true, local: "state" }),
};

const fields = new Fields(rows, snakeCase);

/** The arguments of an {@link Access} resource. */
export interface AccessArgs extends ArgsOf<typeof rows>, Named {}

const rules: readonly Rule<Given<typeof rows>>[] = [
  {
    between: ["clientCert", "clientKey"],
    byPresence: ["clientCert", "clientKey"],
    // The documentation says that each requires the other; the products accept one alone.
    check({ clientCert, clientKey }, dialect) {
      const warning = !secretsDialects[dialect].pairsAccessKeys;
      const reason = isGiven(clientCert) ? "requires clientKey" : "is required with clientKey";
      return isGiven(clientCert) !== isGiven(clientKey) && { argument: "clientCert", reason, warning };
    },
  },
  {
    // The products bootstrap on every write without a token, including an update that clears the token.
    between: ["token", "bootstrap"],
    check: ({ token, bootstrap }, dialect) =>
      secretsDialects[dialect].bootstrapsAccess &&
      !isGiven(token) &&
      bootstrap !== true && {
        argument: "token",
        reason:
          "is required: without it, the service bootstraps the scheduler's ACL system, " +
          "which can only be done once. To do that, set `bootstrap: true`",
      },
  },
];

/** @internal */
export const accesses = new MountedObjects({
  what: "scheduler access configuration",
  idIs: "the mount: `scheduler`",
  key: schedulerMountRows,
  path: (at) => path`/${at}/config/access`,
  otherLists: schedulerLists,
  fields,
  importedBy: "scheduler",
});

/** A service might clear an omitted token. Real servers reset an omitted maximum length. */
const alwaysSent = ["token", "maxTokenNameLength"];

const { identity, importedBy, read } = accesses.behavior;

/** Older engines do not support this request. */
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
  // A creation overwrites the existing configuration, so a replacement is the same object.
  identity: { ...identity, managesExisting: true },
  importedBy,
  rules,
  // Real servers reset what a write omits.
  updatesWholeObject: true,

  // A creation overwrites an existing configuration: the service has no separate request for it.
  ...accesses.writing((name, _value, named) => alwaysSent.includes(name) || named.has(name)),

  read,

  refusesDeletion: ({ mount, token, forgetToken }, managed, dialect) =>
    secretsDialects[dialect].deletesAccess &&
    managed.has("bootstrap") &&
    !isGiven(token) &&
    forgetToken !== true
      ? new TriviumError(
          `The access configuration ${JSON.stringify(mount ?? null)} of a scheduler engine contains the only copy of the management token with ` +
            "which the scheduler's ACL system was bootstrapped. Without it nobody can manage the scheduler, and tokens that " +
            "the service has issued can no longer be revoked. Nothing was deleted.",
          {
            advice:
              "Create a management token in the scheduler and set it as token, or allow the loss with forgetToken: true, and " +
              "run `pulumi up` first. To keep the configuration without managing it, use `pulumi state delete`.",
          },
        )
      : undefined,

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

export interface Access extends OutputsOf<typeof rows> {}

/**
 * Configures how the scheduler engine (the Nomad engine of Vault or OpenBao) reaches the scheduler (Nomad):
 * the scheduler's address, and a management token to create tokens with.
 *
 * Its ID is the mount's path: each mount has one configuration. Creation overwrites an existing
 * configuration. The documented service cannot delete a configuration, so deletion leaves it in place, with a
 * warning. In the hashicorp dialect, deletion removes the configuration; an engine that is too old for that
 * keeps it, with the same warning. The library's own settings for the scheduler are not used here. A
 * configuration that was created with `bootstrap` is only deleted or replaced if the program sets `token` or
 * `forgetToken`.
 *
 * `token` and `clientKey` are secrets, and drift in them is not detected. Drift in `maxTokenNameLength`,
 * `caCert` and `clientCert` is only detected if the service returns them: the documented service only returns
 * the address; in the hashicorp dialect, the service returns all of them.
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
 */
export class Access extends ReadableResource<AccessArgs> {
  /** @internal */
  static override readonly definition = accessDefinition;
}

/** The arguments of {@link getAccess}. */
export interface GetAccessArgs extends PlainArgsOf<typeof schedulerMountRows>, Named {}

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
 * @throws {@link errors.NotFoundError} if the mount has no access configuration
 */
export const getAccess = promiseForm<GetAccessArgs | undefined, GetAccessResult>(getDefinition);

/**
 * Reads how the scheduler engine of a mount reaches the scheduler, with arguments that can be outputs of
 * resources. In a preview that creates one of these resources, or one in `dependsOn`, the result is unknown.
 *
 * @throws {@link errors.InputError} if the provider is not a {@link Provider}
 */
export const getAccessOutput = outputForm<GetAccessOutputArgs | undefined, GetAccessResult>(getDefinition);
