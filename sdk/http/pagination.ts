import { isObject } from "../base/json";
import { ContractError } from "../base/errors";
import { readResourceList, type ResourceList, type ResourceObject } from "./json-api";
import type { HttpResponse, Operation, Transport } from "./transport";

/** The largest page size of the service. */
const largestPage = 100;

// The limit for a list without a total count: a hundred thousand resources in usual pages.
const mostUncountedPages = 1_000;
// A list with a total count may have small pages.
const mostPages = 10_000;
/** The size limit of a list, since the list is held in memory until it is complete. */
export const mostMegabytes = 256;

/** One page of a list. */
export interface Page extends ResourceList {
  /** Whether this is the last page and the list has as many resources as its total count. */
  readonly complete: boolean;
}

/** What to list. */
export interface Listing {
  /** The list request, without paging parameters. */
  readonly operation: Operation;
  /** The type of its resources. */
  readonly type: string;
  /** The maximum number of resources per page. Default: 100. */
  readonly pageSize?: number;
}

/**
 * Reads a list page by page, while `meta.pagination` or `links.next` names a next page. A resource that is
 * listed again, because the list changed in the meantime, is omitted. Pages are requested by number: links
 * may lead to another host.
 *
 * @throws ContractError if the pages never end or exceed the size limit
 */
export async function* readPages(transport: Transport, listing: Listing): AsyncGenerator<Page> {
  const { operation, type, pageSize = largestPage } = listing;
  const seen = new Set<string>();
  let largestTotal = 0;
  let size = 0;
  for (let number: number | undefined = 1; number !== undefined;) {
    const query = { ...operation.query, "page[number]": number, "page[size]": pageSize };
    const response = await transport.send({ ...operation, query });
    const list = readResourceList(response, type);
    const pagination = readPagination(response, list, number);
    const resources = list.resources.filter(({ id }) => !seen.has(id));
    resources.forEach(({ id }) => seen.add(id));
    size += response.size;
    largestTotal = Math.max(largestTotal, pagination.totalCount ?? Infinity);
    const problem =
      size > mostMegabytes * 1024 * 1024
        ? `the first ${number} pages exceed ${mostMegabytes} MB`
        : whyEndless(pagination, number, resources.length, seen.size - largestTotal > pageSize);
    const { at, next, totalCount = 0 } = pagination;
    if (problem !== undefined) {
      throw new ContractError({ request: response.request, at, problem });
    }
    yield { ...list, resources, complete: next === undefined && seen.size >= totalCount };
    number = next;
  }
}

/**
 * Reads all pages of a list.
 *
 * @returns the resources of all pages; `meta` is that of the last one
 * @throws ContractError as {@link readPages}
 */
export async function readAllPages(
  transport: Transport,
  listing: Listing,
): Promise<Pick<ResourceList, "resources" | "included" | "meta">> {
  const resources: ResourceObject[] = [];
  const included = new Map<string, ResourceObject>();
  let meta: ResourceList["meta"] = {};
  for await (const page of readPages(transport, listing)) {
    resources.push(...page.resources);
    page.included.forEach((item) => included.set(`${item.type} ${item.id}`, item));
    meta = page.meta;
  }
  return { resources, included: [...included.values()], meta };
}

/** @returns why a list with a next page would never end */
function whyEndless(
  { current, next, totalPages, totalCount }: Pagination,
  number: number,
  fresh: number,
  surplus: boolean,
): string | undefined {
  if (next === undefined) {
    return undefined;
  }
  if (current !== undefined && current !== number) {
    return `requested page ${number}, got page ${current}`;
  }
  if (next <= number) {
    return `page ${number} names page ${next} as the next page`;
  }
  if (fresh === 0) {
    return `page ${number} has no new items but names a next page`;
  }
  const limit = (totalPages ?? totalCount) === undefined ? mostUncountedPages : mostPages;
  if (number >= limit) {
    return `the list has more than ${limit} pages`;
  }
  return surplus ? "the list has more items than its total count" : undefined;
}

interface Pagination {
  /** The member of the document that names the next page. */
  readonly at: string;
  readonly current: number | undefined;
  readonly next: number | undefined;
  readonly totalPages: number | undefined;
  readonly totalCount: number | undefined;
}

function readPagination(response: HttpResponse, { meta, links }: ResourceList, number: number): Pagination {
  const pagination = isObject(meta.pagination) ? meta.pagination : {};
  const read = (name: string): number | undefined => {
    const value = pagination[name];
    if (value === undefined || value === null) {
      return undefined;
    }
    if (typeof value !== "number" || !Number.isInteger(value) || value < 0) {
      const at = `meta.pagination.${name}`;
      throw new ContractError({ request: response.request, at, problem: "expected a whole number" });
    }
    return value;
  };
  const totalPages = read("total-pages");
  // Only a missing member means that the number of pages decides; null means that there is no next page.
  const promised = totalPages !== undefined && totalPages > number ? number + 1 : undefined;
  const counted = "next-page" in pagination ? read("next-page") : promised;
  const linked = linkedPage(links.next, number);
  return {
    at: counted === undefined && linked !== undefined ? "links.next" : "meta.pagination",
    current: read("current-page"),
    next: counted ?? linked,
    totalPages,
    totalCount: read("total-count"),
  };
}

/**
 * The page number in a link. A link without one leads to the next page.
 *
 * @returns `undefined` if there is no link
 */
function linkedPage(link: unknown, number: number): number | undefined {
  const address = isObject(link) ? link.href : link;
  if (typeof address !== "string" || address === "") {
    return undefined;
  }
  const [, query = ""] = address.split("#", 1).join("").split("?", 2);
  const named = new URLSearchParams(query).get("page[number]") ?? "";
  return /^[1-9]\d{0,8}$/.test(named) ? Number(named) : number + 1;
}
