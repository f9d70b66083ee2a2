import { isObject } from "../base/json";
import { ContractError } from "../base/errors";
import { readResourceList, type ResourceList, type ResourceObject } from "./json-api";
import type { Answer, Operation, Transport } from "./transport";

/** The largest page that services give. */
const largestPage = 100;

// A list that tells no total can be as long as this: a hundred thousand resources in usual pages.
const mostUncountedPages = 1_000;
// One that tells it may have small pages.
const mostPages = 10_000;
/** How much a list may bring together, as what was read of it is held until its end. */
export const mostMegabytes = 256;

/** One page of a list. */
export interface Page extends ResourceList {
  /** Counted from 1. */
  readonly number: number;
  /** `undefined` when the service does not say. */
  readonly totalPages: number | undefined;
  /** Whether no page follows. */
  readonly last: boolean;
  /** Whether no page follows and the list has shown as many resources as it says it has. */
  readonly complete: boolean;
}

/** What to list. */
export interface Listing {
  /** The request for the list, without parameters for pages. */
  readonly operation: Operation;
  /** The type of its resources. */
  readonly type: string;
  /** How many resources a page holds at most. Default: 100. */
  readonly pageSize?: number;
}

/**
 * Reads a list page by page, as long as `meta.pagination` or `links.next` names a next page. A resource that is listed
 * again, because the list changed meanwhile, is left out. Pages are requested by number: links may lead to another host.
 *
 * @throws ContractError when the pages would never end, or bring more than anybody can hold
 */
export async function* readPages(transport: Transport, listing: Listing): AsyncGenerator<Page> {
  const { operation, type, pageSize = largestPage } = listing;
  const seen = new Set<string>();
  let largestTotal = 0;
  let size = 0;
  for (let number: number | undefined = 1; number !== undefined;) {
    const query = { ...operation.query, "page[number]": number, "page[size]": pageSize };
    const answer = await transport.send({ ...operation, query });
    const list = readResourceList(answer, type);
    const pagination = readPagination(answer, list, number);
    const resources = list.resources.filter(({ id }) => !seen.has(id));
    resources.forEach(({ id }) => seen.add(id));
    size += answer.size;
    largestTotal = Math.max(largestTotal, pagination.totalCount ?? Infinity);
    const problem =
      size > mostMegabytes * 1024 * 1024
        ? `its first ${number} pages have more than ${mostMegabytes} MB together`
        : whyEndless(pagination, number, resources.length, seen.size - largestTotal > pageSize);
    const { at, next, totalPages, totalCount = 0 } = pagination;
    if (problem !== undefined) {
      throw new ContractError({ request: answer.request, at, problem });
    }
    const last = next === undefined;
    yield { ...list, resources, number, totalPages, last, complete: last && seen.size >= totalCount };
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

/** @returns why a list that promises another page would never end */
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
    return `page ${number} was asked for, page ${current} was answered`;
  }
  if (next <= number) {
    return `after page ${number} it points back to page ${next}`;
  }
  if (fresh === 0) {
    return `page ${number} brings nothing new, and still there is a next one`;
  }
  const limit = (totalPages ?? totalCount) === undefined ? mostUncountedPages : mostPages;
  if (number >= limit) {
    return `there are more than ${limit} pages`;
  }
  return surplus ? `there are more resources than its total can explain` : undefined;
}

interface Pagination {
  /** The member of the document that names the next page. */
  readonly at: string;
  readonly current: number | undefined;
  readonly next: number | undefined;
  readonly totalPages: number | undefined;
  readonly totalCount: number | undefined;
}

function readPagination(answer: Answer, { meta, links }: ResourceList, number: number): Pagination {
  const pagination = isObject(meta.pagination) ? meta.pagination : {};
  const read = (name: string): number | undefined => {
    const value = pagination[name];
    if (value === undefined || value === null) {
      return undefined;
    }
    if (typeof value !== "number" || !Number.isInteger(value) || value < 0) {
      const at = `meta.pagination.${name}`;
      throw new ContractError({ request: answer.request, at, problem: "expected a whole number" });
    }
    return value;
  };
  const totalPages = read("total-pages");
  // Only a missing member leaves the matter to the number of pages; null says that there is no next page.
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
 * The number of the page that a link leads to. A link that has none leads to the one after this.
 *
 * @returns `undefined` when there is no link
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
