import { ServiceError, TriviumError, advisedOtherwise, unlessForbidden } from "../../base/errors";
import { path } from "../../base/path";
import { builtOnce } from "../../base/schema";
import type { Rows } from "../../resource/fields/field";
import { nameInResponse } from "../../resource/fields/kinds";
import type { RemoteObject } from "../../resource/definition";
import type { Described, SecretsClient } from "../client";
import { IdentityObjects, type IdentityKind } from "../identity-objects";

/** The products return the ID under the first name. */
const createdMethod = builtOnce((z) =>
  z.object({ method_id: nameInResponse(z).optional(), id: nameInResponse(z).optional() }),
);

const mayNotLook =
  "Before it creates a method, the library looks for one with this name, because the service would silently change it. The " +
  "token must be allowed to list identity/mfa/method.";

/** Methods of one type below `identity/mfa/method`; a name is unique in its namespace. */
export class IdentityMethods<Table extends Rows> extends IdentityObjects<Table> {
  constructor(
    /** The type on the wire. */
    private readonly type: string,
    kind: Omit<IdentityKind<Table>, "plural" | "inLists">,
  ) {
    super({ ...kind, plural: `${kind.what}s` });
  }

  /** The list includes the methods of the namespaces above, which this connection can only read. */
  async details<Result>(client: SecretsClient) {
    const listed = await this.list(client);
    const { fields, response } = this.kind;
    return { ids: [...listed.keys()], methods: client.details<Result>(listed, fields, response) };
  }

  async ownIds(client: SecretsClient): Promise<string[]> {
    const listed = [...(await this.list(client))];
    return listed.filter(([, method]) => isOwn(client, method)).map(([id]) => id);
  }

  /** `undefined` if the token is not allowed to list the methods. */
  async idsIfAllowed(client: SecretsClient): Promise<ReadonlySet<string> | undefined> {
    const ids = await this.ownIds(client).catch(unlessForbidden(undefined));
    return ids && new Set(ids);
  }

  /**
   * @throws TriviumError if the name belongs to a method of another type, which a creation would turn into
   * this type
   */
  async find(client: SecretsClient, name: string): Promise<RemoteObject | undefined> {
    const found = named(
      client,
      name,
      await client.listDescribed({
        summary: "list the MFA methods",
        path: path`/identity/mfa/method`,
        advice: { 403: mayNotLook },
      }),
    );
    if (found !== undefined && found.type !== this.type) {
      throw new TriviumError(
        `The name ${JSON.stringify(name)} belongs to the MFA method ${found.id}, which a creation would turn into a ${this.kind.what}. ` +
          "Nothing was changed.",
        { advice: "Choose another name." },
      );
    }
    const state = found && (await this.read(client, found.id));
    return found && state && { id: found.id, state };
  }

  async idOf(client: SecretsClient, name: string): Promise<string | undefined> {
    return named(client, name, await this.list(client))?.id;
  }

  /**
   * @param isIdempotent whether the body has a name: a second request then changes what the first has created
   * @throws TriviumError if the response does not contain the ID
   */
  async create(client: SecretsClient, what: string, body: object, isIdempotent: boolean): Promise<string> {
    const request = { summary: `create the ${what}`, path: this.path, body, data: createdMethod };
    const data = await (isIdempotent ? client.write(request) : client.act(request));
    const id = data?.method_id ?? data?.id;
    if (id === undefined) {
      const without = `The service created the ${what} without returning its ID: POST /v1${this.path}.`;
      throw new TriviumError(without, { mayHaveBeenProcessed: true });
    }
    client.noteWrite(this.request("create", id));
    return id;
  }

  /** The service reports success for a missing method; the read after every update detects it. */
  async update(client: SecretsClient, id: string, body: object): Promise<void> {
    await client.write({ ...this.request("update", id), body }).catch(explainNamespace);
  }

  override delete(client: SecretsClient, id: string): Promise<void> {
    const otherwise =
      "A method that a login enforcement uses cannot be deleted: remove it from the enforcement first.";
    return client.delete({ ...this.request("delete", id), advice: { otherwise } }).catch(explainNamespace);
  }
}

function named(client: SecretsClient, name: string, listed: Described) {
  const found = [...listed].find(([, method]) => method?.name === name && isOwn(client, method));
  return found && { id: found[0], type: found[1]?.type };
}

function isOwn({ namespace }: SecretsClient, method: Readonly<Record<string, unknown>> | undefined): boolean {
  const { namespace_path: place } = method ?? {};
  return typeof place !== "string" || place.replace(/\/$/, "") === namespace;
}

function explainNamespace(error: unknown): never {
  const isElsewhere =
    ServiceError.isInstance(error) && /namespace does not match/i.test(error.messages.join());
  throw isElsewhere
    ? advisedOtherwise(
        error,
        "The method belongs to another namespace: manage it with a connection to that namespace (the `namespace` setting).",
      )
    : error;
}
