import assert from "node:assert/strict";
import { Connection } from "../../sdk/http/connection";
import { ContractError } from "../../sdk/base/errors";
import { HttpTransport } from "../../sdk/http/http-transport";
import { type Listing, mostMegabytes, type Page, readAllPages, readPages } from "../../sdk/http/pagination";
import { path } from "../../sdk/base/path";
import type { Transport } from "../../sdk/http/transport";
import { impatientClock } from "./clock";
import { json, startServer, stopServers, type TestServer } from "./server";

const listing: Listing = {
  operation: {
    summary: "list things",
    method: "GET",
    path: path`/things`,
    query: { q: "x" },
    idempotent: true,
  },
  type: "things",
};

interface Document {
  readonly ids: readonly string[];
  readonly pagination?: Readonly<Record<string, unknown>>;
  readonly more?: Readonly<Record<string, unknown>>;
}

describe("pagination", () => {
  const connections = new Set<Connection>();
  afterEach(() => {
    connections.forEach((connection) => void connection.dispatcher.destroy());
    connections.clear();
    stopServers();
  });

  async function serve(
    page: (number: number, size: number) => Document,
  ): Promise<{ readonly server: TestServer; readonly transport: Transport }> {
    const server = await startServer((response, { url }) => {
      const { searchParams } = new URL(url, "http://service.example");
      const { ids, pagination, more } = page(
        Number(searchParams.get("page[number]")),
        Number(searchParams.get("page[size]")),
      );
      json(response, 200, {
        data: ids.map((id) => ({ id, type: "things" })),
        ...(pagination === undefined ? {} : { meta: { pagination, marker: pagination["current-page"] } }),
        ...more,
      });
    });
    const connection = new Connection({ service: "provisioning", address: server.address }, impatientClock());
    connections.add(connection);
    return { server, transport: new HttpTransport(connection) };
  }

  /** A service with so many things, as the documents describe it. */
  function things(total: number, largest = 100): (number: number, size: number) => Document {
    return (number, size) => {
      const perPage = Math.min(size, largest);
      const pages = Math.max(1, Math.ceil(total / perPage));
      const first = (number - 1) * perPage;
      return {
        ids: Array.from(
          { length: Math.max(0, Math.min(perPage, total - first)) },
          (_, index) => `t-${first + index}`,
        ),
        pagination: {
          "current-page": number,
          "prev-page": number === 1 ? null : number - 1,
          "next-page": number < pages ? number + 1 : null,
          "total-pages": pages,
          "total-count": total,
        },
        more: {
          links: {
            next: number < pages ? `http://127.0.0.1:1/elsewhere?page%5Bnumber%5D=${number + 1}` : null,
          },
        },
      };
    };
  }

  async function ids(transport: Transport): Promise<string[]> {
    return (await readAllPages(transport, listing)).resources.map(({ id }) => id);
  }

  for (const [total, requests] of [
    [0, 1],
    [1, 1],
    [100, 1],
    [101, 2],
    [250, 3],
  ] as const) {
    it(`reads ${total} resources with ${requests} requests`, async () => {
      const { server, transport } = await serve(things(total));
      const found = await ids(transport);
      assert.deepEqual(
        found,
        Array.from({ length: total }, (_, index) => `t-${index}`),
      );
      assert.equal(server.received.length, requests);
      assert.equal(server.received[0]?.url, "/things?q=x&page%5Bnumber%5D=1&page%5Bsize%5D=100");
    });
  }

  it("reads all of them from a service with smaller pages", async () => {
    const { server, transport } = await serve(things(50, 20));
    assert.equal((await ids(transport)).length, 50);
    assert.equal(server.received.length, 3);
  });

  it("asks for the next page only when it is wanted", async () => {
    const { server, transport } = await serve(things(250));
    const pages: Page[] = [];
    for await (const page of readPages(transport, { ...listing, pageSize: 10 })) {
      pages.push(page);
      if (pages.length === 2) {
        break;
      }
    }
    assert.equal(server.received.length, 2);
    assert.deepEqual(
      pages.map(({ complete, resources }) => [complete, resources.length]),
      [
        [false, 10],
        [false, 10],
      ],
    );
  });

  it("treats a list without numbers of pages and without links as one page", async () => {
    for (const links of [undefined, {}, { next: null }, { next: "" }]) {
      const { server, transport } = await serve(() => ({ ids: ["a", "b"], more: { links } }));
      assert.deepEqual(await ids(transport), ["a", "b"]);
      assert.equal(server.received.length, 1);
    }
  });

  const links: readonly [string, (next: number) => unknown][] = [
    ["an absolute URL", (next) => `https://other.example/x?q=x&page%5Bnumber%5D=${next}&page%5Bsize%5D=1`],
    ["a path", (next) => `/things?page[number]=${next}#end`],
    ["an object", (next) => ({ href: `/things?page[number]=${next}`, meta: {} })],
    ["a link that names no number", () => "/things?cursor=abc"],
  ];
  for (const [what, linkTo] of links) {
    const more = (number: number) => ({ links: { next: number < 3 ? linkTo(number + 1) : null } });

    it(`goes on where only links.next names the next page: ${what}`, async () => {
      const { server, transport } = await serve((number) => ({ ids: [`t-${number}`], more: more(number) }));
      assert.deepEqual(await ids(transport), ["t-1", "t-2", "t-3"]);
      assert.ok(server.received.every(({ url }) => url.startsWith("/things?q=x&page%5Bnumber%5D=")));
    });

    it(`goes on where meta.pagination says that there is no next page, but there is ${what}`, async () => {
      const { transport } = await serve((number) => ({
        ids: [`t-${number}`],
        pagination: { "current-page": number, "next-page": null, "total-pages": 1 },
        more: more(number),
      }));
      assert.deepEqual(await ids(transport), ["t-1", "t-2", "t-3"]);
    });
  }

  it("goes on where only meta.pagination names the next page", async () => {
    const { transport } = await serve((number) => ({
      ids: [`t-${number}`],
      pagination: { "current-page": number, "next-page": number < 3 ? number + 1 : null },
      more: { links: { next: null } },
    }));
    assert.deepEqual(await ids(transport), ["t-1", "t-2", "t-3"]);
  });

  it("says whether a list has shown as many resources as it says it has", async () => {
    for (const [total, complete] of [
      [2, true],
      [1, true],
      [3, false],
      [undefined, true],
    ] as const) {
      const { transport } = await serve(() => ({ ids: ["a", "b"], pagination: { "total-count": total } }));
      const pages: Page[] = [];
      for await (const page of readPages(transport, listing)) {
        pages.push(page);
      }
      assert.deepEqual(
        pages.map((page) => page.complete),
        [complete],
      );
    }
  });

  it("uses the number of pages if the next one is not named", async () => {
    const { transport } = await serve((number) => ({
      ids: [`t-${number}`],
      pagination: { "total-pages": 3 },
    }));
    assert.deepEqual(await ids(transport), ["t-1", "t-2", "t-3"]);
  });

  it("leaves out what comes again", async () => {
    const pages = [
      ["a", "b"],
      ["b", "c"],
      ["c", "d"],
    ];
    const { transport } = await serve((number) => ({
      ids: pages[number - 1] ?? [],
      pagination: { "current-page": number, "next-page": number < 3 ? number + 1 : null, "total-count": 4 },
    }));
    assert.deepEqual(await ids(transport), ["a", "b", "c", "d"]);
  });

  it("collects what is included once, and keeps the last meta", async () => {
    const { transport } = await serve((number) => ({
      ids: [`t-${number}`],
      pagination: { "current-page": number, "next-page": number < 2 ? 2 : null },
      more: {
        included: [
          { id: "u-1", type: "users" },
          { id: `u-${number}`, type: "teams" },
        ],
      },
    }));
    const { included, meta } = await readAllPages(transport, listing);
    assert.deepEqual(
      included.map(({ type, id }) => `${type} ${id}`),
      ["users u-1", "teams u-1", "teams u-2"],
    );
    assert.equal(meta.marker, 2);
  });

  const endless: readonly [string, (number: number) => Document, RegExp, number, string?][] = [
    [
      "a link that never ends",
      () => ({ ids: ["a"], more: { links: { next: "/things?page=2" } } }),
      /page 2 has no new items/,
      2,
      "links.next",
    ],
    [
      "the same page again",
      () => ({ ids: ["a"], pagination: { "current-page": 1, "next-page": 2 } }),
      /requested page 2, got page 1/,
      2,
    ],
    [
      "the same page under another number",
      (number) => ({ ids: ["a"], pagination: { "current-page": number, "next-page": number + 1 } }),
      /page 2 has no new items/,
      2,
    ],
    [
      "empty pages",
      (number) => ({ ids: [], pagination: { "current-page": number, "next-page": number + 1 } }),
      /page 1 has no new items/,
      1,
    ],
    [
      "a way back",
      (number) => ({ ids: [`t-${number}`], pagination: { "current-page": number, "next-page": 1 } }),
      /names page 1 as the next page/,
      1,
    ],
    [
      "more than its total",
      (number) => ({
        ids: Array.from({ length: 100 }, (_, index) => `t-${number}-${index}`),
        pagination: { "current-page": number, "next-page": number + 1, "total-count": 150 },
      }),
      /more items than its total count/,
      3,
    ],
    [
      "something new on every page, and no total",
      (number) => ({
        ids: [`t-${number}`],
        pagination: { "current-page": number, "next-page": number + 1 },
      }),
      /more than 1000 pages/,
      1_000,
    ],
  ];
  for (const [name, page, pattern, requests, at = "meta.pagination"] of endless) {
    it(`refuses a list that would never end: ${name}`, async () => {
      const { server, transport } = await serve(page);
      await assert.rejects(ids(transport), (error: unknown) => {
        assert.ok(ContractError.isInstance(error));
        assert.equal(error.at, at);
        assert.match(error.message, pattern);
        return true;
      });
      assert.equal(server.received.length, requests);
    });
  }

  it("refuses a list that brings more than can be held", async () => {
    const { server, transport } = await serve(things(1_000));
    const size = (mostMegabytes / 4) * 1024 * 1024;
    const large: Transport = {
      send: async (operation) => ({ ...(await transport.send(operation)), size }),
      stream: (operation) => transport.stream(operation),
    };
    await assert.rejects(ids(large), /the first 5 pages exceed 256 MB/);
    assert.equal(server.received.length, 5);
  });

  it("refuses numbers that are none", async () => {
    for (const value of ["2", 1.5, -1]) {
      const { transport } = await serve(() => ({ ids: ["a"], pagination: { "next-page": value } }));
      await assert.rejects(ids(transport), (error: unknown) => {
        assert.ok(ContractError.isInstance(error));
        assert.equal(error.at, "meta.pagination.next-page");
        assert.match(error.message, /expected a whole number/);
        return true;
      });
    }
  });
});

describe("pagination without a network", () => {
  /** Answers each request with a document; nothing else of a transport is used. */
  function responding(
    document: (number: number) => object,
    size = 1,
  ): { transport: Transport; asked: number[] } {
    const asked: number[] = [];
    const transport: Transport = {
      send: ({ query }) => {
        const number = Number(query?.["page[number]"]);
        asked.push(number);
        const body = { data: [{ id: `t-${number}`, type: "things" }], ...document(number) };
        const request = "GET https://service.example/things";
        return Promise.resolve({ status: 200, headers: {}, body, size, attempts: 1, request });
      },
      stream: () => assert.fail(),
    };
    return { transport, asked };
  }

  const links: readonly [link: string, next: number][] = [
    ["/things?page[number]=3", 3],
    ["/things?page%5Bnumber%5D=12&page%5Bsize%5D=1", 12],
    ["/things?page[number]=3#?page[number]=4", 3],
    ["/things?page[number]=3?", 3],
    ["/page[number]=3", 2],
    ["/things?page[number]=", 2],
    ["/things?page[number]=0", 2],
    ["/things?page[number]=03", 2],
    ["/things?page[number]=3rd", 2],
    ["/things?page[number]=x3", 2],
    ["/things?page[number]=1234567890", 2],
  ];
  for (const [link, next] of links) {
    it(`asks for page ${next} after the link ${link}`, async () => {
      const { transport, asked } = responding((number) => ({ links: number === 1 ? { next: link } : {} }));
      await readAllPages(transport, listing);
      assert.deepEqual(asked, [1, next]);
    });
  }

  it("reads more than a thousand pages where the service counts pages or resources", async () => {
    for (const total of [{ "total-pages": 1001 }, { "total-count": 1001 }]) {
      const { transport, asked } = responding((number) => ({
        meta: { pagination: { ...total, "next-page": number < 1001 ? number + 1 : null } },
      }));
      assert.equal((await readAllPages(transport, listing)).resources.length, 1001);
      assert.equal(asked.length, 1001);
    }
  });

  it("reads a page more than the total explains, as a list may grow meanwhile", async () => {
    const pages = (more: number) =>
      responding((number) => ({
        meta: { pagination: { "total-count": 2, "next-page": number < 3 + more ? number + 1 : null } },
      })).transport;
    assert.equal((await readAllPages(pages(1), { ...listing, pageSize: 1 })).resources.length, 4);
    await assert.rejects(
      readAllPages(pages(2), { ...listing, pageSize: 1 }),
      /the list has more items than its total count/,
    );
  });

  it("names what promises a page", async () => {
    const back = { meta: { pagination: { "next-page": 1 } } };
    for (const [document, size, at] of [
      [back, 1, "meta.pagination"],
      [{ ...back, links: { next: "/things?page[number]=2" } }, 1, "meta.pagination"],
      [{ links: { next: "/things?page[number]=1" } }, 1, "links.next"],
      [{}, (mostMegabytes + 1) * 1024 * 1024, "meta.pagination"],
    ] as const) {
      await assert.rejects(
        readAllPages(responding(() => document, size).transport, listing),
        (error: unknown) => ContractError.isInstance(error) && error.at === at,
      );
    }
  });
});
