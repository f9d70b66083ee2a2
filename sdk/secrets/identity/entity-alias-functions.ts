import { secretsService } from "../service";
import type * as pulumi from "@pulumi/pulumi";
import { callFunction, callFunctionOutput, type FunctionOptions } from "../../functions/call";
import type { FunctionDefinition } from "../../functions/definition";
import { NotFoundError } from "../../base/errors";
import type { SecretsClient } from "../client";
import { nameInPath } from "../../resource/schemas";
import { aliasIds, readAlias } from "./entity-alias-wire";

/** An entity alias as functions answer it. */
export interface GetEntityAliasResult {
  /** Its id. */
  readonly id: string;
  /** What the client is called in the authentication source. */
  readonly name: string;
  /** The id of the entity that the alias stands for. */
  readonly canonicalId: string;
  /** The accessor of the mount that the name belongs to. */
  readonly mountAccessor: string;
  /** Texts that describe the alias. */
  readonly customMetadata: Record<string, string>;
  /** What the authentication mount knows of the client. */
  readonly metadata: Record<string, string>;
  /** When it was created: ISO 8601; empty when the service does not say. */
  readonly creationTime: string;
  /** When it was last changed: ISO 8601; empty when the service does not say. */
  readonly lastUpdateTime: string;
  /** Whether it is known in one cluster of the service only. */
  readonly local: boolean;
  /** Where the mount is; null when it is gone. */
  readonly mountPath: string | null;
  /** Of what type the mount is; null when it is gone. */
  readonly mountType: string | null;
}

/** The arguments of {@link getEntityAlias}. */
export interface GetEntityAliasArgs {
  /** The alias's id. */
  id: string;
}

/** The arguments of {@link getEntityAliasOutput}. */
export interface GetEntityAliasOutputArgs {
  /** The alias's id. */
  id: pulumi.Input<string>;
}

/** {@link listEntityAliases} takes no arguments. */
export type ListEntityAliasesArgs = Record<string, never>;

/** {@link listEntityAliasesOutput} takes no arguments. */
export type ListEntityAliasesOutputArgs = Record<string, never>;

/** What {@link listEntityAliases} answers. */
export interface ListEntityAliasesResult {
  /** The ids of all aliases. */
  readonly ids: string[];
}

const getDefinition: FunctionDefinition<SecretsClient, GetEntityAliasArgs, GetEntityAliasResult> = {
  name: "secrets.identity.getEntityAlias",
  service: secretsService,
  schema: (z) => z.strictObject({ id: nameInPath(z) }),
  async call(client, { id }) {
    const alias = await readAlias(client, id);
    if (alias === undefined) {
      throw new NotFoundError(`There is no entity alias ${id}.`);
    }
    return {
      id,
      ...alias,
      customMetadata: alias.customMetadata ?? {},
      metadata: alias.metadata ?? {},
      creationTime: alias.creationTime ?? "",
      lastUpdateTime: alias.lastUpdateTime ?? "",
      local: alias.local ?? false,
      mountPath: alias.mountPath ?? null,
      mountType: alias.mountType ?? null,
    };
  },
};

/**
 * Reads one entity alias.
 *
 * @throws {@link errors.NotFoundError} when there is none
 */
export function getEntityAlias(
  args: GetEntityAliasArgs,
  options?: FunctionOptions,
): Promise<GetEntityAliasResult> {
  return callFunction(getDefinition, args, options);
}

/**
 * Reads one entity alias, with arguments that may be outputs of resources. In a preview that still makes one of them
 * the result is unknown.
 *
 * @throws {@link errors.InputError} when the provider is not a {@link Provider}
 */
export function getEntityAliasOutput(
  args: GetEntityAliasOutputArgs,
  options?: pulumi.InvokeOutputOptions,
): pulumi.Output<GetEntityAliasResult> {
  return callFunctionOutput(getDefinition, { ...args }, options);
}

const listDefinition: FunctionDefinition<SecretsClient, ListEntityAliasesArgs, ListEntityAliasesResult> = {
  name: "secrets.identity.listEntityAliases",
  service: secretsService,
  schema: (z) => z.strictObject({}),
  async call(client) {
    return { ids: await client.list({ summary: "list the entity aliases", path: aliasIds }) };
  },
};

/**
 * Lists the ids of all entity aliases.
 *
 * @throws {@link errors.ServiceError} when the service refuses
 */
export function listEntityAliases(
  args?: ListEntityAliasesArgs,
  options?: FunctionOptions,
): Promise<ListEntityAliasesResult> {
  return callFunction(listDefinition, args, options);
}

/**
 * Lists the ids of all entity aliases, after the resources that the options name.
 *
 * @throws {@link errors.InputError} when the provider is not a {@link Provider}
 */
export function listEntityAliasesOutput(
  args?: ListEntityAliasesOutputArgs,
  options?: pulumi.InvokeOutputOptions,
): pulumi.Output<ListEntityAliasesResult> {
  return callFunctionOutput(listDefinition, { ...args }, options);
}
