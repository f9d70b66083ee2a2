import { advisedOtherwise, ContractError, NotFoundError, TriviumError } from "../base/errors";
import { below, type MountPath, mountPath, path, type Path } from "../base/path";
import type { JsonObject } from "../base/json";
import type { Dialect } from "../base/settings";
import {
  isUsual,
  type Look,
  type RemoteObject,
  type RemoteState,
  type ResourceBehavior,
  type Step,
} from "../resource/definition";
import type { Current, Desired, Fields, Row, Rows } from "../resource/fields/field";
import { defineFunction } from "../functions/definition";
import type { ListRequest, SecretsClient } from "./client";
import { requireOffered } from "./dialect";
import { keptName, mountedId, readMountedId } from "./mount";
import type { Listed } from "./request";
import { secretsService } from "./service";

export type MountedName<Argument extends string> = Readonly<Record<"mount" | Argument, string>>;

type KeyField = Row<string, string, "required" | "defaulted">;

export interface MountedKind<Argument extends string, Table extends Rows> {
  /** For messages: `static role`. */
  readonly what: string;
  /** @see Identity.idIs */
  readonly idIs: string;
  /** The arguments that identify an object: the mount and, unless a mount has only one object, its name. */
  readonly key: { readonly mount: KeyField } & Readonly<Record<Argument, KeyField>>;
  /** For example `/ldap/static-role/payments`. */
  readonly path: (mount: MountPath, name: string) => Path;
  readonly fields: Fields<Table>;
  /**
   * Whether a dialect whose product ignores case stores names in lower case, or only compares them that way.
   * Default: neither.
   */
  readonly folds?: "kept" | "compared";
  /** For example at `/ldap/static-role`. */
  readonly list?: (mount: MountPath) => ListPlace;
  /** For objects without a documented list: other lists of the mount. The products might list the objects. */
  readonly otherLists?: (mount: MountPath) => readonly ListPlace[];
  /** According to the documentation, an object that was never written might be returned with defaults. */
  readonly hasDefaults?: true;
  /**
   * The option of `import-file` that selects the mount. Default: these objects can only be imported by their
   * IDs.
   */
  readonly importedBy?: "directory" | "scheduler";
}

type ListPlace = Pick<ListRequest, "path" | "isPlain">;

const mostFolders = 1_000;
const deepestFolder = 20;

/**
 * An object either has a name, as in `/ldap/static-role/payments`, or is alone on its mount, as in
 * `/nomad/config/access`.
 */
export class MountedObjects<Argument extends string, Table extends Rows> {
  /** The name argument; none if a mount has only one object. */
  private readonly nameArguments: readonly Argument[];

  constructor(private readonly kind: MountedKind<Argument, Table>) {
    const names = Object.keys(kind.key).filter((name) => name !== "mount");
    this.nameArguments = names as Argument[];
  }

  path(object: MountedName<Argument>): Path {
    const [name = ""] = this.namesIn(object);
    return this.kind.path(mountPath(object.mount), name);
  }

  /** For messages: `static role "payments" of the mount ldap`. */
  describe(object: MountedName<Argument>): string {
    const names = this.namesIn(object).map((name) => JSON.stringify(name));
    return `${[this.kind.what, ...names].join(" ")} of the mount ${object.mount}`;
  }

  created(object: MountedName<Argument>, state: object = {}): RemoteObject {
    return { id: this.id(object), state: { ...state, ...this.at(object.mount, this.namesIn(object)) } };
  }

  /** For example `ldap/payments`. */
  id(object: MountedName<Argument>): string {
    return mountedId(object.mount, ...this.namesIn(object));
  }

  /** @throws InputError if the ID is not valid */
  named(id: string, dialect: Dialect): MountedName<Argument> {
    const { mount, names } = readMountedId(id, this.nameArguments.length);
    const object = this.at(mount, names);
    return this.kind.folds === "kept" ? this.folded(object, dialect) : object;
  }

  /**
   * An import has no state yet, so nothing was deleted; a slash in the name might have been read as part of the mount.
   */
  private ofImport(error: unknown, object: MountedName<Argument>): unknown {
    const [name = ""] = this.namesIn(object);
    const cut = object.mount.lastIndexOf("/");
    if (!TriviumError.isInstance(error) || name === "" || cut < 0) {
      return error;
    }
    const [mount, whole] = [object.mount.slice(0, cut), `${object.mount.slice(cut + 1)}/${name}`];
    const advice =
      `According to the ID, the mount is ${object.mount}. In an ID, write a slash in a name as %2F: the ID of ${whole} of the mount ` +
      `${mount} is ${mountedId(mount, whole)}.`;
    return advisedOtherwise(error, advice);
  }

  read(client: SecretsClient, object: MountedName<Argument>): Promise<Current<Table> | undefined> {
    return client.read({ ...this.request("read", object), data: this.kind.fields.response });
  }

  /**
   * @param known the object's state so far: only if it had nothing but defaults can a response with only
   * defaults be the object
   */
  async readWritten(client: SecretsClient, object: MountedName<Argument>, known?: RemoteState) {
    const state = await this.read(client, object);
    if (this.kind.hasDefaults !== true || client.dialect.saysAbsence || state === undefined) {
      return state;
    }
    const beyond = (values: RemoteState) => this.beyondDefaults(client, values);
    const mayBeIts = known !== undefined && beyond(known).length === 0;
    return mayBeIts || Object.keys(state).length === 0 || beyond(state).length > 0 ? state : undefined;
  }

  private async find(client: SecretsClient, object: MountedName<Argument>) {
    const state = await this.readWritten(client, object);
    return state && this.created(object, state);
  }

  private beyondDefaults({ dialect: { name: dialect } }: SecretsClient, values: RemoteState): string[] {
    const { arguments: rows } = this.kind.fields.in(dialect);
    const others = values as JsonObject;
    return Object.keys(values).filter((name) => {
      const row = name in this.kind.key ? undefined : rows[name];
      return row !== undefined && !isUsual(row, others[name] ?? null, others);
    });
  }

  /** @param isSent selects among the fields that have a value. Default: all */
  async write(
    client: SecretsClient,
    object: MountedName<Argument>,
    desired: Desired<Table>,
    isSent?: (name: string, value: unknown) => boolean,
  ): Promise<void> {
    const body = this.kind.fields.in(client.dialect.name).request(desired, isSent);
    await client.write({ ...this.request("write", object), body });
  }

  /** @returns none if the service does not list them */
  async list(client: SecretsClient, mount: string, inside = ""): Promise<string[]> {
    const { what, list } = this.kind;
    const summary = `list the ${what}s of the mount ${mount}`;
    const place = list?.(mountPath(mount));
    if (place === undefined) {
      return [];
    }
    // Names in a folder begin with the folder as the service stores it, whatever the case of the path.
    const first = inside && `${keptName(mountPath(inside).name, client.dialect.name)}/`;
    const folders = [first];
    const isFolder = (name: string): boolean => client.dialect.hasFolders && name.endsWith("/");
    const names: string[] = [];
    for (const folder of folders) {
      const at = folder === "" ? place.path : below(place.path, path`/${mountPath(folder)}`);
      const found = await client.list({
        summary,
        path: at,
        isPlain: folder === "" ? place.isPlain : undefined,
      });
      names.push(...found.filter((name) => !isFolder(name)).map((name) => folder + name));
      folders.push(...found.filter(isFolder).map((name) => folder + name));
      const isDeep = folder.split("/").length > deepestFolder;
      if (folders.length > mostFolders || isDeep) {
        const problem = isDeep
          ? `more than ${deepestFolder} levels of folders`
          : `more than ${mostFolders} folders`;
        throw new ContractError({ request: `GET ${place.path}`, problem });
      }
    }
    return names;
  }

  /** The definition of a function that lists the names on a mount, or with `folders` those below a path. */
  listing(name: string, folders: Rows = {}) {
    const rows: Rows = { mount: this.kind.key.mount, ...folders };
    return defineFunction(secretsService, rows)(name, async (client, args) => {
      const { mount, path: inside } = args as { readonly mount: string; readonly path?: string };
      requireOffered(this.isListed(client), `list of ${this.kind.what}s`);
      return { names: await this.list(client, mount, inside) };
    });
  }

  /** The definition of a function that reads an object. */
  reading<Result extends object>(name: string) {
    const key: Readonly<Record<string, KeyField>> = this.kind.key;
    return defineFunction(secretsService, key)(name, (client, given): Promise<Result> => {
      const object = given as MountedName<Argument>;
      const { resource, ...request } = this.request("read", object);
      return client.get({ ...request, what: this.describe(object), fields: this.kind.fields, known: object });
    });
  }

  private isListed({ dialect }: SecretsClient): boolean {
    return this.kind.otherLists === undefined || dialect.listsDynamicRoles;
  }

  missing(object: MountedName<Argument>): NotFoundError {
    return new NotFoundError(`The ${this.describe(object)} does not exist.`);
  }

  get behavior() {
    const { idIs, importedBy: option } = this.kind;
    const ids = async (client: SecretsClient, mount: string): Promise<string[]> =>
      this.nameArguments.length === 0
        ? [mountedId(mount)]
        : (this.isListed(client) ? await this.list(client, mount) : []).map((name) => mountedId(mount, name));
    return {
      identity: {
        idIs,
        arguments: ["mount", ...this.nameArguments],
        canonicalId: (id, dialect) => {
          try {
            return this.id(this.folded(this.named(id, dialect), dialect));
          } catch {
            return id;
          }
        },
      },

      // A write can create or change an object, so the second of two creations must see the first.
      turn: ({ client }, object) => this.path(this.folded(object, client.dialect.name)),
      look: async ({ client }: Step<SecretsClient>, object): Promise<Look> => ({
        existing: await this.find(client.looking(), object),
      }),
      recover: ({ client }: Step<SecretsClient>, object) => this.find(client, object),
      parameters: ({ client }, object) => client.parameters(this.path(object)),
      read: async ({ client }, id, current) => {
        const object = this.named(id, client.dialect.name);
        const state = await this.readWritten(client, object, current).catch((error: unknown) => {
          throw Object.keys(current).length === 0 ? this.ofImport(error, object) : error;
        });
        return state && { ...state, ...object };
      },
      delete: ({ client }, id) => client.delete(this.request("delete", this.named(id, client.dialect.name))),
      ...(option === undefined ? {} : { importedBy: { option, ids } }),
    } satisfies Partial<ResourceBehavior<SecretsClient, MountedName<Argument>>>;
  }

  request(verb: string, object: MountedName<Argument>) {
    const resource = this.id(object);
    const summary = `${verb} the ${this.describe(object)}`;
    return { summary, path: this.path(object), resource, listed: this.listed(object) };
  }

  /** @see SecretsRequest.listed */
  listed(object: MountedName<Argument>): Listed {
    const { what, list, otherLists } = this.kind;
    const at = mountPath(object.mount);
    const summary = `check whether there is a ${what}`;
    const [as] = this.namesIn(object);
    return otherLists === undefined
      ? { as, lists: list === undefined ? [] : [{ summary, ...list(at) }] }
      : { lists: otherLists(at).map((other) => ({ summary, ...other })) };
  }

  /**
   * Creates and updates the object with the same write.
   *
   * @param isSent selects what an update sends; `named` are the arguments that the program sets or clears
   */
  writing(isSent: (name: string, value: unknown, named: ReadonlySet<string>) => boolean) {
    return {
      create: async ({ client }, desired) => {
        await this.write(client, desired, desired);
        return this.created(desired);
      },
      update: async ({ client, managed }, id, desired, changed) => {
        const object = this.named(id, client.dialect.name);
        const named = new Set([...managed, ...changed]);
        await this.write(client, object, desired, (name, value) => isSent(name, value, named));
        return object;
      },
    } satisfies Partial<ResourceBehavior<SecretsClient, MountedName<Argument> & Desired<Table>>>;
  }

  private namesIn(object: MountedName<Argument>): readonly string[] {
    return this.nameArguments.map((argument) => object[argument]);
  }

  private at(mount: string, names: readonly string[]): MountedName<Argument> {
    const named = this.nameArguments.map((argument, index) => [argument, names[index]]);
    return { mount, ...Object.fromEntries(named) } as MountedName<Argument>;
  }

  private folded(object: MountedName<Argument>, dialect: Dialect): MountedName<Argument> {
    const names = this.namesIn(object).map((name) => keptName(name, dialect));
    return this.kind.folds === undefined ? object : this.at(object.mount, names);
  }
}
