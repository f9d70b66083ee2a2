import assert from "node:assert/strict";
import fc from "fast-check";
import { z } from "zod";
import { ContractError } from "../../sdk/base/errors";
import { path } from "../../sdk/base/path";
import type { Operation, Transport } from "../../sdk/http/transport";
import { identified, identifiersDocument } from "../../sdk/provisioning/kind";
import { mostMegabytes, type Page, readPages } from "../../sdk/provisioning/pages";

const operation: Operation = {
  summary: "list things",
  method: "GET",
  path: path`/things`,
  query: { q: "x" },
  idempotent: true,
};
const shape = identified(z, "things");
type Thing = z.output<typeof shape>;

const thing = (id: string): object => ({ id, type: "things" });
const paged = (pagination: object): object => ({ meta: { pagination } });

/** A service whose list has these pages. */
class Service {
  readonly requested: Operation["query"][] = [];

  constructor(
    private readonly document: (number: number) => unknown,
    private readonly size = 1,
  ) {}

  pages(): AsyncGenerator<Page<Thing>> {
    const transport: Transport = {
      send: ({ query }) => {
        this.requested.push(query);
        const body = this.document(Number(query?.["page[number]"]));
        const request = "GET https://service.example/things";
        return Promise.resolve({ status: 200, headers: {}, body, size: this.size, request });
      },
      stream: () => assert.fail(),
    };
    return readPages(transport, operation, shape);
  }

  async all(): Promise<Page<Thing>[]> {
    const pages: Page<Thing>[] = [];
    for await (const page of this.pages()) {
      pages.push(page);
    }
    return pages;
  }

  async ids(): Promise<string[]> {
    return (await this.all()).flatMap(({ items }) => items.map(({ id }) => id));
  }

  async refusal(): Promise<ContractError> {
    const error: unknown = await this.ids().catch((thrown: unknown) => thrown);
    return ContractError.isInstance(error) ? error : assert.fail(String(error));
  }
}

/** Pages with one new thing each. */
const oneEach = (rest: (number: number) => object, size?: number): Service =>
  new Service((number) => ({ data: [thing(`t-${number}`)], ...rest(number) }), size);

const next = (number: number, last: number): number | null => (number < last ? number + 1 : null);

describe("pages of a list", () => {
  it("are requested by number, with the query and the largest size", async () => {
    const service = oneEach((number) => paged({ "current-page": number, "next-page": next(number, 2) }));
    assert.deepEqual(await service.ids(), ["t-1", "t-2"]);
    assert.deepEqual(service.requested, [
      { q: "x", "page[number]": 1, "page[size]": 100 },
      { q: "x", "page[number]": 2, "page[size]": 100 },
    ]);
  });

  it("are requested only when they are wanted", async () => {
    const service = oneEach((number) => paged({ "next-page": number + 1 }));
    for await (const { complete, items } of service.pages()) {
      assert.deepEqual([complete, items], [false, [thing("t-1")]]);
      break;
    }
    assert.equal(service.requested.length, 1);
  });

  const ways: readonly [title: string, (number: number) => object][] = [
    [
      "an absolute URL",
      (to) => ({ links: { next: `https://other.example/x?q=x&page%5Bnumber%5D=${to}&a=1` } }),
    ],
    ["a path", (to) => ({ links: { next: `/things?page[number]=${to}#end` } })],
    ["an object", (to) => ({ links: { next: { href: `/things?page[number]=${to}`, meta: {} } } })],
    ["a link without a number", () => ({ links: { next: "/things?cursor=abc" } })],
    [
      "a link, although meta.pagination says that there is none",
      (to) => ({
        ...paged({ "next-page": null, "total-pages": 1 }),
        links: { next: `/?page[number]=${to}` },
      }),
    ],
    [
      "meta.pagination, although links have none",
      (to) => ({ ...paged({ "next-page": to }), links: { next: null } }),
    ],
    ["the number of pages", () => paged({ "total-pages": 3 })],
  ];
  for (const [title, more] of ways) {
    it(`are read to the end where the next one is named by ${title}`, async () => {
      const service = oneEach((number) => (number < 3 ? more(number + 1) : {}));
      assert.deepEqual(await service.ids(), ["t-1", "t-2", "t-3"]);
    });
  }

  it("end where nothing names a next one", async () => {
    for (const rest of [
      {},
      { links: {} },
      { links: { next: "" } },
      { links: null, meta: null, included: null },
    ]) {
      assert.deepEqual(await oneEach(() => rest).ids(), ["t-1"]);
    }
  });

  const links: readonly [link: string, next: number][] = [
    ["/things?page%5Bnumber%5D=12&page%5Bsize%5D=1", 12],
    ["/things?page[number]=3#?page[number]=4", 3],
    ["/things#?page[number]=4", 2],
    ["/page[number]=3", 2],
    ["/things?page[number]=", 2],
    ["/things?page[number]=0", 2],
    ["/things?page[number]=03", 2],
    ["/things?page[number]=3rd", 2],
    ["/things?page[number]=1234567890", 2],
  ];
  for (const [link, expected] of links) {
    it(`go on with ${expected} after the link ${link}`, async () => {
      const service = oneEach((number) => ({ links: number === 1 ? { next: link } : {} }));
      await service.ids();
      assert.deepEqual(
        service.requested.map((query) => query?.["page[number]"]),
        [1, expected],
      );
    });
  }

  it("say whether the list has shown as many items as it says it has", async () => {
    for (const [total, complete] of [
      [1, true],
      [2, true],
      [3, false],
      [undefined, true],
    ] as const) {
      const document = { data: [thing("a"), thing("b")], ...paged({ "total-count": total }) };
      const pages = await new Service(() => document).all();
      assert.deepEqual(
        pages.map((page) => page.complete),
        [complete],
      );
    }
  });

  it("leave out what comes again", async () => {
    const pages = [["a", "b"], ["b", "c"], ["d"]].map((ids) => ids.map(thing));
    const service = new Service((number) => ({
      data: pages[number - 1],
      ...paged({ "current-page": number, "next-page": next(number, 3), "total-count": 4 }),
    }));
    assert.deepEqual(await service.ids(), ["a", "b", "c", "d"]);
  });

  it("may be more than a thousand where the service counts pages or items", async () => {
    for (const total of [{ "total-pages": 1001 }, { "total-count": 1001 }]) {
      const service = oneEach((number) => paged({ ...total, "next-page": next(number, 1001) }));
      assert.equal((await service.ids()).length, 1001);
    }
  });

  const hundred = (number: number): object => ({
    data: Array.from({ length: 100 }, (_, index) => thing(`t-${number}-${index}`)),
  });
  it("may have a page more than the total explains, as a list may grow meanwhile", async () => {
    const service = new Service((number) => ({
      ...hundred(number),
      ...paged({ "next-page": next(number, 3), "total-count": 150 }),
    }));
    assert.equal((await service.ids()).length, 300);
  });

  const endless: readonly [string, (number: number) => object, RegExp, requests: number, at?: string][] = [
    [
      "a link that never ends",
      () => ({ data: [thing("a")], links: { next: "/things?page=2" } }),
      /page 2 has no new items/,
      2,
      "links.next",
    ],
    [
      "the same page again",
      () => ({ data: [thing("a")], ...paged({ "current-page": 1, "next-page": 2 }) }),
      /requested page 2, got page 1/,
      2,
    ],
    [
      "the same page under another number",
      (number) => ({ data: [thing("a")], ...paged({ "next-page": number + 1 }) }),
      /page 2 has no new items/,
      2,
    ],
    [
      "empty pages",
      (number) => ({ data: [], ...paged({ "next-page": number + 1 }) }),
      /page 1 has no new items/,
      1,
    ],
    [
      "a way back",
      (number) => ({ data: [thing(`t-${number}`)], ...paged({ "next-page": 1 }) }),
      /names page 1 as the next page/,
      1,
    ],
    [
      "more than its total",
      (number) => ({ ...hundred(number), ...paged({ "next-page": number + 1, "total-count": 150 }) }),
      /more items than its total count/,
      3,
    ],
    [
      "something new on every page, and no total",
      (number) => ({ data: [thing(`t-${number}`)], ...paged({ "next-page": number + 1 }) }),
      /more than 1000 pages/,
      1_000,
    ],
  ];
  for (const [title, page, pattern, requests, at = "meta.pagination"] of endless) {
    it(`are refused where the list would never end: ${title}`, async () => {
      const service = new Service(page);
      const error = await service.refusal();
      assert.equal(error.at, at);
      assert.match(error.message, pattern);
      assert.equal(service.requested.length, requests);
    });
  }

  it("are refused where they bring more than can be held", async () => {
    const service = oneEach(
      (number) => paged({ "next-page": number + 1 }),
      (mostMegabytes / 4) * 1024 * 1024,
    );
    assert.match((await service.refusal()).message, /the first 5 pages exceed 256 MB/);
  });

  const good = { id: "t-1", type: "things" };
  const refusals: readonly [document: unknown, at: string, problem: string][] = [
    [undefined, "", "expected a value of type object"],
    [[], "", "expected a value of type object"],
    [{}, "data", "expected a value of type array"],
    [{ data: good }, "data", "expected a value of type array"],
    [{ data: [good, {}] }, "data[1].type", 'expected "things"'],
    [{ data: [{ ...good, type: "teams" }] }, "data[0].type", 'expected "things"'],
    [{ data: [{ ...good, id: 7 }] }, "data[0].id", "expected a value of type string"],
    [{ data: [{ ...good, id: "" }] }, "data[0].id", "expected at least 1"],
    [{ data: [{ ...good, id: "x".repeat(1_001) }] }, "data[0].id", "expected at most 1000"],
    [{ data: [{ ...good, id: "a\ud800" }] }, "data[0].id", "expected a value of another type"],
    [{ data: [], included: {} }, "included", "expected a value of type array"],
    [{ data: [], included: [{ id: "1" }] }, "included[0].type", "expected a value of type string"],
    [{ data: [], meta: [] }, "meta", "expected a value of type object"],
    [{ data: [], links: [] }, "links", "expected a value of type object"],
    [
      { data: [], ...paged({ "next-page": "2" }) },
      "meta.pagination.next-page",
      "expected a value of type number",
    ],
    [
      { data: [], ...paged({ "next-page": 1.5 }) },
      "meta.pagination.next-page",
      "expected a value of type int",
    ],
    [{ data: [], ...paged({ "next-page": -1 }) }, "meta.pagination.next-page", "expected at least 0"],
  ];
  for (const [document, at, problem] of refusals) {
    it(`are refused with the place at ${JSON.stringify(document)}`, async () => {
      const error = await new Service(() => document).refusal();
      assert.equal(error.at, at);
      assert.ok(error.message.includes(problem), error.message);
      assert.ok(error.message.includes("GET https://service.example/things"));
    });
  }

  it("bring nothing but contract errors, whatever comes", async () => {
    const documents = fc.record({ data: fc.jsonValue(), included: fc.jsonValue(), links: fc.jsonValue() });
    await fc.assert(
      fc.asyncProperty(documents, async (document) => {
        const service = new Service((number) => (number === 1 ? document : { data: [] }));
        await service.ids().catch((error: unknown) => assert.ok(ContractError.isInstance(error)));
      }),
    );
  });

  it("are documents as requests with identifiers are", () => {
    assert.deepEqual(identifiersDocument("workspaces", ["ws-1", "ws-2", "ws-1"]), {
      data: [
        { type: "workspaces", id: "ws-1" },
        { type: "workspaces", id: "ws-2" },
      ],
    });
  });
});
