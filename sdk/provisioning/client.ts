import { z } from "zod";
import { readShape } from "../http/contract";
import { type Advice, ContractError, ServiceError, TriviumError, withAdvice } from "../base/errors";
import { jsonApiMediaType, readResource, type ResourceObject } from "../http/json-api";
import { type Listing, readAllPages, readPages } from "../http/pagination";
import type { Path } from "../base/path";
import type { HttpResponse, Operation, QueryValue, Transport } from "../http/transport";
import type { Caller } from "../base/caller";
import type { Dialect } from "../base/settings";
import type { Validation } from "../base/validation";
import { Turns } from "../base/turns";
import type { ServiceProtocol } from "../connection/service";
import type { ResourceKind } from "./kind";
import { type Listed, SiblingLists, type SiblingPage } from "./sibling-lists";

/**
 * After Ctrl-C a write may still complete, so that its outcome is known; the CLI exits within five seconds.
 */
const writeGrace = 2500;
const slowTimeout = 60_000;

/** One request for one resource. */
export interface ResourceRequest<Found> {
  /** What is attempted, starting with a verb. */
  readonly summary: string;
  readonly path: Path;
  readonly kind: ResourceKind<Found>;
  /** The id of the one object that the response must be about, where the request names one. */
  readonly id?: string;
  /** What to do next if the service returns an error, where the request knows better than its status. */
  readonly advice?: Advice;
  /**
   * The service makes a request of its own first, which takes longer: 60 s unless the user sets another
   * limit.
   */
  readonly slow?: boolean;
}

/** One request for a list. */
export interface ListRequest<Found> extends ResourceRequest<Found> {
  readonly query?: Readonly<Record<string, QueryValue | undefined>>;
}

/** An object that has an id. */
interface Identified {
  readonly id: string;
}

/** How to prove the absence of an object: the service also returns 404 for "not allowed". */
export interface Absence {
  /** The object, for messages: `project prj-1`. */
  readonly what: string;
  readonly id: string;
  /** A list that would hold the object; `undefined` where its parent is not known. */
  readonly list: { readonly path: Path; readonly kind: ResourceKind } | undefined;
}

/** One object of a list. */
export interface Member<Found extends Identified> {
  /** The object, for messages: `project prj-1`. */
  readonly what: string;
  readonly id: string;
  readonly path: Path;
  readonly kind: ResourceKind<Found>;
  /** The list; `undefined` where the object's parent is not known. */
  readonly list: Path | undefined;
}

/** What all clients of one connection share. */
export interface SharedState {
  readonly dialect: Dialect;
  /** Ids that the user declares to be gone, for services that hide whether they are. */
  readonly assumedGone: ReadonlySet<string>;
  readonly lists: SiblingLists<Identified>;
  readonly turns: Turns;
  /** The user's time limit; `undefined` where each operation has its own default. */
  readonly requestTimeoutMilliseconds: number | undefined;
}

/** The client of the provisioning service: documents, lists, and the meaning of a 404. */
export class ProvisioningClient {
  constructor(
    private readonly transport: Transport,
    private readonly caller: Caller,
    private readonly shared: SharedState,
  ) {}

  /** How this service speaks. */
  get dialect(): Dialect {
    return this.shared.dialect;
  }

  /** Runs work of this process with the same key one after the other. */
  inTurn<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    return this.shared.turns.run(key, work);
  }

  /**
   * Lists all of an organization's or workspace's objects, in one list for many questions.
   *
   * @param fresh bypass cached lists
   */
  async listAmong<Found extends Identified>(
    request: ListRequest<Found>,
    fresh: boolean,
  ): Promise<readonly Found[]> {
    const alone = async (): Promise<readonly Found[]> => (await this.listAll(request)).items;
    const { summary, path, kind } = request;
    const place = this.listed({ summary, path, kind });
    return fresh ? alone() : this.siblings<Found>().all(place, alone);
  }

  /** Records what this process has written, so that an older list is not used for it. */
  noteWritten<Item extends Identified>(list: Path, id: string, item: Item | undefined): void {
    this.shared.lists.note(list, id, item);
  }

  private siblings<Found extends Identified>(): SiblingLists<Found> {
    return this.shared.lists as unknown as SiblingLists<Found>;
  }

  private listed<Found extends Identified>(request: ListRequest<Found>): Listed<Found> {
    return {
      list: request.path,
      caller: this.caller,
      pages: (caller) => new ProvisioningClient(this.transport, caller, this.shared).pages(request),
    };
  }

  /**
   * Creates a resource. Not idempotent, so it is only retried if the service has certainly not processed it.
   */
  async create<Found>(request: ResourceRequest<Found> & { readonly document: unknown }): Promise<Found> {
    return this.sendAndRead({ ...request, method: "POST", body: request.document, idempotent: false });
  }

  /** Changes a resource. */
  async update<Found>(request: ResourceRequest<Found> & { readonly document: unknown }): Promise<Found> {
    return this.sendAndRead({ ...request, method: "PATCH", body: request.document, idempotent: true });
  }

  /** Triggers an action and reads the returned resource. */
  async act<Found>(request: ResourceRequest<Found>): Promise<Found> {
    return this.sendAndRead({ ...request, method: "POST", idempotent: false });
  }

  /** Changes a relationship. Idempotent; the response is empty. */
  async relate(request: {
    readonly summary: string;
    readonly method: "POST" | "PATCH";
    readonly path: Path;
    readonly document: unknown;
    readonly advice?: Advice;
  }): Promise<void> {
    const { summary, method, path, document, advice } = request;
    await this.send({ summary, method, path, body: document, idempotent: true, advice });
  }

  /** @returns `undefined` when the service returns 404, which may also mean that the caller may not see it */
  async show<Found>(request: ResourceRequest<Found>): Promise<Found | undefined> {
    const response = await this.send({ ...request, method: "GET", idempotent: true, accept: [404] });
    return response.status === 404 ? undefined : this.read(response, request);
  }

  /** Lists resources and reads pages on demand. */
  async *list<Found>(request: ListRequest<Found>): AsyncGenerator<Found> {
    for await (const { items } of this.pages(request)) {
      yield* items;
    }
  }

  private async *pages<Found>(request: ListRequest<Found>): AsyncGenerator<SiblingPage<Found>> {
    const schema = request.kind.shape(z, this.dialect);
    for await (const { resources, complete } of readPages(this.transport, this.listing(request))) {
      const items = resources.map((resource, index) =>
        readShape(schema, resource, `data[${index}]`, `GET ${request.path}`),
      );
      yield { items, last: complete };
    }
  }

  /** Lists all resources, with what the service returns about the list as a whole. */
  async listAll<Found, Meta extends z.ZodType = z.ZodUnknown>(
    request: ListRequest<Found> & { readonly meta?: (z: Validation) => Meta },
  ): Promise<{
    readonly items: readonly Found[];
    readonly meta: z.output<Meta>;
    /** The resources that the items refer to, if the query includes them. */
    readonly included: readonly ResourceObject[];
  }> {
    const schema = request.kind.shape(z, this.dialect);
    const { resources, meta, included } = await readAllPages(this.transport, this.listing(request));
    const source = `GET ${request.path}`;
    return {
      items: resources.map((resource, index) => readShape(schema, resource, `data[${index}]`, source)),
      meta: readShape(request.meta?.(z) ?? z.unknown(), meta, "meta", source) as z.output<Meta>,
      included,
    };
  }

  /** Reads a resource and what it refers to; `undefined` as {@link show}. */
  async showIncluding<Found>(
    request: ResourceRequest<Found> & { readonly query: Readonly<Record<string, QueryValue | undefined>> },
  ): Promise<{ readonly object: Found; readonly included: readonly ResourceObject[] } | undefined> {
    const response = await this.send({ ...request, method: "GET", idempotent: true, accept: [404] });
    return response.status === 404
      ? undefined
      : {
          object: this.read(response, request),
          included: readResource(response, request.kind.type).included,
        };
  }

  /** @returns all resources of a list; `undefined` when the service returns 404 */
  async listIfThere<Found>(request: ListRequest<Found>): Promise<readonly Found[] | undefined> {
    try {
      return (await this.listAll(request)).items;
    } catch (error) {
      if (ServiceError.isInstance(error) && error.status === 404) {
        return undefined;
      }
      throw error;
    }
  }

  /** Deletes a resource; an absent object counts as deleted once its absence is proven. */
  async delete(request: {
    readonly summary: string;
    readonly path: Path;
    readonly absence: Absence;
    readonly advice?: Advice;
  }): Promise<void> {
    const { summary, path, absence, advice } = request;
    const response = await this.send({
      summary,
      path,
      method: "DELETE",
      idempotent: true,
      accept: [404],
      advice,
    });
    if (response.status === 404) {
      await this.proveAbsent(absence);
    }
  }

  /**
   * Reads one of an organization's or workspace's objects, from one list for many where many are read.
   *
   * @returns `undefined` only when it is proven not to exist
   */
  async readMember<Found extends Identified>({
    what,
    id,
    path,
    kind,
    list,
  }: Member<Found>): Promise<Found | undefined> {
    const request = { summary: `read the ${what}`, path, kind };
    const alone = (): Promise<Found | undefined> => this.show(request);
    const found = await (list === undefined
      ? alone()
      : this.siblings<Found>().read(
          { ...this.listed({ summary: `read the ${what} among others`, path: list, kind }), alone },
          id,
        ));
    if (found === undefined) {
      await this.proveAbsent({ what, id, list: list && { path: list, kind } });
    }
    return found;
  }

  /** Deletes one of an organization's or workspace's objects. */
  async deleteMember<Found extends Identified>(
    { what, id, path, kind, list }: Member<Found>,
    advice?: Advice,
  ): Promise<void> {
    const absence = { what, id, list: list && { path: list, kind } };
    await this.delete({ summary: `delete the ${what}`, path, absence, ...(advice && { advice }) });
    if (list !== undefined) {
      this.noteWritten(list, id, undefined);
    }
  }

  /**
   * Makes sure that an object for which the service returned 404 does not exist.
   *
   * @throws TriviumError when it exists but may not be touched, or when that cannot be found out
   */
  async proveAbsent({ what, id, list }: Absence): Promise<void> {
    if (this.shared.assumedGone.has(id)) {
      return;
    }
    const wayOut =
      `If it was deleted, set TRIVIUM_ASSUME_GONE=${id} for one run (separate several ids with commas), ` +
      "or remove it from state with `pulumi state delete`.";
    if (list === undefined) {
      throw new TriviumError(
        `The provisioning service returned 404 for ${what}: it does not exist, or the token has no access to it.`,
        { hint: "Check the id and the permissions of the token." },
      );
    }
    let listed: boolean;
    try {
      listed = await this.isListed(id, list);
    } catch (error) {
      throw new TriviumError(
        `The provisioning service returned 404 for ${what}: it was deleted, or the token has no access ` +
          `to it. The library could not find out which: ${error instanceof Error ? error.message : String(error)} ` +
          "State is unchanged.",
        { hint: wayOut },
      );
    }
    if (listed) {
      throw new TriviumError(
        `The provisioning service returned 404 for ${what}, although it exists: the token lacks the permission.`,
        { hint: "Use a token with the permission. State is unchanged." },
      );
    }
  }

  private async isListed(id: string, list: NonNullable<Absence["list"]>): Promise<boolean> {
    const listing = this.listing({ ...list, summary: "check whether the object was deleted" });
    let complete = false;
    for await (const page of readPages(this.transport, listing)) {
      if (page.resources.some((resource) => resource.id === id)) {
        return true;
      }
      complete = page.complete;
    }
    if (!complete) {
      throw new TriviumError(`The list at ${list.path} has fewer items than its total count.`);
    }
    return false;
  }

  private listing({ summary, path, query = {}, kind }: ListRequest<unknown>): Listing {
    const operation = this.operation({ summary, path, query, method: "GET", idempotent: true });
    return { operation, type: kind.type };
  }

  private async sendAndRead<Found>(operation: ResourceRequest<Found> & Operation): Promise<Found> {
    return this.read(await this.send(operation), operation);
  }

  private read<Found>(response: HttpResponse, { kind, id }: ResourceRequest<Found>): Found {
    const { request } = response;
    const resource = readResource(response, kind.type);
    // The service finds names of organizations in any case; other ids never differ in case alone.
    if (id !== undefined && resource.id.toLowerCase() !== id.toLowerCase()) {
      throw new ContractError({ request, at: "data.id", problem: "expected the requested object" });
    }
    return readShape(kind.shape(z, this.dialect), resource, "data", request);
  }

  private async send({
    slow = false,
    advice,
    ...operation
  }: Operation & { readonly slow?: boolean; readonly advice?: Advice | undefined }): Promise<HttpResponse> {
    const { requestTimeoutMilliseconds: chosen } = this.shared;
    const timeout = slow && chosen === undefined ? { timeoutMilliseconds: slowTimeout } : {};
    try {
      return await this.transport.send({ ...this.operation(operation), ...timeout });
    } catch (error) {
      throw withAdvice(error, advice);
    }
  }

  private operation({ summary, method, path, query, body, idempotent, accept }: Operation): Operation {
    const { signal, progress } = this.caller;
    const operation: Operation = { summary, method, path, idempotent, signal, progress };
    return {
      ...operation,
      ...(query === undefined ? {} : { query }),
      ...(body === undefined ? {} : { body }),
      ...(accept === undefined ? {} : { accept }),
      // The real service refuses a changing request without it even when there is no body.
      ...(method === "GET" ? {} : { mediaType: jsonApiMediaType, graceMilliseconds: writeGrace }),
    };
  }
}

/** How the provisioning service is spoken to. */
export const provisioningProtocol: ServiceProtocol<ProvisioningClient> = {
  clients(transport, { dialect, assumedGone, requestTimeoutMilliseconds }) {
    const shared = {
      dialect,
      assumedGone,
      lists: new SiblingLists(),
      turns: new Turns(),
      requestTimeoutMilliseconds,
    };
    return (caller) => new ProvisioningClient(transport, caller, shared);
  },
};
