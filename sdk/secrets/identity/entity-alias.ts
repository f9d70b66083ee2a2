import { secretsService } from "../service";
import type * as pulumi from "@pulumi/pulumi";
import { TriviumError } from "../../base/errors";
import { path } from "../../base/path";
import { isResource, TriviumResource } from "../../resource/base";
import { caseInsensitive, nothingIsNull } from "../../resource/canonical";
import { defineResourceBySchema } from "../../resource/definition";
import { assertGetSupported } from "../../resource/get";
import type { SecretsClient } from "../client";
import { Turns } from "../../base/turns";
import { AliasIndex, type FoundAlias } from "./alias-index";
import { aliasBody, aliasPath, readAlias, writtenAliasShape } from "./entity-alias-wire";

/** The arguments of an {@link EntityAlias}. */
export interface EntityAliasArgs {
  /**
   * What the client is called in the authentication source: the user name for a mount of user names and passwords,
   * the role's id for a mount of roles. Unique on its mount; in the hashicorp dialect case does not count. A change
   * renames the alias.
   */
  name: pulumi.Input<string>;
  /** The id of the entity that the alias stands for. A change gives the alias to another entity. */
  canonicalId: pulumi.Input<string>;
  /** The accessor of the authentication mount that the name belongs to. A change moves the alias to that mount. */
  mountAccessor: pulumi.Input<string>;
  /**
   * Texts that describe the alias, by key.
   *
   * @default none
   */
  customMetadata?: pulumi.Input<Record<string, pulumi.Input<string>> | null | undefined>;
  /**
   * Take over the alias of this name on this mount if there is one already, and give it to `canonicalId`, instead of
   * failing. Counts at creation only; a change does nothing.
   *
   * @default false
   */
  adopt?: pulumi.Input<boolean | null | undefined>;
}

const describe = ({ name, mountAccessor }: { name: string; mountAccessor: string }): string =>
  `the entity alias ${JSON.stringify(name)} on the mount ${mountAccessor}`;

/** How many aliases a warning names. */
const mostNamed = 5;

/** @internal */
export const entityAliasDefinition = defineResourceBySchema<SecretsClient>()({
  type: "secrets/identity:EntityAlias",
  service: secretsService,
  identifiedBy: ["name", "mountAccessor"],
  schema: (z) => ({
    name: z.string().min(1, "must not be empty"),
    canonicalId: z.string().min(1, "must not be empty"),
    mountAccessor: z.string().min(1, "must not be empty"),
    customMetadata: z.record(z.string(), z.string()).optional(),
    adopt: z.boolean().optional(),
  }),
  arguments: {
    name: { canonicalIn: { hashicorp: caseInsensitive } },
    canonicalId: {},
    mountAccessor: {},
    customMetadata: { canonical: nothingIsNull(), cleared: {} },
    adopt: { role: "creation" },
  },
  outputs: {
    metadata: {},
    creationTime: {},
    lastUpdateTime: {},
    local: {},
    mountPath: { optional: true },
    mountType: { optional: true },
  },

  // The service creates over an existing alias without a word. Between the look and the creation nobody else in
  // this process may write on the mount.
  inTurn({ client }, wanted, work) {
    client.part(AliasIndex).ask(wanted);
    return client.part(Turns).run(wanted.mountAccessor, work);
  },

  async find({ client, announce }, wanted, fresh) {
    const index = client.part(AliasIndex);
    const found = await index.find(client, wanted);
    if (found === undefined && index.notRead.size > 0) {
      announce(
        "warning",
        `Whether ${describe(wanted)} exists is not certain, because these aliases could not be read: ` +
          `${[...index.notRead].slice(0, mostNamed).join(", ")}${index.notRead.size > mostNamed ? " and others" : ""}.`,
      );
    }
    // What appears after a lost answer is what was asked for, or somebody else's.
    return found === undefined || (fresh && found.state.canonicalId !== wanted.canonicalId)
      ? undefined
      : { ...found, remark: `bound to the entity ${found.state.canonicalId}` };
  },

  async create({ client }, wanted) {
    const index = client.part(AliasIndex);
    // Twice the same does no more than once.
    const written = await client.write({
      summary: `create ${describe(wanted)}`,
      path: path`/identity/entity-alias`,
      body: aliasBody(wanted),
      data: writtenAliasShape,
    });
    if (written?.id === undefined) {
      const { id } = await findWritten(client, wanted);
      return { id, state: {} };
    }
    if (index.notRead.has(written.id)) {
      throw new TriviumError(
        `${describe(wanted)} existed already as ${written.id}, which could not be read before it was written. It is ` +
          `now bound to the entity ${wanted.canonicalId}.`,
        { hint: "Find out whose it is. To keep it, run `pulumi up` again with `adopt: true`." },
      );
    }
    if (index.has(written.id)) {
      throw new TriviumError(
        `While ${describe(wanted)} was created, somebody else gave this name to the alias ${written.id}, which is now ` +
          `bound to the entity ${wanted.canonicalId}.`,
        { hint: "Find out whose it is. To keep it, run `pulumi up` again with `adopt: true`." },
      );
    }
    index.note(written.id, wanted);
    return { id: written.id, state: {} };
  },

  async read({ client }, id) {
    const state = await readAlias(client, id);
    if (state !== undefined) {
      client.part(AliasIndex).saw(id, state);
    }
    return state;
  },

  async update({ client, announce, managed }, id, wanted, changed, known) {
    await client.write({
      summary: `update the entity alias ${id}`,
      path: aliasPath(id),
      body: aliasBody(wanted),
      data: writtenAliasShape,
    });
    client.part(AliasIndex).note(id, wanted);
    // The plan of a creation shows nothing of what it takes over.
    if (managed.size === 0 && changed.has("canonicalId")) {
      announce(
        "warning",
        `The entity alias ${id} was bound to the entity ${String(known.canonicalId)} and now is to ${wanted.canonicalId}.`,
      );
    }
    return {};
  },

  async delete({ client }, id) {
    client.part(AliasIndex).forget(id);
    await client.delete({ summary: `delete the entity alias ${id}`, path: aliasPath(id) });
  },
});

/** The service answers nothing when an alias is already what it is to be: one like it came in between. */
async function findWritten(
  client: SecretsClient,
  wanted: { readonly name: string; readonly mountAccessor: string; readonly canonicalId: string },
): Promise<FoundAlias> {
  const found = await client.part(AliasIndex).find(client, wanted);
  if (found?.state.canonicalId !== wanted.canonicalId) {
    throw new TriviumError(
      `The secrets service took the creation of ${describe(wanted)} without naming it, and ` +
        (found === undefined
          ? "lists no such alias."
          : `it is bound to the entity ${found.state.canonicalId}: somebody else has changed it since.`),
      { hint: "Run `pulumi up` again." },
    );
  }
  return found;
}

/**
 * An alias of the secrets service: a login name on an authentication mount, bound to an entity whose privileges
 * whoever logs in under it gets.
 *
 * Its id is the service's own. The service itself would move an alias that already exists to another entity;
 * creation therefore looks first, and refuses unless `adopt` is set. All drift is visible. Deletion takes the alias
 * away; an entity stays.
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
 *
 * Documented under "Entity aliases" in the secrets service's interface.
 */
export class EntityAlias extends TriviumResource {
  /** @internal */
  static override readonly definition = entityAliasDefinition;

  /** What the client is called in the authentication source. */
  declare readonly name: pulumi.Output<string>;
  /** The id of the entity that the alias stands for. */
  declare readonly canonicalId: pulumi.Output<string>;
  /** The accessor of the mount that the name belongs to. */
  declare readonly mountAccessor: pulumi.Output<string>;
  /** Texts that describe the alias. */
  declare readonly customMetadata: pulumi.Output<Record<string, string>>;
  /** What the authentication mount knows of the client. */
  declare readonly metadata: pulumi.Output<Record<string, string>>;
  /** When it was created: ISO 8601. */
  declare readonly creationTime: pulumi.Output<string>;
  /** When it was last changed: ISO 8601. */
  declare readonly lastUpdateTime: pulumi.Output<string>;
  /** Whether it is known in one cluster of the service only. */
  declare readonly local: pulumi.Output<boolean>;
  /** Where the mount is; `undefined` when it was gone before. */
  declare readonly mountPath: pulumi.Output<string | undefined>;
  /** Of what type the mount is; `undefined` when it was gone before. */
  declare readonly mountType: pulumi.Output<string | undefined>;

  /**
   * Reads an existing alias without managing it: it is never changed nor deleted.
   *
   * @param name the unique name of the resulting resource in the program
   * @param id the alias's id
   * @throws {@link errors.TriviumError} when the program runs with an SDK older than 3.268.0
   */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): EntityAlias {
    assertGetSupported("secrets.identity.EntityAlias");
    return new EntityAlias(name, undefined, { ...options, id });
  }

  /** Whether a value is an entity alias, also one that another copy of the library has made. */
  static override isInstance(value: unknown): value is EntityAlias {
    return isResource(value, entityAliasDefinition);
  }

  /**
   * @param name the unique name of the resource in the program
   * @param args what the alias is to be
   * @throws {@link errors.InputError} when an option cannot work, such as `import`
   */
  constructor(name: string, args: EntityAliasArgs, options?: pulumi.CustomResourceOptions);
  /** @internal */
  constructor(name: string, args: EntityAliasArgs | undefined, options?: pulumi.CustomResourceOptions);
  constructor(name: string, args: EntityAliasArgs | undefined, options?: pulumi.CustomResourceOptions) {
    super(entityAliasDefinition, name, args, options);
  }
}
