import type { Query } from "./query";
import { badRequest } from "./refusal";

/** The query parameters of a list in pages. */
export const pageParameters = ["page[number]", "page[size]"] as const;

const defaultSize = 20;
const largestSize = 100;

/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly links: Readonly<Record<string, string | null>>;
  /** For `meta.pagination`. */
  readonly pagination: Readonly<Record<string, number | null>>;
  readonly size: number;
}

/**
 * Cuts a page out of a list. A page beyond the last one is empty.
 *
 * @param url the absolute address of the list, without a query
 * @throws Refusal 400 when a page parameter is not a whole number from 1 on
 */
export function paginate<Item>(all: readonly Item[], query: Query, url: string): Page<Item> {
  const size = Math.min(readCount(query, "page[size]") ?? defaultSize, largestSize);
  const current = readCount(query, "page[number]") ?? 1;
  const last = Math.max(1, Math.ceil(all.length / size));
  const previous = current > 1 ? Math.min(current - 1, last) : null;
  const next = current < last ? current + 1 : null;
  const link = (number: number): string => {
    const parameters = new URLSearchParams([...query]);
    parameters.set("page[number]", String(number));
    parameters.set("page[size]", String(size));
    return `${url}?${parameters.toString()}`;
  };
  return {
    items: all.slice((current - 1) * size, current * size),
    links: {
      self: link(current),
      first: link(1),
      prev: previous === null ? null : link(previous),
      next: next === null ? null : link(next),
      last: link(last),
    },
    pagination: {
      "current-page": current,
      "prev-page": previous,
      "next-page": next,
      "total-pages": last,
      "total-count": all.length,
    },
    size,
  };
}

function readCount(query: Query, name: (typeof pageParameters)[number]): number | undefined {
  const text = query.get(name);
  if (text === undefined) {
    return undefined;
  }
  if (!/^[1-9]\d{0,8}$/.test(text)) {
    throw badRequest(`${name} must be a whole number from 1 on, not ${JSON.stringify(text)}.`, `?${name}`);
  }
  return Number(text);
}
