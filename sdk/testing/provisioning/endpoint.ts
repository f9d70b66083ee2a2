import type { ServiceResponse } from "../response";
import type { Endpoint } from "../router";
import { badRequest } from "./json-api";
import type { ProvisioningPermissions } from "./rights";
import type { ProvisioningTraits } from "./traits";

export const pathPrefix = "/api/v2";

/** Known parameters only, each at most once. */
export type Query = ReadonlyMap<string, string>;

/** A request that has passed the checks common to all endpoints: token, media type, query, JSON. */
export interface ProvisioningRequest {
  /** The decoded value of a path parameter. */
  parameter(name: string): string;
  readonly query: Query;
  /** Parsed; `undefined` if there was none. */
  readonly body: unknown;
  readonly permissions: ProvisioningPermissions;
  readonly caller: { readonly name: string; readonly userId: string };
  /** The absolute URL of this path, without the query. */
  readonly url: string;
  /** The value that a larger `page[size]` is reduced to; the documentation does not define a limit. */
  readonly largestPage: number;
}

export interface Document {
  readonly data: unknown;
  readonly included?: readonly unknown[];
  readonly links?: unknown;
  readonly meta?: unknown;
}

/** A document is sent with 200, `undefined` with 204. Throws a `Refusal` for every error response. */
type Handle = (request: ProvisioningRequest) => Result | Promise<Result>;
type Result = ServiceResponse | Document | undefined;

/** `path` is relative to the prefix. */
export interface ProvisioningEndpoint extends Endpoint {
  /** Query parameters that it accepts; default none. */
  readonly query?: readonly string[];
  /** Whether it also responds when the token is missing or invalid. Default false. */
  readonly open?: boolean;
  /** Whether it accepts a body; default false. */
  readonly takesBody?: boolean;
  readonly handle: Handle;
}

export function gets(path: string, handle: Handle, query: readonly string[] = []): ProvisioningEndpoint {
  return { method: "GET", path, query, handle };
}

export function posts(path: string, handle: Handle): ProvisioningEndpoint {
  return { method: "POST", path, takesBody: true, handle };
}

export function patches(path: string, handle: Handle): ProvisioningEndpoint {
  return { method: "PATCH", path, takesBody: true, handle };
}

export function puts(path: string, handle: Handle): ProvisioningEndpoint {
  return { method: "PUT", path, takesBody: true, handle };
}

export function deletes(
  path: string,
  remove: (request: ProvisioningRequest) => unknown,
): ProvisioningEndpoint {
  return { method: "DELETE", path, handle: (request) => void remove(request) };
}

/** @throws Refusal 400 for a repeated parameter, or for an unknown one, which the products ignore */
export function readQuery(
  parameters: URLSearchParams,
  known: readonly string[],
  { ignoresUnknown }: ProvisioningTraits,
): Query {
  const query = new Map<string, string>();
  for (const [name, value] of parameters) {
    const isKnown = known.includes(name);
    if (query.has(name) || (!isKnown && !ignoresUnknown)) {
      const problem = isKnown ? "given more than once" : "unknown here";
      throw badRequest(`The query parameter ${JSON.stringify(name)} is ${problem}.`, `?${name}`);
    }
    if (isKnown) {
      query.set(name, value);
    }
  }
  return query;
}

export const pageParameters = ["page[number]", "page[size]"] as const;

const defaultSize = 20;

/** @throws Refusal 400 for an invalid page parameter; a page beyond the last one is empty */
export function paginate<Item>(
  all: readonly Item[],
  { query, url, largestPage }: Pick<ProvisioningRequest, "query" | "url" | "largestPage">,
) {
  const size = Math.min(readCount(query, "page[size]") ?? defaultSize, largestPage);
  const current = readCount(query, "page[number]") ?? 1;
  const last = Math.max(1, Math.ceil(all.length / size));
  const prev = current > 1 ? Math.min(current - 1, last) : null;
  const next = current < last ? current + 1 : null;
  const pages = Object.entries({ self: current, first: 1, prev, next, last });
  const linkTo = (page: number): string => {
    const parameters = new URLSearchParams([...query]);
    parameters.set("page[number]", String(page));
    parameters.set("page[size]", String(size));
    return `${url}?${parameters.toString()}`;
  };
  return {
    items: all.slice((current - 1) * size, current * size),
    links: Object.fromEntries(pages.map(([name, page]) => [name, page === null ? null : linkTo(page)])),
    pagination: {
      "current-page": current,
      "prev-page": prev,
      "next-page": next,
      "total-pages": last,
      "total-count": all.length,
    },
    size,
  };
}

export function pageOf<Item>(
  all: readonly Item[],
  request: ProvisioningRequest,
  show: (item: Item) => unknown,
): Document {
  const { items, links, pagination } = paginate(all, request);
  return { data: items.map(show), links, meta: { pagination } };
}

function readCount(query: Query, name: (typeof pageParameters)[number]): number | undefined {
  const text = query.get(name);
  if (text !== undefined && !/^[1-9]\d{0,8}$/.test(text)) {
    throw badRequest(`${name} must be a whole number from 1 on, not ${JSON.stringify(text)}.`, `?${name}`);
  }
  return text === undefined ? undefined : Number(text);
}
