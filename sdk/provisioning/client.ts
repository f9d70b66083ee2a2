import { z } from "zod";
import { readShape, type Validation } from "../base/schema";
import { SiblingLists } from "../base/sibling-lists";
import {
  type Advice,
  adviceIfGone,
  ContractError,
  messageOf,
  TriviumError,
  orNotFound,
} from "../base/errors";
import { isObject } from "../base/json";
import type { Path } from "../base/path";
import { type HttpResponse, type Operation, sendFor, type Transport } from "../http/transport";
import type { Caller } from "../base/caller";
import type { Dialect } from "../base/settings";
import type { ResolvedSettings } from "../connection/resolve";
import type { ServiceProtocol } from "../connection/service";
import {
  type Identified,
  identified,
  jsonApiMediaType,
  orNoAccess,
  type ResourceKind,
  saysAbsence,
} from "./kind";
import {
  type IncludedResource,
  includedResources,
  type Page,
  readPages,
  settled,
  withIncluded,
} from "./pages";

const slowTimeout = 60_000;

interface Request {
  /** A description of the request; starts with a verb. */
  readonly summary: string;
  readonly path: Path;
  readonly advice?: Advice | undefined;
}

export interface ResourceRequest<Found> extends Request {
  readonly kind: ResourceKind<Found>;
  readonly document?: object;
  /** The ID that the response must contain, if set. */
  readonly id?: string;
  /** The list that holds the object: after a write, an older copy of it is stale. */
  readonly list?: Path | undefined;
  /** What a response without an object means, if the documentation does not describe the body. */
  readonly ifWithout?: Found;
  /**
   * Whether the service itself first sends a request: the time limit is then 60 s, unless the user sets
   * another one.
   */
  readonly slow?: boolean;
}

export interface ListRequest<Found> {
  readonly summary: string;
  readonly path: Path;
  readonly kind: ResourceKind<Found>;
  readonly query?: Operation["query"];
}

/** An object that might be absent: the service also returns 404 for "not allowed". */
export interface Member<Found = Identified> {
  /** For messages: `project prj-1`. */
  readonly what: string;
  readonly id: string;
  readonly path: Path;
  readonly kind: ResourceKind<Found>;
  /** Proves the object's absence after a 404; `undefined` if the parent is not known. */
  readonly list: Path | undefined;
  /** For reads, the related objects to include in the response. */
  readonly include?: string | undefined;
}

type Settings = Pick<ResolvedSettings, "address" | "dialect" | "requestTimeoutMilliseconds">;

export class ProvisioningClient {
  constructor(
    private readonly transport: Transport,
    private readonly caller: Caller,
    private readonly settings: Settings,
    private readonly lists: SiblingLists,
  ) {}

  get dialect(): Dialect {
    return this.settings.dialect;
  }

  /** Only retried if the service has certainly not processed the request. */
  post<Found extends Identified>(request: ResourceRequest<Found>): Promise<Found> {
    return this.write(request, { method: "POST", idempotent: false });
  }

  patch<Found extends Identified>(request: ResourceRequest<Found>): Promise<Found> {
    return this.write(request, { method: "PATCH", idempotent: true });
  }

  /** Idempotent; the response is empty. */
  async relate({
    document: body,
    ...request
  }: Request & { readonly method: "POST" | "PATCH" | "PUT"; readonly document: object }): Promise<void> {
    await this.send({ ...request, body, idempotent: true });
    this.lists.noteMove();
  }

  /** @returns `undefined` for a 404, which can also mean that the token has no access */
  async show<Found extends Identified>(member: Omit<Member<Found>, "list">): Promise<Found | undefined> {
    return (await this.showIncluding(member))?.object;
  }

  /** @throws NotFoundError for a 404 */
  async get<Found extends Identified>(member: Omit<Member<Found>, "list">): Promise<Found> {
    return orNotFound(await this.show(member), member.what, orNoAccess);
  }

  async showIncluding<Found extends Identified>(member: Omit<Member<Found>, "list">) {
    const { what, id, path, kind, include } = member;
    const operation = { summary: `read the ${what}`, path, method: "GET", idempotent: true } as const;
    const response = await this.send({ ...operation, query: { include }, accept: [404] });
    if (response.status === 404) {
      return undefined;
    }
    const included = includedIn(response);
    return { object: this.read(response, kind, id, included), included };
  }

  async listAll<Found extends Identified, Meta extends z.ZodType = z.ZodUnknown>(
    request: ListRequest<Found> & { readonly meta?: (z: Validation) => Meta },
  ) {
    const pages = await settled(async () => {
      const read: Page<Found>[] = [];
      for await (const page of this.pages(request)) {
        read.push(page);
      }
      return read;
    }, this.caller.progress);
    const shape = request.meta?.(z) ?? z.unknown();
    return {
      items: pages.flatMap(({ items }) => items),
      included: pages.flatMap(({ included }) => included),
      meta: readShape(shape, pages.at(-1)?.meta ?? {}, "meta", `GET ${request.path}`) as z.output<Meta>,
    };
  }

  /** Concurrent calls share a list, which begins after the calls. */
  async listTogether<Found extends Identified>(request: ListRequest<Found>): Promise<readonly Found[]> {
    return (await this.lists.together(request.path, () => this.listAll(request))).items;
  }

  /** Shared for ten seconds, because the engine reads each object separately. */
  async listShared<Found extends Identified>(request: ListRequest<Found>): Promise<readonly Found[]> {
    return (await this.lists.shared(request.path, () => this.listAll(request))).items;
  }

  /** @returns `undefined` only when the object is proven not to exist */
  async readMember<Found extends Identified>(member: Member<Found>): Promise<Found | undefined> {
    const { what, id, kind, list, include } = member;
    const alone = (): Promise<Found | undefined> => this.show(member);
    const request = { summary: `read the ${what} in a list`, kind, query: { include } };
    const found = await (list === undefined
      ? alone()
      : this.lists.read(list, id, () => this.pages({ ...request, path: list }), alone, include));
    return found ?? this.proveAbsent(member);
  }

  /** Deletes an object. Deletes an object. An absent object counts as deleted once its absence is proven. */
  async deleteMember(member: Member, advice?: Advice): Promise<void> {
    const { what, id, path, list } = member;
    const operation = { summary: `delete the ${what}`, path, method: "DELETE", idempotent: true } as const;
    const response = await this.send({ ...operation, accept: [404], advice });
    if (response.status === 404) {
      await this.proveAbsent(member);
    }
    if (list !== undefined) {
      this.lists.note(list, id);
    }
  }

  /** @throws TriviumError if the object exists but is not accessible, or if this cannot be determined */
  async proveAbsent({ what, id, list, kind }: Omit<Member, "path">): Promise<undefined> {
    const returned = `The provisioning service returned 404 for ${what}`;
    if (list === undefined) {
      throw new TriviumError(`${returned}: it does not exist${orNoAccess}.`, {
        advice: "Check the ID and the token's permissions.",
      });
    }
    const isListed = await this.isListed(id, list, kind).catch((error: unknown) => {
      throw new TriviumError(
        `${returned}: either it was deleted, or the token has no access to it. The library could not tell which: ` +
          `${messageOf(error)} State is unchanged.`,
        { advice: adviceIfGone(id) },
      );
    });
    if (isListed) {
      throw new TriviumError(`${returned}, although it exists: the token lacks permission.`, {
        advice: "Use a token with permission to read it. State is unchanged.",
      });
    }
  }

  private async isListed(id: string, path: Path, { type }: ResourceKind): Promise<boolean> {
    // Only IDs are read, so that an invalid sibling does not prevent the proof.
    const kind = { type, shape: (z: Validation) => identified(z, type) };
    return settled(async () => {
      let isComplete = false;
      for await (const page of this.pages({ summary: "check whether the object was deleted", path, kind })) {
        if (page.items.some((item) => item.id === id)) {
          return true;
        }
        isComplete = page.complete;
      }
      if (!isComplete) {
        throw new TriviumError(`The list at ${path} has fewer items than its total count.`);
      }
      return false;
    }, this.caller.progress);
  }

  private pages<Found extends Identified>({ kind, ...request }: ListRequest<Found>) {
    const { signal, progress } = this.caller;
    const operation = { ...request, method: "GET", idempotent: true, signal, progress } as const;
    return readPages(this.transport, operation, kind.shape(z, this.dialect));
  }

  private async write<Found extends Identified>(
    { kind, id, list, document: body, ifWithout, ...request }: ResourceRequest<Found>,
    how: Pick<Operation, "method" | "idempotent">,
  ): Promise<Found> {
    const response = await this.send({ ...how, ...request, body });
    const { data } = isObject(response.body) ? response.body : { data: response.body };
    const isWithout = ifWithout !== undefined && (data ?? "") === "";
    const found = isWithout ? ifWithout : this.read(response, kind, id);
    // An object is created at the path of its list.
    this.lists.note(list ?? request.path, found.id);
    return found;
  }

  private read<Found extends Identified>(
    response: HttpResponse,
    kind: ResourceKind<Found>,
    id: string | undefined,
    included = includedIn(response),
  ): Found {
    const { body, request } = response;
    const data = withIncluded(isObject(body) ? body.data : undefined, included);
    const found = readShape(kind.shape(z, this.dialect), data, "data", request);
    // The service ignores case in names of organizations; other IDs never differ in case alone.
    if (id !== undefined && found.id.toLowerCase() !== id.toLowerCase()) {
      throw new ContractError({ request, at: "data.id", problem: "expected the requested object" });
    }
    return found;
  }

  private send({
    slow = false,
    ...operation
  }: Operation & { readonly slow?: boolean; readonly advice?: Advice | undefined }): Promise<HttpResponse> {
    const isSlow = slow && this.settings.requestTimeoutMilliseconds === undefined;
    return sendFor(this.caller, this.transport, {
      ...operation,
      // The products reject a write without this media type, even if the body is empty.
      ...(operation.method === "GET" ? {} : { mediaType: jsonApiMediaType }),
      ...(isSlow ? { timeoutMilliseconds: slowTimeout } : {}),
    });
  }
}

function includedIn({ body, request }: HttpResponse): readonly IncludedResource[] {
  return readShape(includedResources, isObject(body) ? body.included : undefined, "included", request);
}

export const provisioningProtocol: ServiceProtocol<ProvisioningClient> = {
  saysAbsence,
  clients(transport, settings) {
    const lists = new SiblingLists();
    return (caller) => new ProvisioningClient(transport, caller, settings, lists);
  },
};
