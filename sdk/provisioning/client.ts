import { z } from "zod";
import { readShape } from "../http/contract";
import { type Advice, ContractError, messageOf, TriviumError, withAdvice } from "../base/errors";
import { isObject } from "../base/json";
import type { Path } from "../base/path";
import type { HttpResponse, Operation, QueryValue, Transport } from "../http/transport";
import type { Caller } from "../base/caller";
import type { Dialect } from "../base/settings";
import type { Validation } from "../base/validation";
import type { ResolvedSettings } from "../connection/resolve";
import type { ServiceProtocol } from "../connection/service";
import { type Identified, identified, jsonApiMediaType, type ResourceKind } from "./kind";
import { type IncludedResource, includedResources, type Page, readPages } from "./pages";
import { SiblingLists } from "./sibling-lists";

/** After Ctrl-C a write may still complete, so that its outcome is known; the CLI exits within five seconds. */
const writeGrace = 2500;
const slowTimeout = 60_000;

type Query = Readonly<Record<string, QueryValue | undefined>>;

export interface ResourceRequest<Found> {
  /** Starts with a verb. */
  readonly summary: string;
  readonly path: Path;
  readonly kind: ResourceKind<Found>;
  /** If set, the response must be about this object. */
  readonly id?: string;
  /** The list that holds the object: after a write, an older copy of it is stale. */
  readonly list?: Path | undefined;
  readonly advice?: Advice;
  /** The service makes a request of its own first: 60 s unless the user sets another limit. */
  readonly slow?: boolean;
}

export interface ListRequest<Found> {
  readonly summary: string;
  readonly path: Path;
  readonly kind: ResourceKind<Found>;
  readonly query?: Query;
}

/** An object that may be absent: the service also returns 404 for "not allowed". */
export interface Member<Found = Identified> {
  /** For messages: `project prj-1`. */
  readonly what: string;
  readonly id: string;
  readonly path: Path;
  readonly kind: ResourceKind<Found>;
  /** Proves absence after a 404; `undefined` if the parent is not known. */
  readonly list: Path | undefined;
}

export interface SharedState extends Pick<
  ResolvedSettings,
  "dialect" | "assumedGone" | "requestTimeoutMilliseconds"
> {
  readonly lists: SiblingLists<Identified>;
}

export class ProvisioningClient {
  constructor(
    private readonly transport: Transport,
    private readonly caller: Caller,
    private readonly shared: SharedState,
  ) {}

  get dialect(): Dialect {
    return this.shared.dialect;
  }

  /** Not idempotent: only retried if the service has certainly not processed it. */
  async create<Found extends Identified>(
    request: ResourceRequest<Found> & { readonly document: unknown },
  ): Promise<Found> {
    const how = { method: "POST", body: request.document, idempotent: false } as const;
    const found = await this.write(request, how);
    this.noteWritten(request.path, found.id);
    return found;
  }

  update<Found>(request: ResourceRequest<Found> & { readonly document: unknown }): Promise<Found> {
    return this.write(request, { method: "PATCH", body: request.document, idempotent: true });
  }

  act<Found>(request: ResourceRequest<Found>): Promise<Found> {
    return this.write(request, { method: "POST", idempotent: false });
  }

  /** Idempotent; the response is empty. */
  async relate(request: {
    readonly summary: string;
    readonly method: "POST" | "PATCH";
    readonly path: Path;
    readonly document: unknown;
    readonly advice?: Advice;
  }): Promise<void> {
    await this.send({ ...request, body: request.document, idempotent: true });
  }

  /** @returns `undefined` for a 404, which may also mean that the token has no access */
  async show<Found>(member: Omit<Member<Found>, "list">): Promise<Found | undefined> {
    return (await this.showIncluding(member))?.object;
  }

  async showIncluding<Found>(
    { what, id, path, kind }: Omit<Member<Found>, "list">,
    query: Query = {},
  ): Promise<{ readonly object: Found; readonly included: readonly IncludedResource[] } | undefined> {
    const summary = `read the ${what}`;
    const response = await this.send({
      summary,
      path,
      query,
      method: "GET",
      idempotent: true,
      accept: [404],
    });
    if (response.status === 404) {
      return undefined;
    }
    const object = this.read(response, kind, id);
    const { included } = isObject(response.body) ? response.body : {};
    return { object, included: readShape(includedResources, included, "included", response.request) };
  }

  async listAll<Found extends Identified, Meta extends z.ZodType = z.ZodUnknown>(
    request: ListRequest<Found> & { readonly meta?: (z: Validation) => Meta },
  ): Promise<{
    readonly items: readonly Found[];
    readonly meta: z.output<Meta>;
    readonly included: readonly IncludedResource[];
  }> {
    const pages: Page<Found>[] = [];
    for await (const page of this.pages(request)) {
      pages.push(page);
    }
    const shape = request.meta?.(z) ?? z.unknown();
    return {
      items: pages.flatMap(({ items }) => items),
      meta: readShape(shape, pages.at(-1)?.meta ?? {}, "meta", `GET ${request.path}`) as z.output<Meta>,
      included: pages.flatMap(({ included }) => included),
    };
  }

  /** Concurrent lookups share one list, which is requested after them. */
  listTogether<Found extends Identified>(request: ListRequest<Found>): Promise<readonly Found[]> {
    return this.siblings<Found>().all(
      request.path,
      this.caller,
      async (caller) => (await this.onBehalfOf(caller).listAll(request)).items,
    );
  }

  /** @returns `undefined` only when the object is proven not to exist */
  async readMember<Found extends Identified>(member: Member<Found>): Promise<Found | undefined> {
    const { what, id, kind, list } = member;
    const alone = (): Promise<Found | undefined> => this.show(member);
    const pages = (caller: Caller) =>
      this.onBehalfOf(caller).pages({
        summary: `read the ${what} among others`,
        path: list ?? member.path,
        kind,
      });
    const found = await (list === undefined
      ? alone()
      : this.siblings<Found>().read({ list, caller: this.caller, pages, alone }, id));
    return found ?? this.proveAbsent(member);
  }

  /** An absent object counts as deleted once its absence is proven. */
  async deleteMember(member: Member, advice?: Advice): Promise<void> {
    const { what, id, path, list } = member;
    const operation = { summary: `delete the ${what}`, path, method: "DELETE", idempotent: true } as const;
    const response = await this.send({ ...operation, accept: [404], advice });
    if (response.status === 404) {
      await this.proveAbsent(member);
    }
    this.noteWritten(list, id);
  }

  /** @throws TriviumError when the object exists but is not accessible, or when that cannot be found out */
  async proveAbsent(member: Omit<Member, "path">): Promise<undefined> {
    const { what, id, list, kind } = member;
    if (this.shared.assumedGone.has(id)) {
      return;
    }
    const returned = `The provisioning service returned 404 for ${what}`;
    if (list === undefined) {
      throw new TriviumError(`${returned}: it does not exist, or the token has no access to it.`, {
        advice: "Check the id and the permissions of the token.",
      });
    }
    const isListed = await this.isListed(id, list, kind).catch((error: unknown) => {
      throw new TriviumError(
        `${returned}: it was deleted, or the token has no access to it. The library could not find out which: ` +
          `${messageOf(error)} State is unchanged.`,
        {
          advice:
            `If it was deleted, set TRIVIUM_ASSUME_GONE=${id} for one run (separate several ids with commas), ` +
            "or remove it from state with `pulumi state delete`.",
        },
      );
    });
    if (isListed) {
      throw new TriviumError(`${returned}, although it exists: the token lacks the permission.`, {
        advice: "Use a token with the permission. State is unchanged.",
      });
    }
  }

  private async isListed(id: string, list: Path, { type }: ResourceKind): Promise<boolean> {
    // Only ids are read: an invalid sibling must not prevent the proof.
    const kind = { type, shape: (z: Validation) => identified(z, type) };
    let complete = false;
    for await (const page of this.pages({
      summary: "check whether the object was deleted",
      path: list,
      kind,
    })) {
      if (page.items.some((item) => item.id === id)) {
        return true;
      }
      complete = page.complete;
    }
    if (!complete) {
      throw new TriviumError(`The list at ${list} has fewer items than its total count.`);
    }
    return false;
  }

  private noteWritten(list: Path | undefined, id: string | undefined): void {
    if (list !== undefined && id !== undefined) {
      this.shared.lists.note(list, id);
    }
  }

  private siblings<Found extends Identified>(): SiblingLists<Found> {
    return this.shared.lists as unknown as SiblingLists<Found>;
  }

  private onBehalfOf(caller: Caller): ProvisioningClient {
    return new ProvisioningClient(this.transport, caller, this.shared);
  }

  private pages<Found extends Identified>({
    kind,
    ...request
  }: ListRequest<Found>): AsyncGenerator<Page<Found>> {
    const operation = this.operation({ ...request, method: "GET", idempotent: true });
    return readPages(this.transport, operation, kind.shape(z, this.dialect));
  }

  private async write<Found>(
    request: ResourceRequest<Found>,
    how: Pick<Operation, "method" | "body" | "idempotent">,
  ): Promise<Found> {
    const { summary, path, kind, id, list, advice, slow } = request;
    const found = this.read(await this.send({ ...how, summary, path, advice, slow }), kind, id);
    this.noteWritten(list, id);
    return found;
  }

  private read<Found>(
    { body, request }: HttpResponse,
    kind: ResourceKind<Found>,
    id: string | undefined,
  ): Found {
    const { data } = isObject(body) ? body : {};
    const found = readShape(kind.shape(z, this.dialect), data, "data", request);
    // The service matches names of organizations in any case; other ids never differ in case alone.
    if (id !== undefined && (data as Identified).id.toLowerCase() !== id.toLowerCase()) {
      throw new ContractError({ request, at: "data.id", problem: "expected the requested object" });
    }
    return found;
  }

  private async send({
    slow = false,
    advice,
    ...operation
  }: Operation & {
    readonly slow?: boolean | undefined;
    readonly advice?: Advice | undefined;
  }): Promise<HttpResponse> {
    const { requestTimeoutMilliseconds: chosen } = this.shared;
    const timeout = slow && chosen === undefined ? { timeoutMilliseconds: slowTimeout } : {};
    try {
      return await this.transport.send({ ...this.operation(operation), ...timeout });
    } catch (error) {
      throw withAdvice(error, advice);
    }
  }

  private operation(operation: Operation): Operation {
    const { signal, progress } = this.caller;
    // The real service rejects a write without this media type, even without a body.
    const change = { mediaType: jsonApiMediaType, graceMilliseconds: writeGrace };
    return { ...operation, signal, progress, ...(operation.method === "GET" ? {} : change) };
  }
}

export const provisioningProtocol: ServiceProtocol<ProvisioningClient> = {
  clients(transport, settings) {
    const shared = { ...settings, lists: new SiblingLists() };
    return (caller) => new ProvisioningClient(transport, caller, shared);
  },
};
