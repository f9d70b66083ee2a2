import { advisedOtherwise, ContractError, onStatus, ServiceError, TriviumError } from "../../base/errors";
import { isObject } from "../../base/json";
import { builtOnce } from "../../base/schema";
import { path, type Path } from "../../base/path";
import { longestPart, showable } from "../../base/shown-text";
import { KeyedMutex } from "../../base/timing";
import { outputForm, promiseForm } from "../../functions/call";
import { defineFunction } from "../../functions/definition";
import { ReadableResource } from "../../resource/program/base";
import { defineResource } from "../../resource/definition";
import type { InputsOf, ResultOf } from "../../functions/results";
import { type Current, type Desired, Fields, output, snakeCase } from "../../resource/fields/field";
import {
  adopt,
  caseInsensitive,
  flag,
  nameInResponse,
  pathName,
  text,
  textComparedBy,
  textMap,
} from "../../resource/fields/kinds";
import type { ArgsOf, OutputsOf, PlainArgsOf } from "../../resource/fields/rows";
import type { SecretsClient } from "../client";
import { secretsService } from "../service";

const rows = {
  /**
   * The name of the client in the authentication source: the user name for `userpass`, the role id for `approle`.
   * Unique on its mount; in the hashicorp dialect it is case-insensitive. A change renames the alias.
   */
  name: textComparedBy({ hashicorp: caseInsensitive })({ least: 1 }),
  /** The id of the entity of the alias. A change binds the alias to another entity. */
  canonicalId: text({ least: 1 }),
  /** The accessor of the authentication mount that the name belongs to. A change moves the alias to that mount. */
  mountAccessor: text({ least: 1 }),
  /**
   * Metadata of the alias, by key.
   *
   * @default none
   */
  customMetadata: textMap({ cleared: {} }),
  /**
   * Adopt the alias of this name on this mount if it already exists, and bind it to `canonicalId`, instead of
   * failing. Only used at creation; a later change has no effect.
   *
   * @default false
   */
  adopt: adopt(),
  /** What the authentication mount knows about the client. */
  metadata: output(textMap()),
  /** When it was created: ISO 8601. */
  creationTime: output(text()),
  /** When it was last changed: ISO 8601. */
  lastUpdateTime: output(text({ recomputedBy: true })),
  /** Whether it is local to one cluster of the service. */
  local: output(flag({ recomputedBy: ["mountAccessor"] })),
  /** The path of the mount; `undefined` if it no longer exists. */
  // An alias outlives its mount.
  mountPath: output(text({ unreported: true, recomputedBy: ["mountAccessor"] })),
  /** The type of the mount; `undefined` if it no longer exists. */
  mountType: output(text({ unreported: true, recomputedBy: ["mountAccessor"] })),
};

const fields = new Fields(rows, snakeCase);

/** The arguments of an {@link EntityAlias}. */
export interface EntityAliasArgs extends ArgsOf<typeof rows> {}

type Rows = typeof rows;

type AliasKey = Pick<Desired<Rows>, "name" | "mountAccessor">;

/** Required arguments are always in a response. */
type AliasState = Current<Rows> & Pick<Desired<Rows>, "name" | "mountAccessor" | "canonicalId">;

/** @internal */
export const aliasIds = path`/identity/entity-alias/id`;
const aliasPath = (id: string): Path => path`/identity/entity-alias/id/${id}`;
const requestFor = (verb: string, id: string) => ({
  summary: `${verb} the entity alias ${id}`,
  path: aliasPath(id),
  resource: id,
});

const describe = ({ name, mountAccessor }: AliasKey): string =>
  `the entity alias ${shown(JSON.stringify(name))} on the mount ${shown(mountAccessor)}`;

const shown = (text: string): string => showable(text, longestPart);

/** @internal */
export function readAlias(client: SecretsClient, id: string): Promise<AliasState | undefined> {
  const request = { ...requestFor("read", id), id, data: fields.response };
  return client.read(request) as Promise<AliasState | undefined>;
}

/** @internal Real servers return name and mount of each alias; the documentation promises only ids. */
export async function listAliases(client: SecretsClient): Promise<ReadonlyMap<string, AliasKey | undefined>> {
  const { names, data } = await client.listData({ summary: "list the entity aliases", path: aliasIds });
  const described = isObject(data) && isObject(data.key_info) ? data.key_info : {};
  return new Map(
    names.map((id) => {
      const { name, mount_accessor: mountAccessor } = isObject(described[id]) ? described[id] : {};
      const isDescribed = typeof name === "string" && typeof mountAccessor === "string";
      return [id, isDescribed ? { name, mountAccessor } : undefined];
    }),
  );
}

interface Entry extends AliasKey {
  readonly recordedAt: number;
}

/**
 * Finds aliases by name, because the service would silently move an existing one. If the list returns only ids, each
 * alias not read since the lookup began is read; one read serves all waiting lookups. A hit is read again.
 * @internal
 */
export class AliasIndex {
  private readonly entries = new Map<string, Entry>();
  private readonly asked = new WeakMap<AliasKey, number>();
  /** Why the last lookup could not read these aliases. */
  readonly notRead = new Map<string, unknown>();

  /** A lookup waits for its turn: anything read from now on may settle it. */
  ask(desired: AliasKey): void {
    this.asked.set(desired, performance.now());
  }

  note(id: string, { name, mountAccessor }: AliasKey, recordedAt = performance.now()): void {
    this.entries.set(id, { name, mountAccessor, recordedAt });
  }

  /** Whether the last lookup found the alias, readable or not. */
  has(id: string): boolean {
    return this.entries.has(id) || this.notRead.has(id);
  }

  /** If case is ignored, an exact match comes first. */
  async find(client: SecretsClient, desired: AliasKey) {
    const askedAt = this.asked.get(desired) ?? performance.now();
    // A repeated lookup is about the outcome of a write.
    this.asked.delete(desired);
    await this.refresh(client, askedAt);
    const { foldsNames } = client.dialect;
    const found = [...this.entries]
      .filter(([, entry]) => isSame(entry, desired, foldsNames))
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

  private async refresh(client: SecretsClient, askedAt: number): Promise<void> {
    const listed = await listAliases(client);
    [...this.entries.keys()]
      .filter((current) => !listed.has(current))
      .forEach((id) => this.entries.delete(id));
    const unread: string[] = [];
    for (const [id, key] of listed) {
      if (key !== undefined) {
        this.note(id, key);
      } else if ((this.entries.get(id)?.recordedAt ?? askedAt) <= askedAt) {
        unread.push(id);
      }
    }
    this.notRead.clear();
    await Promise.all(
      unread.map((id) =>
        this.read(client, id).catch((error: unknown) => {
          // A failure may concern one alias only, so the others are still read.
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
    const begun = performance.now();
    const state = await readAlias(client, id);
    if (state === undefined) {
      this.entries.delete(id);
    } else {
      this.note(id, state, begun);
    }
    return state;
  }
}

function isSame(left: AliasKey, right: AliasKey, foldsNames: boolean): boolean {
  const nameOf = ({ name }: AliasKey): string => (foldsNames ? name.toLowerCase() : name);
  return left.mountAccessor === right.mountAccessor && nameOf(left) === nameOf(right);
}

const notAllowed = "not allowed";

const mayNotLook =
  "A creation first checks whether the alias exists, because the service would silently move it to another entity. The " +
  "token needs the rights to list and to read identity/entity-alias/id. To create the alias without the check, set `adopt: true`.";

/** The response has no data when nothing has changed. */
const writtenAlias = builtOnce((z) => z.object({ id: nameInResponse(z).optional() }));

/** @internal */
export const entityAliasDefinition = defineResource(secretsService, fields)("secrets/identity:EntityAlias", {
  identity: { idIs: "the alias's id", arguments: ["name", "mountAccessor"] },
  importedBy: { option: "entity-aliases", ids: async (client) => [...(await listAliases(client)).keys()] },

  // The service silently overwrites an alias: no other write of this process may come between lookup and creation.
  serialize({ client }, desired, work) {
    client.sharedState(AliasIndex).ask(desired);
    return client.sharedState(KeyedMutex).run(desired.mountAccessor, work);
  },

  async find({ client, announce }, desired, before) {
    const index = client.sharedState(AliasIndex);
    const searched = await index.find(client, desired).catch(
      onStatus([403], (error): typeof notAllowed => {
        if (desired.adopt !== true || before !== undefined) {
          throw advisedOtherwise(error, mayNotLook);
        }
        announce(
          "warning",
          `The token may not list the aliases, so the library could not check whether ${describe(desired)} exists. If it ` +
            "does, the service binds it to this entity.",
        );
        return notAllowed;
      }),
    );
    const found = searched === notAllowed ? undefined : searched;
    if (found === undefined && index.notRead.size > 0) {
      announce(
        "warning",
        `The library could not verify whether ${describe(desired)} exists, because ${index.notRead.size} of the aliases ` +
          `could not be read, such as ${[...index.notRead.keys()].slice(0, 5).join(", ")}.`,
      );
    }
    // After a lost response, a new alias may be that of another client.
    const isOther = before !== undefined && found?.state.canonicalId !== desired.canonicalId;
    return found === undefined || isOther
      ? {}
      : { existing: { ...found, detail: `bound to the entity ${found.state.canonicalId}` } };
  },

  async create({ client }, desired) {
    const index = client.sharedState(AliasIndex);
    const written = await client.write({
      summary: `create ${describe(desired)}`,
      path: path`/identity/entity-alias`,
      body: fields.request(desired, client.dialect.name),
      data: writtenAlias,
    });
    if (written?.id === undefined) {
      return { id: await findWritten(client, desired), state: {} };
    }
    if (index.has(written.id)) {
      const why = index.notRead.has(written.id)
        ? "could not be read before the write"
        : "got this name from another client during the creation";
      throw new TriviumError(
        `The alias ${written.id} ${why}. As ${describe(desired)}, it is now bound to the entity ${desired.canonicalId}.`,
        { advice: "Check who manages it. To manage it here, run `pulumi up` again with `adopt: true`." },
      );
    }
    index.note(written.id, desired);
    return { id: written.id, state: {} };
  },

  read: ({ client }, id) => readAlias(client, id),

  async update({ client, announce, managed }, id, desired, changed, current) {
    const body = fields.request(desired, client.dialect.name);
    await client.write({ ...requestFor("update", id), body }).catch(
      onStatus([400, 409, 422], async (error) => {
        // A failed search must not hide the original error.
        const other = await client
          .sharedState(AliasIndex)
          .find(client, desired)
          .catch(() => undefined);
        throw other === undefined || other.id === id
          ? error
          : advisedOtherwise(
              error,
              `${describe(desired)} exists already: its id is ${other.id}, and it is bound to the entity ` +
                `${other.state.canonicalId}. Delete it, or choose another name. To swap names, first give ` +
                "one of the two aliases a third name in a separate update.",
            );
      }),
    );
    client.sharedState(AliasIndex).note(id, desired);
    // The plan of a creation does not show the adopted object.
    if (managed.size === 0 && changed.has("canonicalId")) {
      announce(
        "warning",
        `The entity alias ${id} was bound to the entity ${String(current.canonicalId)} and is now bound to ${desired.canonicalId}.`,
      );
    }
    return {};
  },

  delete: ({ client }, id) => client.delete(requestFor("delete", id)),
});

/** The service returns nothing if the alias already has the desired values: another client was faster. */
async function findWritten(client: SecretsClient, desired: Desired<Rows>): Promise<string> {
  const found = await client
    .sharedState(AliasIndex)
    .find(client, desired)
    .catch(
      onStatus([403], (error) => {
        throw advisedOtherwise(error, mayNotLook);
      }),
    );
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

export interface EntityAlias extends OutputsOf<typeof rows> {}

/**
 * An alias of the secrets service (Vault or OpenBao): a login name on an authentication mount, bound to an entity, whose
 * policies apply to logins with this name.
 *
 * The service assigns its id. The service would silently move an existing alias to another entity, so
 * creation checks first and fails unless `adopt` is set. All drift is detected. Deletion does not affect the
 * entity.
 *
 * Write access to the service's identity endpoints is privileged: a client that can change an alias can bind it to an
 * entity with more rights, and all clients that share an alias share its rights. One alias per entity is recommended,
 * especially for entities that machines generate.
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

const idRows = {
  /** The alias's id. */
  id: pathName(),
};

/** The arguments of {@link getEntityAlias}. */
export interface GetEntityAliasArgs extends PlainArgsOf<typeof idRows> {}

/** The arguments of {@link getEntityAliasOutput}. */
export type GetEntityAliasOutputArgs = InputsOf<GetEntityAliasArgs>;

/** An entity alias as functions return it; null for values that the service does not return. */
export type GetEntityAliasResult = ResultOf<EntityAlias>;

const getDefinition = defineFunction(secretsService, idRows)(
  "secrets.identity.getEntityAlias",
  (client, { id }): Promise<GetEntityAliasResult> =>
    client.get({ what: `entity alias ${id}`, path: aliasPath(id), id, fields, known: { id } }),
);

/**
 * Reads one entity alias.
 *
 * @throws {@link errors.NotFoundError} when it does not exist
 */
export const getEntityAlias = promiseForm<GetEntityAliasArgs, GetEntityAliasResult>(getDefinition);

/**
 * Reads one entity alias, with arguments that may be outputs of resources. In a preview that creates one of
 * them, the result is unknown.
 *
 * @throws {@link errors.InputError} when the provider is not a {@link Provider}
 */
export const getEntityAliasOutput = outputForm<GetEntityAliasOutputArgs, GetEntityAliasResult>(getDefinition);

/** {@link listEntityAliases} takes no arguments. */
export type ListEntityAliasesArgs = Record<string, never>;

/** {@link listEntityAliasesOutput} takes no arguments. */
export type ListEntityAliasesOutputArgs = Record<string, never>;

/** The result of {@link listEntityAliases}. */
export interface ListEntityAliasesResult {
  /** The ids of all aliases. */
  readonly ids: string[];
}

const listDefinition = defineFunction(secretsService, {})(
  "secrets.identity.listEntityAliases",
  async (client): Promise<ListEntityAliasesResult> => ({ ids: [...(await listAliases(client)).keys()] }),
);

/**
 * Lists the ids of all entity aliases.
 *
 * @throws {@link errors.ServiceError} if the service returns an error
 */
export const listEntityAliases = promiseForm<ListEntityAliasesArgs | undefined, ListEntityAliasesResult>(
  listDefinition,
);

/**
 * Lists the ids of all entity aliases, after the resources that the options name.
 *
 * @throws {@link errors.InputError} when the provider is not a {@link Provider}
 */
export const listEntityAliasesOutput = outputForm<
  ListEntityAliasesOutputArgs | undefined,
  ListEntityAliasesResult
>(listDefinition);
