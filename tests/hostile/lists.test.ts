import assert from "node:assert/strict";
import { resourceCases } from "../cases";
import { inClear } from "../support/values";
import { startServer, stopServers, type TestServer } from "../http/server";
import { everything, tried } from "./support/extent";
import type { Alteration } from "../support/proxy";
import { callFunction, definitions, functionCases, newScene } from "./support/functions";
import { complaintsAbout, secretsOf } from "./support/judge";
import { newStage, outcomeOf, World } from "./support/world";

type Members = Readonly<Record<string, unknown>>;

/** One page of a list as the emulator gives it. */
interface ListDocument {
  readonly data: readonly Members[];
  readonly meta?: Members;
}

/** A list that leads on and on. */
interface HostileList {
  readonly name: string;
  /** @param number of the page, from 1 */
  readonly page: (document: ListDocument, number: number) => unknown;
  /** How many requests find it out at most. */
  readonly requests: number;
}

const paged = (document: ListDocument, pagination: Members, data = document.data): unknown => ({
  ...document,
  data,
  meta: { ...document.meta, pagination },
});

const another = (document: ListDocument, number: number): Members[] =>
  document.data.map((item, index) => ({ ...item, id: `${String(item.id)}-${number}-${index}` }));

function hostileLists(elsewhere: string): readonly HostileList[] {
  return [
    {
      name: "the same page for ever",
      page: (document, number) => paged(document, { "current-page": number, "next-page": number + 1 }),
      requests: 2,
    },
    {
      name: "the first page whatever is asked for",
      page: (document) => paged(document, { "current-page": 1, "next-page": 2, "total-pages": 2 }),
      requests: 2,
    },
    {
      name: "a billion pages",
      page: (document) => paged(document, { "total-pages": 1e9, "total-count": 1e11 }),
      requests: 2,
    },
    {
      name: "empty pages for ever",
      page: (document, number) => paged(document, { "current-page": number, "next-page": number + 1 }, []),
      requests: 1,
    },
    {
      name: "a page that comes before",
      page: (document, number) => paged(document, { "current-page": number, "next-page": -1 }),
      requests: 1,
    },
    {
      name: "a page between pages",
      page: (document, number) => paged(document, { "current-page": number, "next-page": number + 0.5 }),
      requests: 1,
    },
    {
      name: "a page far away",
      page: (document, number) => paged(document, { "current-page": number, "next-page": number + 1e6 }),
      requests: 2,
    },
    {
      name: "one thing a hundred times",
      page: (document, number) =>
        paged(
          document,
          { "current-page": number, "next-page": number + 1, "total-count": 1 },
          Array.from({ length: 100 }, () => document.data.slice(0, 1)).flat(),
        ),
      requests: 2,
    },
    {
      name: "links to another server",
      page: (document) => ({
        data: document.data,
        meta: { "status-counts": document.meta?.["status-counts"] },
        links: { self: elsewhere, first: elsewhere, next: `${elsewhere}/more`, last: elsewhere },
      }),
      // The number of the page counts, never where the link leads; the next page brings nothing new.
      requests: 2,
    },
    {
      name: "something new on every page",
      page: (document, number) =>
        paged(document, { "current-page": number, "next-page": number + 1 }, another(document, number)),
      requests: 1_000,
    },
  ];
}

/** The functions that read lists. */
const lists: readonly string[] = [
  "provisioning.listProjects",
  "provisioning.listNotificationConfigurations",
  "provisioning.listAdminOrganizations",
  "provisioning.listModuleConsumers",
  "provisioning.listProviderConsumers",
];

/** The resources that look into a list before they create anything. */
const seekers: readonly string[] = [
  "provisioning:Project",
  "provisioning:NotificationConfiguration",
  "provisioning:ModuleConsumers",
];

describe("lists without end", function () {
  this.timeout(1_800_000);

  let world: World;
  let elsewhere: TestServer;
  let restore: () => void;

  before(async () => {
    world = await World.start();
    elsewhere = await startServer((response) => response.end("{}"));
    restore = world.useForFunctions();
  });
  afterEach(() => {
    assert.deepEqual(elsewhere.received, [], "a link was followed");
  });
  after(async () => {
    restore();
    stopServers();
    await world.close();
  });

  /** Puts a list in the place of each, and notes how many pages of it were asked for. */
  const altering = ({ page }: HostileList): { readonly alter: Alteration; pages: number } => {
    const state: { readonly alter: Alteration; pages: number } = {
      pages: 0,
      alter: ({ method, target, response }) => {
        const number = new URL(target, "http://service.example").searchParams.get("page[number]");
        if (method !== "GET" || number === null || !response.startsWith("{")) {
          return undefined;
        }
        const document = JSON.parse(response) as ListDocument;
        state.pages += 1;
        return { body: JSON.stringify(page(document, Number(number))) };
      },
    };
    return state;
  };

  const judge = (list: HostileList, pages: number, message: string | undefined, what: string): void => {
    assert.ok(pages <= list.requests, `${what}: ${pages} requests`);
    assert.ok(message !== undefined, `${what}: accepted`);
    assert.deepEqual(complaintsAbout(message, secretsOf([])), [], what);
    assert.match(message, /meta\.pagination|links\.next/, what);
  };

  const shown = (): readonly HostileList[] => hostileLists(elsewhere.address);
  // A thousand requests are made for one list of each kind, or for all when everything is tried.
  const isTried = ({ requests }: HostileList, index: number): boolean =>
    everything || requests < 100 || index === 0;

  for (const [index, name] of lists.entries()) {
    it(`are refused by ${name} after the fewest possible requests`, async () => {
      for (const list of shown().filter((each) => isTried(each, index))) {
        const scene = await newScene(world.emulator, functionCases[name]?.extras);
        const { valid } = functionCases[name] ?? assert.fail(name);
        const state = altering(list);
        world.front.clear();
        world.front.after = state.alter;
        const message = await callFunction(name, scene, valid(scene)).then(
          () => undefined,
          (error: unknown) => (error instanceof Error ? error.message : String(error)),
        );
        tried(name, "lists");
        assert.ok(state.pages > 0, name);
        judge(list, state.pages, message, `${name}, ${list.name}`);
      }
    });
  }

  for (const type of seekers) {
    it(`are refused by ${type} before it creates anything`, async () => {
      for (const list of shown().filter((each) => isTried(each, 1))) {
        const resourceCase = resourceCases.get(type) ?? assert.fail(type);
        const { valid } = await newStage(world.emulator, world.receiver, resourceCase);
        const hooks = world.hooksOf(definitions.get(type) ?? assert.fail(type));
        const { inputs } = await hooks.check({}, valid as Parameters<typeof hooks.check>[1]);
        const state = altering(list);
        world.front.clear();
        world.front.after = state.alter;
        const outcome = await outcomeOf(hooks.create(inClear(inputs)));
        tried(type, "lists");
        if (outcome.kind !== "failed") {
          continue;
        }
        const what = `${type}, ${list.name}`;
        judge(list, state.pages, outcome.error.message, what);
        const changes = world.front.exchanges.filter(({ method }) => method !== "GET");
        assert.deepEqual(changes, [], what);
      }
    });
  }
});
