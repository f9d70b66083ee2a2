import type { ServiceResponse } from "../response";
import type { Endpoint } from "../router";
import { badRequest } from "./json-api";
import type { ProvisioningPermissions } from "./rights";

/** Below which every path of the service lies. */
export const pathPrefix = "/api/v2";

/** The query of a request: known parameters only, each at most once. */
export type Query = ReadonlyMap<string, string>;

/** A request that has passed what is the same for all endpoints: token, media type, query, JSON. */
export interface ProvisioningRequest {
  /** The value of a parameter of the path, decoded. */
  parameter(name: string): string;
  readonly query: Query;
  /** Parsed; `undefined` when there was none. */
  readonly body: unknown;
  readonly permissions: ProvisioningPermissions;
  readonly caller: { readonly name: string; readonly userId: string };
  /** The absolute address of this path, without the query. */
  readonly url: string;
}

/** A document of success. */
export interface Document {
  readonly data: unknown;
  readonly included?: readonly unknown[];
  readonly links?: unknown;
  readonly meta?: unknown;
}

/**
 * What is done about a request: a document returns 200, nothing with 204. It throws a `Refusal` for every
 * response that is not success.
 */
type Handle = (request: ProvisioningRequest) => Result | Promise<Result>;
type Result = ServiceResponse | Document | undefined;

/** An endpoint of the provisioning service; its path is written below the prefix. */
export interface ProvisioningEndpoint extends Endpoint {
  /** Query parameters it knows; others are refused. Default none. */
  readonly query?: readonly string[];
  /** Whether it also responds without a token, or with a wrong one. Default false. */
  readonly open?: boolean;
  /** Whether it takes a body; one that does not refuses it. Default false. */
  readonly takesBody?: boolean;
  readonly handle: Handle;
}

/** @param query parameters it knows */
export function gets(path: string, handle: Handle, query: readonly string[] = []): ProvisioningEndpoint {
  return { method: "GET", path, query, handle };
}

export function posts(path: string, handle: Handle): ProvisioningEndpoint {
  return { method: "POST", path, takesBody: true, handle };
}

export function patches(path: string, handle: Handle): ProvisioningEndpoint {
  return { method: "PATCH", path, takesBody: true, handle };
}

/** @param remove its result is not sent */
export function deletes(path: string, remove: (request: ProvisioningRequest) => void): ProvisioningEndpoint {
  return {
    method: "DELETE",
    path,
    handle(request) {
      remove(request);
      return undefined;
    },
  };
}

/** @throws Refusal 400 for a parameter that is unknown, which the products ignore, or repeated */
export function readQuery(
  parameters: URLSearchParams,
  known: readonly string[],
  isHashicorp: boolean,
): Query {
  const query = new Map<string, string>();
  for (const [name, value] of parameters) {
    const isKnown = known.includes(name);
    if (query.has(name) || (!isKnown && !isHashicorp)) {
      const problem = isKnown ? "given more than once" : "unknown here";
      throw badRequest(`The query parameter ${JSON.stringify(name)} is ${problem}.`, `?${name}`);
    }
    if (isKnown) {
      query.set(name, value);
    }
  }
  return query;
}

/** The query parameters of a list in pages. */
export const pageParameters = ["page[number]", "page[size]"] as const;

const defaultSize = 20;
const largestSize = 100;

/** One page of a list. */
interface Page<Item> {
  readonly items: readonly Item[];
  readonly links: Readonly<Record<string, string | null>>;
  /** For `meta.pagination`. */
  readonly pagination: Readonly<Record<string, number | null>>;
  readonly size: number;
}

/**
 * Cuts out of a list the page that a request asks for. A page beyond the last one is empty.
 *
 * @throws Refusal 400 when a page parameter is not a whole number from 1 on
 */
export function paginate<Item>(
  all: readonly Item[],
  { query, url }: Pick<ProvisioningRequest, "query" | "url">,
): Page<Item> {
  const size = Math.min(readCount(query, "page[size]") ?? defaultSize, largestSize);
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

/** The page that a request asks for, and nothing else. */
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
