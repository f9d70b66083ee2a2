import { z } from "zod";
import { isObject } from "../base/json";
import { ContractError, TriviumError } from "../base/errors";
import { readShape } from "../base/schema";
import type { Operation, Transport } from "../http/transport";
import { nameInResponse } from "../resource/fields/kinds";

const pageSize = 100;
/** The maximum number of attempts to read a list that changes between its pages. */
const mostReadings = 4;

// Without a total count, enough for a hundred thousand resources in full pages.
const mostUncountedPages = 1_000;
// With a total count, pages can be smaller.
const mostPages = 10_000;
/** The maximum size of a list, which is kept in memory until it is complete. */
const mostMegabytes = 256;

export const includedResources = z
  .array(
    z.object({
      type: nameInResponse(z),
      id: nameInResponse(z),
      attributes: z
        .record(z.string(), z.unknown())
        .nullish()
        .transform((attributes) => attributes ?? {}),
    }),
  )
  .nullish()
  .transform((included) => included ?? []);

/** An object of a response, whose relationships contain the included objects that they name. */
export function withIncluded(object: unknown, included: readonly IncludedResource[]): unknown {
  if (included.length === 0 || !isObject(object) || !isObject(object.relationships)) {
    return object;
  }
  const found = (each: unknown) =>
    included.find(({ type, id }) => isObject(each) && each.type === type && each.id === id) ?? each;
  const relationships = Object.entries(object.relationships).map(([name, relationship]) => {
    const { data } = isObject(relationship) ? relationship : {};
    return [name, Array.isArray(data) ? { data: data.map(found) } : relationship] as const;
  });
  return { ...object, relationships: Object.fromEntries(relationships) };
}

export type IncludedResource = z.output<typeof includedResources>[number];

const count = z.int().min(0).nullish();

const listDocument = z.object({
  data: z.array(z.unknown()),
  included: includedResources,
  meta: z
    .looseObject({
      pagination: z.object({ "next-page": count, "total-pages": count, "total-count": count }).nullish(),
    })
    .nullish(),
  links: z.looseObject({}).nullish(),
});

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly included: readonly IncludedResource[];
  readonly meta: unknown;
  /** Whether this is the last page and the list has as many items as its total count. */
  readonly complete: boolean;
}

/**
 * An error for a list that changed while it was read: some items might be missing, and others might no longer
 * exist.
 */
export class ListChanged extends TriviumError {
  constructor(
    { summary }: Operation,
    request: string,
    readonly change: string,
  ) {
    super(
      `Could not ${summary}: ${request} returned a list that kept changing while it was read, ${mostReadings} times in a row ` +
        `(${change}).`,
      { advice: "Run the command again when no other client is creating or deleting objects there." },
    );
  }
}

/** Reads pages until all of them belong to the same list. */
export async function settled<Result>(
  read: () => Promise<Result>,
  progress: (message: string) => void,
): Promise<Result> {
  for (let left = mostReadings - 1; ; left--) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof ListChanged) || left === 0) {
        throw error;
      }
      progress(`the list changed while it was read (${error.change}), reading it again`);
    }
  }
}

/**
 * Requests pages by number, because links can lead to another host. Repeated items are omitted.
 *
 * @throws ContractError if the pages never end or exceed the size limit; ListChanged if they do not belong to
 * the same list
 */
export async function* readPages<Item extends { readonly id: string }>(
  transport: Transport,
  operation: Operation,
  shape: z.ZodType<Item>,
): AsyncGenerator<Page<Item>> {
  const seen = new Set<string>();
  let size = 0;
  let before: Readonly<Record<string, number | undefined>> = {};
  let number: number | undefined = 1;
  for (let read = 1; number !== undefined; read++) {
    const query = { ...operation.query, "page[number]": number, "page[size]": pageSize };
    const response = await transport.send({ ...operation, query });
    const { request } = response;
    const { data, included, meta, links } = readShape(listDocument, response.body, "", request);
    const found = data.map((item, index) =>
      readShape(shape, withIncluded(item, included), `data[${index}]`, request),
    );
    const repeated = found.find(({ id }) => seen.has(id));
    const items = [...new Map(found.map((item) => [item.id, item])).values()].filter(
      ({ id }) => !seen.has(id),
    );
    items.forEach(({ id }) => seen.add(id));
    size += response.size;
    const { pagination } = meta ?? {};
    const { "total-pages": totalPages, "total-count": total } = pagination ?? {};
    const counts = { "total-count": total ?? undefined, "total-pages": totalPages ?? undefined };
    for (const [name, now] of Object.entries(counts)) {
      const former = before[name];
      if (former !== undefined && now !== undefined && former !== now) {
        throw new ListChanged(operation, request, `${name} was ${former}, then ${now}`);
      }
    }
    before = { ...before, ...counts };
    // Null means that there is no next page. If the member is missing, the number of pages decides.
    const following: number | null = (totalPages ?? 0) > number ? number + 1 : null;
    const promised: number | null =
      pagination?.["next-page"] === undefined ? following : pagination["next-page"];
    const next: number | undefined = promised ?? linkedPage(links?.next, number);
    const limit = (totalPages ?? total ?? undefined) === undefined ? mostUncountedPages : mostPages;
    const problems: readonly (readonly [boolean, string])[] = [
      [size > mostMegabytes * 1024 * 1024, `the first ${read} pages exceed ${mostMegabytes} MB`],
      [next !== undefined && items.length === 0, `page ${number} has no new items but links to a next page`],
      [next !== undefined && read >= limit, `the list has more than ${limit} pages`],
    ];
    const [, problem] = problems.find(([applies]) => applies) ?? [];
    if (problem !== undefined) {
      const at = promised === null && next !== undefined ? "links.next" : "meta.pagination";
      throw new ContractError({ request, at, problem });
    }
    if (repeated !== undefined) {
      throw new ListChanged(operation, request, `page ${number} has ${repeated.id} again`);
    }
    yield { items, included, meta, complete: next === undefined && seen.size >= (total ?? 0) };
    number = next;
  }
}

/** The number of the next page. A link without a number leads to the page after this one. */
function linkedPage(link: unknown, number: number): number | undefined {
  const address = isObject(link) ? link.href : link;
  if (typeof address !== "string" || address === "") {
    return undefined;
  }
  const named = /^[^#]*?[?&]page(?:\[|%5B)number(?:\]|%5D)=([1-9]\d{0,8})(?!\w)/i.exec(address);
  return named === null ? number + 1 : Number(named[1]);
}
