import { advisedOtherwise, ContractError, onStatus, ServiceError, TriviumError } from "../../base/errors";
import { builtOnce, validation } from "../../base/schema";
import { path } from "../../base/path";
import { longestPart, showable } from "../../base/shown-text";
import { outputForm, promiseForm } from "../../functions/call";
import { defineFunction } from "../../functions/definition";
import { ReadableResource } from "../../resource/program/base";
import { defineResource, requiredWithout } from "../../resource/definition";
import type { InputsOf, ResultOf } from "../../functions/results";
import { type Current, type Desired, Fields, output, snakeCase } from "../../resource/fields/field";
import {
  adopt,
  caseInsensitive,
  flag,
  isGiven,
  nameInResponse,
  pathName,
  text,
  textComparedBy,
  textMap,
} from "../../resource/fields/kinds";
import type { ArgsOf, Named, OutputsOf, PlainArgsOf } from "../../resource/fields/rows";
import type { SecretsClient } from "../client";
import { IdentityObjects } from "../identity-objects";
import { secretsService } from "../service";

const enterprise = {
  only: { dialect: "hashicorp", since: "Vault Enterprise 2.0.1" },
  cleared: "",
  replaces: true,
  told: "maybe",
} as const;

/** Vault stores issuers in its own form. */
function normalIssuer<Value>(issuer: Value): Value | string {
  if (typeof issuer !== "string") {
    return issuer;
  }
  return issuer.replace(/^[^/]*:\/\/[^/]*/, (origin) => origin.toLowerCase()).replace(/\/+$/, "");
}

const rows = {
  /**
   * The name of the client in the authentication source: for `userpass` the user name, for `approle` the role
   * ID. Unique on its mount; in the hashicorp dialect it is case-insensitive. A change renames the alias.
   */
  name: textComparedBy({ hashicorp: caseInsensitive })({ least: 1 }),
  /** The ID of the entity that the alias belongs to. A change binds the alias to another entity. */
  canonicalId: text({ least: 1 }),
  /**
   * The accessor of the authentication mount that the name belongs to. A change moves the alias to that mount. Required
   * unless `issuer` is set; in that case, adding or removing it replaces the alias.
   */
  mountAccessor: text({
    least: 1,
    optional: { hashicorp: true },
    replaces: "presence",
  }),
  /**
   * The issuer of the tokens that contain this name: the `issuer_id` in the configuration of a Vault OAuth resource
   * server profile (`sys/config/oauth-resource-server`). A change replaces the alias. Only in the hashicorp dialect:
   * Vault Enterprise 2.0.1.
   *
   * @default none
   */
  issuer: textComparedBy(normalIssuer)(enterprise),
  /**
   * The ID of the client in another system. A change replaces the alias. Only in the hashicorp dialect: Vault
   * Enterprise 2.0.1.
   *
   * @default none
   */
  externalId: text(enterprise),
  /**
   * The alias's metadata, by key.
   *
   * @default none
   */
  customMetadata: textMap({ cleared: {} }),
  /**
   * Adopt the alias with this name on this mount if it already exists, and bind it to `canonicalId`, instead
   * of failing. Only used at creation; a later change has no effect.
   *
   * @default false
   */
  adopt: adopt(),
  /** The client's metadata from the authentication mount. */
  metadata: output(textMap()),
  /** When the alias was created: ISO 8601. */
  creationTime: output(text()),
  /** When the alias was last changed: ISO 8601. */
  lastUpdateTime: output(text({ recomputedBy: true })),
  /** Whether the alias is local to one cluster of the service. */
  local: output(flag({ recomputedBy: ["mountAccessor"] })),
  /** The path of the mount; `undefined` if the mount no longer exists. */
  // An alias outlives its mount.
  mountPath: output(text({ told: "maybe", recomputedBy: ["mountAccessor"] })),
  /** The type of the mount; `undefined` if the mount no longer exists. */
  mountType: output(text({ told: "maybe", recomputedBy: ["mountAccessor"] })),
};

const fields = new Fields(rows, snakeCase);

/** The arguments of an {@link EntityAlias}. */
export interface EntityAliasArgs extends ArgsOf<typeof rows>, Named {}

type Rows = typeof rows;

/** An alias belongs to a mount or, without one, to an issuer. */
type AliasKey = Pick<Desired<Rows>, "name"> & Pick<Current<Rows>, "mountAccessor" | "issuer" | "canonicalId">;

/** A response always contains the required arguments. */
type AliasState = Current<Rows> & Pick<Desired<Rows>, "name" | "canonicalId">;

const { creationTime, lastUpdateTime, ...listedRows } = rows;
const listed = new Fields(
  // Vault's list does not contain metadata.
  { ...listedRows, metadata: output(textMap({ told: "maybe" })) },
  snakeCase,
);

/** @internal */
export const aliases = new IdentityObjects({
  what: "entity alias",
  plural: "entity aliases",
  path: path`/identity/entity-alias/id`,
  at: (id) => path`/identity/entity-alias/id/${id}`,
  fields,
  inLists: listed.response,
});

const describe = ({ name, mountAccessor, issuer }: AliasKey): string =>
  `the entity alias ${shown(JSON.stringify(name))} ` +
  (mountAccessor ? `on the mount ${shown(mountAccessor)}` : `of the issuer ${shown(issuer ?? "")}`);

const shown = (text: string): string => showable(text, longestPart);

/** What a list says of an alias; the service might describe it only in part. */
const describedKey = builtOnce((z) =>
  z
    .object({
      name: z.string(),
      mount_accessor: z.string(),
      issuer: z.string().optional().catch(undefined),
      canonical_id: z.string().optional().catch(undefined),
    })
    .transform(({ mount_accessor: mountAccessor, canonical_id: canonicalId, ...key }): AliasKey => ({
      ...key,
      mountAccessor,
      canonicalId,
    })),
);

interface KnownAlias extends AliasKey {
  /**
   * The number of the read that it comes from. Reads and lookups are counted, because a test's clock can go
   * back.
   */
  readonly recordedAt: number;
}

/**
 * Finds aliases by name, because the service would silently move an existing alias. If the list returns only
 * IDs, each alias that was not read since the lookup began is read; one read serves all waiting lookups. A
 * match is read again.
 * @internal
 */
export class AliasIndex {
  private readonly entries = new Map<string, KnownAlias>();
  private readonly asked = new WeakMap<AliasKey, number>();
  private count = 0;
  /** Why the last lookup could not read these aliases. */
  readonly notRead = new Map<string, unknown>();

  /** A lookup waits for its turn: anything read from now on can serve it. */
  ask(desired: AliasKey): void {
    this.asked.set(desired, this.next());
  }

  note(id: string, { name, mountAccessor, issuer, canonicalId }: AliasKey, recordedAt = this.next()): void {
    const ofIssuer = isGiven(issuer) ? { issuer } : {};
    this.entries.set(id, { name, mountAccessor, ...ofIssuer, canonicalId, recordedAt });
  }

  /** The alias that an entity has on a mount, as of the last lookup. There is at most one. */
  ofEntity({ mountAccessor, canonicalId }: AliasKey): readonly [id: string, alias: AliasKey] | undefined {
    return [...this.entries].find(
      ([, entry]) =>
        isGiven(mountAccessor) && entry.mountAccessor === mountAccessor && entry.canonicalId === canonicalId,
    );
  }

  /** Whether the last lookup found the alias, readable or not. */
  has(id: string): boolean {
    return this.entries.has(id) || this.notRead.has(id);
  }

  /** If case is ignored, an exact match takes precedence. */
  async find(client: SecretsClient, desired: AliasKey, listing = client) {
    const askedAt = this.asked.get(desired) ?? this.next();
    // A repeated lookup checks the outcome of a write.
    this.asked.delete(desired);
    await this.refresh(client, askedAt, listing);
    const { foldsNames } = client.dialect;
    const found = [...this.entries]
      // A list might not contain the issuer.
      .filter(([, entry]) => isSame({ issuer: desired.issuer, ...entry }, desired, foldsNames))
      .sort(
        ([, left], [, right]) => Number(right.name === desired.name) - Number(left.name === desired.name),
      );
    for (const [id] of found) {
      const state = await this.read(client, id);
      if (state !== undefined && isSame(state, desired, foldsNames)) {
        return { id, state };
      }
    }
    return undefined;
  }

  private async refresh(client: SecretsClient, askedAt: number, listing: SecretsClient): Promise<void> {
    const described = await aliases.list(listing);
    [...this.entries.keys()]
      .filter((current) => !described.has(current))
      .forEach((id) => this.entries.delete(id));
    const unread: string[] = [];
    for (const [id, item] of described) {
      const { success, data } = describedKey(validation()).safeParse(item);
      if (success) {
        this.note(id, data);
      } else if ((this.entries.get(id)?.recordedAt ?? askedAt) <= askedAt) {
        unread.push(id);
      }
    }
    this.notRead.clear();
    await Promise.all(
      unread.map((id) =>
        this.read(client, id).catch((error: unknown) => {
          // A failure might concern only one alias, so the others are still read.
          const isOwn = ServiceError.isInstance(error)
            ? ![401, 429].includes(error.status)
            : ContractError.isInstance(error);
          if (!isOwn) {
            throw error;
          }
          this.entries.delete(id);
          this.notRead.set(id, error);
        }),
      ),
    );
    const failures = [...this.notRead.values()];
    const refused = failures.filter((error) => ServiceError.isInstance(error) && error.status === 403);
    if (refused.length > 0 && refused.length === unread.length) {
      throw refused[0];
    }
  }

  private async read(client: SecretsClient, id: string): Promise<AliasState | undefined> {
    const begun = this.next();
    const state = (await aliases.read(client, id)) as AliasState | undefined;
    if (state === undefined) {
      this.entries.delete(id);
    } else {
      this.note(id, state, begun);
    }
    return state;
  }

  private next(): number {
    this.count += 1;
    return this.count;
  }
}

function isSame(left: AliasKey, right: AliasKey, foldsNames: boolean): boolean {
  const nameOf = ({ name }: AliasKey): string => (foldsNames ? name.toLowerCase() : name);
  const issuerOf = ({ issuer }: AliasKey) => normalIssuer(issuer);
  const belongsTo = (key: AliasKey) => (isGiven(right.mountAccessor) ? key.mountAccessor : issuerOf(key));
  return belongsTo(left) === belongsTo(right) && nameOf(left) === nameOf(right);
}

const notAllowed = "not allowed";

const mayNotLook =
  "Before it creates an alias, the library checks whether the alias exists, because the service would silently move it to " +
  "another entity. The token must be allowed to list and read identity/entity-alias/id. To skip the check, set `adopt: true`.";

/** The response does not contain data if nothing has changed. */
const writtenAlias = builtOnce((z) => z.object({ id: nameInResponse(z).optional() }));

/** Of a creation and of an update. */
const noEntity = /^(?:invalid canonical ID|given 'canonical_id' is not associated with an entity)$/;

/** What the service responds if another alias has the name, or the entity has another alias on the mount. */
const conflicts = [400, 409, 422];

/** @throws the error, with the conflicting alias */
async function refuse(
  client: SecretsClient,
  desired: Desired<Rows>,
  error: ServiceError,
  { id, canonicalId }: { readonly id?: string } & Pick<Current<Rows>, "canonicalId"> = {},
): Promise<never> {
  if (error.messages.some((text) => noEntity.test(text))) {
    const advice =
      !isGiven(canonicalId) || canonicalId === desired.canonicalId
        ? "Set canonicalId to an entity that exists."
        : `The alias is bound to the entity ${canonicalId}: if the entities were merged, set canonicalId to that entity.`;
    throw advisedOtherwise(error, `The entity ${shown(desired.canonicalId)} does not exist. ${advice}`);
  }
  const index = client.sharedState(AliasIndex);
  // A failed search must not hide the original error.
  const named = await index.find(client, desired).catch(() => undefined);
  if (named !== undefined && named.id !== id) {
    throw advisedOtherwise(
      error,
      `${describe(desired)} already exists: its ID is ${named.id}, and it is bound to the entity ` +
        `${named.state.canonicalId}. Delete it, or choose another name. To swap names, first give ` +
        "one of the two aliases a third name in a separate update.",
    );
  }
  const [otherId, other] = index.ofEntity(desired) ?? [];
  if (other === undefined || otherId === id) {
    throw error;
  }
  throw advisedOtherwise(
    error,
    `The entity ${desired.canonicalId} already has an alias on this mount: ${describe(other)}, whose ID is ${otherId}. ` +
      "An entity can have only one alias on each mount: delete the existing one, or rename it instead of creating another.",
  );
}

function warnOfUnread(client: SecretsClient, desired: Desired<Rows>): void {
  const { notRead } = client.sharedState(AliasIndex);
  if (notRead.size > 0) {
    client.caller.announce(
      "warning",
      `The library could not verify whether ${describe(desired)} exists, because ${notRead.size} of the aliases ` +
        `could not be read, such as ${[...notRead.keys()].slice(0, 5).join(", ")}.`,
    );
  }
}

function findAllowed(client: SecretsClient, desired: Desired<Rows>) {
  const searching = client.sharedState(AliasIndex).find(client, desired);
  return searching.catch(
    onStatus([403], (error) => {
      throw advisedOtherwise(error, mayNotLook);
    }),
  );
}

/** Without data in the response, the alias already had the desired values: another client was faster. */
async function findWritten(client: SecretsClient, desired: Desired<Rows>): Promise<string> {
  const found = await findAllowed(client, desired);
  if (found?.state.canonicalId !== desired.canonicalId) {
    throw new TriviumError(
      `The secrets service accepted the creation of ${describe(desired)} without naming it, and ` +
        (found === undefined
          ? "lists no such alias."
          : `it is bound to the entity ${found.state.canonicalId}: another client has changed it since.`),
      { advice: "Run `pulumi up` again." },
    );
  }
  return found.id;
}

/** @internal */
export const entityAliasDefinition = defineResource(secretsService, fields)("secrets/identity:EntityAlias", {
  rules: [requiredWithout("mountAccessor", "issuer")],
  identity: {
    idIs: "the alias's id",
    arguments: ["name", "mountAccessor"],
    claims({ name, mountAccessor, issuer }) {
      const what = `name ${JSON.stringify(name)} of issuer ${JSON.stringify(issuer)}`;
      return isGiven(issuer) && !isGiven(mountAccessor) ? [{ key: what, what }] : [];
    },
  },
  // The name stays the same, and an entity has only one alias on a mount.
  deleteBeforeReplace: true,
  importedBy: { option: "entity-aliases", ids: async (client) => [...(await aliases.list(client)).keys()] },

  // The service silently overwrites an alias: no other write of this process must come between lookup and
  // creation.
  turn({ client }, desired) {
    client.sharedState(AliasIndex).ask(desired);
    return `aliases of ${desired.mountAccessor ?? desired.issuer ?? ""}`;
  },

  async look({ client, announce }, desired) {
    const index = client.sharedState(AliasIndex);
    const searched = await index.find(client, desired, client.looking()).catch(
      onStatus([403], (error): typeof notAllowed => {
        if (desired.adopt !== true) {
          throw advisedOtherwise(error, mayNotLook);
        }
        announce(
          "warning",
          `The token is not allowed to list the aliases, so the library could not check whether ${describe(desired)} exists. If it ` +
            "does, the service binds it to this entity.",
        );
        return notAllowed;
      }),
    );
    const found = searched === notAllowed ? undefined : searched;
    if (found === undefined) {
      warnOfUnread(client, desired);
    }
    const detail = `bound to the entity ${found?.state.canonicalId ?? ""}`;
    return { existing: found && { ...found, detail } };
  },

  async recover({ client }, desired) {
    const found = await findAllowed(client, desired);
    if (found === undefined) {
      warnOfUnread(client, desired);
    }
    // A new alias might be another client's.
    return found?.state.canonicalId === desired.canonicalId ? found : undefined;
  },

  async create({ client }, desired) {
    const index = client.sharedState(AliasIndex);
    const written = await client
      .write({
        summary: `create ${describe(desired)}`,
        path: path`/identity/entity-alias`,
        body: fields.in(client.dialect.name).request(desired),
        data: writtenAlias,
      })
      .catch(onStatus(conflicts, (error) => refuse(client, desired, error)));
    if (written?.id === undefined) {
      return { id: await findWritten(client, desired), state: {} };
    }
    if (index.has(written.id)) {
      const why = index.notRead.has(written.id)
        ? "could not be read before the write"
        : "got this name from another client during the creation";
      throw new TriviumError(
        `The alias ${written.id} ${why}. It is now ${describe(desired)}, bound to the entity ${desired.canonicalId}.`,
        { advice: "Check who manages it. To manage it here, run `pulumi up` again with `adopt: true`." },
      );
    }
    index.note(written.id, desired);
    return { id: written.id, state: {} };
  },

  read: ({ client }, id, current) => aliases.readAmong(client, id, current),

  async update({ client, announce, managed }, id, desired, changed, current) {
    const body = fields.in(client.dialect.name).request(desired);
    await client
      .write({ ...aliases.request("update", id), body })
      .catch(onStatus(conflicts, (error) => refuse(client, desired, error, { id, ...current })));
    client.sharedState(AliasIndex).note(id, desired);
    // A warning, because the plan of a creation does not show the adopted object.
    if (managed.size === 0 && changed.has("canonicalId")) {
      announce(
        "warning",
        `The entity alias ${id} was bound to the entity ${String(current.canonicalId)} and is now bound to ${desired.canonicalId}.`,
      );
    }
    return {};
  },

  delete: ({ client }, id) => aliases.delete(client, id),
});

export interface EntityAlias extends OutputsOf<typeof rows> {}

/**
 * An entity alias in the secrets service (Vault or OpenBao). It binds a login name on an authentication mount to an
 * entity, whose policies then apply to logins with this name.
 *
 * The service assigns the ID. Because the service would silently move an existing alias to another entity, creation
 * first checks whether the alias exists. If it does, creation fails unless `adopt` is set. All drift is detected.
 * Deletion does not affect the entity.
 *
 * Write access to the service's identity endpoints is privileged: a client that can change an alias can bind
 * it to an entity with more rights, and all clients that share an alias share its rights. Use one alias per
 * entity, especially for entities that are generated by machines.
 *
 * ## Example Usage
 *
 * ```typescript
 * import * as trivium from "pulumi-trivium";
 *
 * const alias = new trivium.secrets.identity.EntityAlias("alice", {
 *   name: "alice",
 *   canonicalId: "7d2e3179-f69b-450c-7179-ac8ee8bd8ca9",
 *   mountAccessor: "auth_userpass_e50b1a44",
 *   customMetadata: { team: "payments" },
 * });
 *
 * export const aliasId = alias.id;
 * ```
 */
export class EntityAlias extends ReadableResource<EntityAliasArgs> {
  /** @internal */
  static override readonly definition = entityAliasDefinition;
}

const getRows = {
  /** The alias's ID. */
  id: pathName({ optional: true }),
  /** The alias's name; case-insensitive in the hashicorp dialect. */
  name: text({ least: 1, optional: true }),
  /** The accessor of the authentication mount that the name belongs to. */
  mountAccessor: text({ least: 1, optional: true }),
};

/** The arguments of {@link getEntityAlias}: either `id`, or `name` and `mountAccessor`. */
export interface GetEntityAliasArgs extends PlainArgsOf<typeof getRows>, Named {}

/** The arguments of {@link getEntityAliasOutput}: either `id`, or `name` and `mountAccessor`. */
export type GetEntityAliasOutputArgs = InputsOf<GetEntityAliasArgs>;

/** An entity alias as functions return it; null for values that the service does not return. */
export type GetEntityAliasResult = ResultOf<EntityAlias>;

const getDefinition = defineFunction(secretsService, getRows)(
  "secrets.identity.getEntityAlias",
  async (client, { id, name = "", mountAccessor }): Promise<GetEntityAliasResult> => {
    if (id !== undefined) {
      return aliases.get(client, id);
    }
    const index = new AliasIndex();
    const key = { name, mountAccessor };
    const found = await index.find(client, key);
    const [unread] = index.notRead.values();
    if (found === undefined && unread !== undefined) {
      // An alias that could not be read might be the requested one.
      throw unread as Error;
    }
    const what = describe(key).replace("the ", "");
    const at = found === undefined ? aliases.path : aliases.request("read", found.id).path;
    return client.result({ what, path: at, fields, known: { id: found?.id } }, found?.state);
  },
  {
    problem({ id, name, mountAccessor }) {
      const given = [name, mountAccessor].filter((each) => each !== undefined).length;
      return given === (id === undefined ? 2 : 0) ? undefined : "takes either id, or name and mountAccessor";
    },
  },
);

/**
 * Reads an entity alias. To find an alias by name, the function lists all aliases, so the token must be
 * allowed to list them.
 *
 * @example
 * ```typescript
 * const { canonicalId } = await trivium.secrets.identity.getEntityAlias({
 *   name: "alice",
 *   mountAccessor: "auth_userpass_e50b1a44",
 * });
 * ```
 *
 * @throws {@link errors.NotFoundError} if the alias does not exist
 */
export const getEntityAlias = promiseForm<GetEntityAliasArgs, GetEntityAliasResult>(getDefinition);

/**
 * Reads an entity alias, with arguments that can be outputs of resources. In a preview that creates one of
 * these resources, the result is unknown.
 *
 * @throws {@link errors.InputError} if the provider is not a {@link Provider}
 */
export const getEntityAliasOutput = outputForm<GetEntityAliasOutputArgs, GetEntityAliasResult>(getDefinition);

/** {@link listEntityAliases} takes no arguments. */
export type ListEntityAliasesArgs = Record<string, never>;

/** {@link listEntityAliasesOutput} takes no arguments. */
export type ListEntityAliasesOutputArgs = Record<string, never>;

/** An entity alias as a list returns it; null for values that the service does not return. */
export type ListedEntityAlias = Omit<GetEntityAliasResult, "creationTime" | "lastUpdateTime" | "metadata"> & {
  /** The client's metadata from the authentication mount; null in Vault's lists. */
  readonly metadata: Record<string, string> | null;
};

/** The result of {@link listEntityAliases}. */
export interface ListEntityAliasesResult {
  /** The IDs of all aliases. */
  readonly ids: string[];
  /** The aliases in the same order; null if the service only returns their IDs, as documented. */
  readonly aliases: ListedEntityAlias[] | null;
}

const listDefinition = defineFunction(secretsService, {})(
  "secrets.identity.listEntityAliases",
  async (client): Promise<ListEntityAliasesResult> => {
    const found = await aliases.list(client);
    return { ids: [...found.keys()], aliases: client.details<ListedEntityAlias>(found, listed) };
  },
);

/**
 * Lists all entity aliases.
 *
 * @throws {@link errors.ServiceError} if the service returns an error
 */
export const listEntityAliases = promiseForm<ListEntityAliasesArgs | undefined, ListEntityAliasesResult>(
  listDefinition,
);

/**
 * Lists all entity aliases, once the resources in the options exist.
 *
 * @throws {@link errors.InputError} if the provider is not a {@link Provider}
 */
export const listEntityAliasesOutput = outputForm<
  ListEntityAliasesOutputArgs | undefined,
  ListEntityAliasesResult
>(listDefinition);
