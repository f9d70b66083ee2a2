import assert from "node:assert/strict";
import fc from "fast-check";
import { z } from "zod";
import { ContractError } from "../../sdk/base/errors";
import { path } from "../../sdk/base/path";
import type { Operation, Transport } from "../../sdk/http/transport";
import { identified } from "../../sdk/provisioning/kind";
import { type Page, readPages } from "../../sdk/provisioning/pages";
import { failure } from "../http/calls";

const operation: Operation = {
  summary: "list things",
  method: "GET",
  path: path`/things`,
  query: { q: "x" },
  idempotent: true,
};
const shape = identified(z, "things");

const thing = (id: string): object => ({ id, type: "things" });
const paged = (pagination: object): object => ({ meta: { pagination } });

/** A service whose list has these pages. */
function service(document: (number: number) => unknown, size = 1) {
  const requested: Operation["query"][] = [];
  const transport: Transport = {
    send: ({ query }) => {
      requested.push(query);
      const body = document(Number(query?.["page[number]"]));
      const request = "GET https://service.example";
      return Promise.resolve({ status: 200, headers: {}, body, size, request });
    },
    stream: () => assert.fail(),
  };
  const all = async (): Promise<Page<z.output<typeof shape>>[]> => {
    const pages: Page<z.output<typeof shape>>[] = [];
    for await (const page of readPages(transport, operation, shape)) {
      pages.push(page);
    }
    return pages;
  };
  const ids = async () => (await all()).flatMap(({ items }) => items.map(({ id }) => id));
  return { requested, all, ids };
}

/** Pages with one new thing each. */
const oneEach = (rest: (number: number) => object, size?: number) =>
  service((number) => ({ data: [thing(`t-${number}`)], ...rest(number) }), size);

const next = (number: number, last: number): number | null => (number < last ? number + 1 : null);

describe("pages of a list", () => {
  it("pages of a list are requested by number, with the query and the maximum size", async () => {
    const list = oneEach((number) => paged({ "next-page": next(number, 2) }));
    assert.deepEqual(await list.ids(), ["t-1", "t-2"]);
    assert.deepEqual(list.requested, [
      { q: "x", "page[number]": 1, "page[size]": 100 },
      { q: "x", "page[number]": 2, "page[size]": 100 },
    ]);
  });

  const link = (to: number): string => `/things?page[number]=${to}`;
  const onlyPage = { "next-page": null, "total-pages": 1 };
  const ways: readonly [title: string, (number: number) => object][] = [
    ["an absolute URL", (to) => ({ links: { next: `https://a.example/x?q=x&page%5Bnumber%5D=${to}&a=1` } })],
    ["a path", (to) => ({ links: { next: `${link(to)}#end` } })],
    ["an object", (to) => ({ links: { next: { href: link(to), meta: {} } } })],
    ["a link without a number", () => ({ links: { next: "/things?cursor=abc" } })],
    ["a link alone", (to) => ({ ...paged(onlyPage), links: { next: link(to) } })],
    ["meta.pagination alone", (to) => ({ ...paged({ "next-page": to }), links: { next: null } })],
    ["the number of pages", () => paged({ "total-pages": 3 })],
  ];
  for (const [title, more] of ways) {
    it(`pages of a list are read to the end if the next one is named by ${title}`, async () => {
      const list = oneEach((number) => (number < 3 ? more(number + 1) : {}));
      assert.deepEqual(await list.ids(), ["t-1", "t-2", "t-3"]);
    });
  }

  it("pages of a list end if nothing names a next one", async () => {
    for (const rest of [{}, { links: { next: "" } }, { links: null, meta: null, included: null }]) {
      assert.deepEqual(await oneEach(() => rest).ids(), ["t-1"]);
    }
  });

  const links: readonly [link: string, next: number][] = [
    ["/things?page%5Bnumber%5D=12&page%5Bsize%5D=1", 12],
    ["/things?page[number]=3#?page[number]=4", 3],
    ["/things#?page[number]=4", 2],
    ["/things?page[number]=", 2],
    ["/page[number]=3", 2],
    ["/things?page[number]=0", 2],
    ["/things?page[number]=03", 2],
    ["/things?page[number]=3rd", 2],
    ["/things?page[number]=1234567890", 2],
  ];
  for (const [link, expected] of links) {
    it(`pages of a list continue with ${expected} after the link ${link}`, async () => {
      const list = oneEach((number) => ({ links: number === 1 ? { next: link } : {} }));
      await list.ids();
      assert.equal(list.requested[1]?.["page[number]"], expected);
    });
  }

  it("pages of a list show whether they contain as many items as the service counts, and omit repeated items", async () => {
    for (const total of [2, 3, 4, undefined]) {
      const list = service((number) => ({
        data: [thing(`b-${number}`), ...(number === 1 ? [thing("a"), thing("a")] : [])],
        ...paged({ "next-page": next(number, 2), "total-count": total }),
      }));
      const found = (await list.all()).map(({ items, complete }) => [complete, ...items.map(({ id }) => id)]);
      assert.deepEqual(found, [
        [false, "b-1", "a"],
        [total !== 4, "b-2"],
      ]);
    }
  });

  for (const [title, second, change] of [
    ["repeats an item", { data: [thing("a"), thing("b")] }, /page 2 has a again/],
    [
      "counts fewer items",
      { data: [thing("b")], ...paged({ "total-count": 2 }) },
      /total-count was 3, then 2/,
    ],
    [
      "counts more items",
      { data: [thing("b")], ...paged({ "total-count": 4 }) },
      /total-count was 3, then 4/,
    ],
    ["counts fewer pages", { data: [], ...paged({ "total-pages": 1 }) }, /total-pages was 2, then 1/],
  ] as const) {
    it(`pages of a list are rejected if the second one ${title}`, async () => {
      const first = paged({ "next-page": 2, "total-count": 3, "total-pages": 2 });
      const list = service((number) => (number === 1 ? { data: [thing("a")], ...first } : second));
      assert.match((await failure(list.ids())).message, change);
      assert.equal(list.requested.length, 2);
    });
  }

  it("pages of a list can exceed a thousand if the service counts pages or items", async () => {
    for (const total of [{ "total-pages": 1001 }, { "total-count": 1001 }]) {
      const list = oneEach((number) => paged({ ...total, "next-page": next(number, 1001) }));
      assert.equal((await list.ids()).length, 1001);
    }
  });

  const same = (rest: object) => service(() => ({ data: [thing("a")], ...rest }));
  const after = (number: number): object => paged({ "next-page": number + 1 });
  const endless: readonly [string, ReturnType<typeof service>, RegExp, requests: number, at?: string][] = [
    ["the same link again", same({ links: { next: link(2) } }), /page 2 has no new items/, 2, "links.next"],
    ["the same page again", same(paged({ "next-page": 2 })), /page 2 has no new items/, 2],
    ["empty pages", service((to) => ({ data: [], ...after(to) })), /page 1 has no new items/, 1],
    ["a link back", oneEach(() => paged({ "next-page": 1 })), /page 1 has no new items/, 2],
    ["something new on every page, and no total", oneEach(after), /more than 1000 pages/, 1_000],
    ["more than fits in memory", oneEach(after, 64 * 1024 * 1024), /the first 5 pages exceed 256 MB/, 5],
  ];
  for (const [title, list, pattern, requests, at = "meta.pagination"] of endless) {
    it(`a list that would never end is rejected: ${title}`, async () => {
      const error = await failure(list.ids(), ContractError);
      assert.equal(error.at, at);
      assert.match(error.message, pattern);
      assert.equal(list.requested.length, requests);
    });
  }

  const good = { id: "t-1", type: "things" };
  const empty = { data: [] };
  const refusals: readonly [document: unknown, at: string, problem: string][] = [
    [undefined, "", "expected a value of type object"],
    [{}, "data", "expected a value of type array"],
    [{ data: [good, {}] }, "data[1].type", 'expected "things"'],
    [{ data: [{ ...good, id: "" }] }, "data[0].id", "expected at least 1"],
    [{ data: [{ ...good, id: "x".repeat(1_001) }] }, "data[0].id", "expected at most 1000"],
    [{ data: [{ ...good, id: "a\ud800" }] }, "data[0].id", "expected a value of another type"],
    [{ ...empty, included: [{ id: "1" }] }, "included[0].type", "expected a value of type string"],
    [{ ...empty, meta: [] }, "meta", "expected a value of type object"],
    [{ ...empty, ...paged({ "next-page": 1.5 }) }, "meta.pagination.next-page", "a value of type int"],
    [{ ...empty, ...paged({ "next-page": -1 }) }, "meta.pagination.next-page", "expected at least 0"],
  ];
  for (const [document, at, problem] of refusals) {
    it(`invalid pages are rejected with the place in ${JSON.stringify(document)}`, async () => {
      const error = await failure(service(() => document).ids(), ContractError);
      assert.equal(error.at, at);
      assert.ok(error.message.includes(problem), error.message);
      assert.ok(error.message.includes("GET https://service.example"));
    });
  }

  it("pages cause only contract errors, whatever the responses", async () => {
    const documents = fc.record({ data: fc.jsonValue(), included: fc.jsonValue(), links: fc.jsonValue() });
    await fc.assert(
      fc.asyncProperty(documents, async (document) => {
        const list = service((number) => (number === 1 ? document : { data: [] }));
        await list.ids().catch((error: unknown) => assert.ok(ContractError.isInstance(error)));
      }),
    );
  });
});
