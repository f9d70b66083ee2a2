import type { Path } from "../base/path";
import type { Current, Fields, Rows } from "../resource/fields/field";
import type { SecretsClient } from "./client";

export interface IdentityKind<Table extends Rows> {
  /** For messages: `TOTP method`. */
  readonly what: string;
  readonly plural: string;
  /** The path of the list. */
  readonly path: Path;
  readonly at: (id: string) => Path;
  readonly fields: Fields<Table>;
  /** Default: that of the fields. */
  readonly response?: Fields<Table>["response"];
  /** The members in lists, if they lack a member that a read returns and a write changes. */
  readonly inLists?: Fields<Rows>["response"];
}

/** Objects of one kind below `/identity`, to which the service assigns IDs and which it can describe in its list. */
export class IdentityObjects<Table extends Rows> {
  constructor(protected readonly kind: IdentityKind<Table>) {}

  /** The path of the list. */
  get path(): Path {
    return this.kind.path;
  }

  private get response(): Fields<Table>["response"] {
    return this.kind.response ?? this.kind.fields.response;
  }

  private get listing() {
    return { summary: `list the ${this.kind.plural}`, path: this.kind.path };
  }

  request(verb: string, id: string) {
    const summary = `${verb} the ${this.kind.what} ${id}`;
    return { summary, path: this.kind.at(id), resource: id, listed: { as: id, lists: [this.listing] } };
  }

  read(client: SecretsClient, id: string): Promise<Current<Table> | undefined> {
    return client.read(this.reading(id));
  }

  /** The object for a refresh, and after a write; for many objects, from a list. */
  readAmong(client: SecretsClient, id: string, current: Current<Table>) {
    const { fields, inLists: part } = this.kind;
    return client.readAmong(this.reading(id), { list: this.listing, fields, current, part });
  }

  /** The result of a function. */
  get<Result extends object>(client: SecretsClient, id: string): Promise<Result> {
    const { what, fields } = this.kind;
    return client.get({ ...this.request("read", id), what: `${what} ${id}`, id, fields, known: { id } });
  }

  /** The documented service only lists the IDs; the products also describe the objects. */
  list(client: SecretsClient) {
    return client.listDescribed(this.listing);
  }

  delete(client: SecretsClient, id: string): Promise<void> {
    return client.delete(this.request("delete", id));
  }

  private reading(id: string) {
    return { ...this.request("read", id), id, data: this.response };
  }
}
