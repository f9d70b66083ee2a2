import { NotFoundError } from "../base/errors";
import { type MountPath, mountPath, type Path } from "../base/path";
import type { Dialect } from "../base/settings";
import { Turns } from "../base/turns";
import type { ImportSource, RemoteObject, ResourceBehaviour, Step } from "../resource/definition";
import type { Current, Desired, Fields } from "../resource/fields/field";
import { resultOf } from "./response";
import type { SecretsClient } from "./client";
import { mountedId, readMountedId } from "./mount";

export type MountedName<Argument extends string> = { readonly mount: string } & {
  readonly [Name in Argument]: string;
};

export interface MountedKind<Argument extends string, Rows> {
  /** For messages: `static role`. */
  readonly what: string;
  /** For example `/ldap/static-role/payments`. */
  readonly path: (mount: MountPath, name: string) => Path;
  /** Missing if a mount has only one object, without a name. */
  readonly argument?: Argument;
  readonly fields: Fields<Rows>;
  /** The name as the service keeps it. Default: as written. */
  readonly kept?: (name: string, dialect: Dialect) => string;
  /** One form for all names that the service considers the same. Default: as it keeps them. */
  readonly compared?: (name: string, dialect: Dialect) => string;
}

export interface ListedKind<Argument extends string, Rows> extends MountedKind<Argument, Rows> {
  /** For example `/ldap/static-role`. */
  readonly list: (mount: MountPath) => Path;
  /** @see ListRequest.isPlain */
  readonly isPlainList?: true;
  /** The option of `import-file` that names the mount. */
  readonly importedBy: "directory" | "scheduler";
}

type SharedBehaviour<Argument extends string> = Pick<
  ResourceBehaviour<SecretsClient, MountedName<Argument>>,
  "identifiedBy" | "canonicalId"
> &
  Required<
    Pick<ResourceBehaviour<SecretsClient, MountedName<Argument>>, "inTurn" | "find" | "read" | "delete">
  >;

/** An object has a name, as in `/ldap/static-role/payments`, or is alone on its mount, as in `/nomad/config/access`. */
export class MountedObjects<Argument extends string, Rows> {
  constructor(private readonly kind: MountedKind<Argument, Rows>) {}

  path(object: MountedName<Argument>): Path {
    return this.kind.path(mountPath(object.mount), this.nameIn(object) ?? "");
  }

  /** For messages: `static role "payments" of the mount ldap`. */
  describe(object: MountedName<Argument>): string {
    const name = this.nameIn(object);
    const named = name === undefined ? this.kind.what : `${this.kind.what} ${JSON.stringify(name)}`;
    return `${named} of the mount ${object.mount}`;
  }

  created(object: MountedName<Argument>, state: object = {}): RemoteObject {
    return { id: this.id(object), state: { ...state, ...this.at(object.mount, this.nameIn(object)) } };
  }

  /** For example `ldap/payments`. */
  id(object: MountedName<Argument>): string {
    const name = this.nameIn(object);
    return mountedId(object.mount, ...(name === undefined ? [] : [name]));
  }

  /** @throws InputError when the id is not valid */
  named(id: string, dialect: Dialect): MountedName<Argument> {
    const { mount, names } = readMountedId(id, this.kind.argument === undefined ? 0 : 1);
    return this.at(mount, this.kept(names[0], dialect));
  }

  read(client: SecretsClient, object: MountedName<Argument>): Promise<Current<Rows> | undefined> {
    return client.read({
      summary: `read the ${this.describe(object)}`,
      path: this.path(object),
      data: this.kind.fields.response,
    });
  }

  /** @param isSent selects among the fields that have a value. Default: all */
  async write(
    client: SecretsClient,
    object: MountedName<Argument>,
    desired: Desired<Rows>,
    isSent?: (name: string) => boolean,
  ): Promise<void> {
    await client.write({
      summary: `write the ${this.describe(object)}`,
      path: this.path(object),
      body: this.kind.fields.request(desired, client.dialect.name, isSent),
    });
  }

  /** @param defaults values of members that the response omits */
  async get<Result extends object>(
    client: SecretsClient,
    object: MountedName<Argument>,
    defaults: Partial<NoInfer<Result>> = {},
  ): Promise<Result> {
    const state = await this.read(client, object);
    if (state === undefined) {
      throw this.missing(object);
    }
    return resultOf(this.kind.fields, object, { ...defaults, ...state }, this.path(object));
  }

  missing(object: MountedName<Argument>): NotFoundError {
    return new NotFoundError(`The ${this.describe(object)} does not exist.`);
  }

  get behaviour(): SharedBehaviour<Argument> {
    return {
      identifiedBy: ["mount", ...(this.kind.argument === undefined ? [] : [this.kind.argument])],
      canonicalId: (id, dialect) => {
        try {
          return this.id(this.compared(this.named(id, dialect), dialect));
        } catch {
          return id;
        }
      },

      // A write may create or change: the second of two creations must see the first.
      inTurn: ({ client }, object, work) =>
        client.part(Turns).run(this.path(this.compared(object, client.dialect.name)), work),
      find: async ({ client }: Step<SecretsClient>, object): Promise<RemoteObject | undefined> => {
        const state = await this.read(client, object);
        return state && this.created(object, state);
      },
      read: async ({ client }, id) => {
        const object = this.named(id, client.dialect.name);
        const state = await this.read(client, object);
        return state && { ...state, ...object };
      },
      delete: ({ client }, id) => {
        const object = this.named(id, client.dialect.name);
        return client.delete({ summary: `delete the ${this.describe(object)}`, path: this.path(object) });
      },
    };
  }

  protected at(mount: string, name: string | undefined): MountedName<Argument> {
    const { argument } = this.kind;
    return { mount, ...(argument === undefined ? {} : { [argument]: name }) } as MountedName<Argument>;
  }

  private nameIn(object: MountedName<Argument>): string | undefined {
    return this.kind.argument === undefined ? undefined : object[this.kind.argument];
  }

  private compared(object: MountedName<Argument>, dialect: Dialect): MountedName<Argument> {
    const name = this.nameIn(object);
    const kept = this.kept(name, dialect);
    return this.at(object.mount, kept === undefined ? kept : (this.kind.compared?.(kept, dialect) ?? kept));
  }

  private kept(name: string | undefined, dialect: Dialect): string | undefined {
    return name === undefined ? name : (this.kind.kept?.(name, dialect) ?? name);
  }
}

export class ListedObjects<Argument extends string, Rows> extends MountedObjects<Argument, Rows> {
  constructor(private readonly listed: ListedKind<Argument, Rows>) {
    super(listed);
  }

  list(client: SecretsClient, mount: string): Promise<string[]> {
    const summary = `list the ${this.listed.what}s of the mount ${mount}`;
    const { list, isPlainList } = this.listed;
    return client.list({ summary, path: list(mountPath(mount)), isPlain: isPlainList });
  }

  override get behaviour() {
    const importedBy: ImportSource<SecretsClient> = {
      option: this.listed.importedBy,
      ids: async (client, mount) =>
        (await this.list(client, mount)).map((name) => this.id(this.at(mount, name))),
    };
    return { ...super.behaviour, importedBy };
  }
}

/** A mount has only one, so `import-file` only needs the mount. */
export const oneOnMount: ImportSource<SecretsClient> = {
  option: "scheduler",
  ids: (_client, at) => Promise.resolve([mountedId(at)]),
};
