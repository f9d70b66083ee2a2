import assert from "node:assert/strict";
import { nameIn, triedDialects, useServices } from "../support/services";
import { everything, tried } from "./support/extent";
import { complaintsAbout, secretsOf } from "./support/judge";
import { type TestedCall, testedCalls, useElsewhere } from "./support/tested-calls";

type Members = Readonly<Record<string, unknown>>;

/** One page of a list as the emulator gives it. */
interface ListDocument {
  readonly data: readonly Members[];
  readonly meta?: Members;
}

type HostileList = readonly [name: string, page: Page, requests: number];

/** @param number of the page, from 1 */
type Page = (document: ListDocument, number: number) => unknown;

const another = (document: ListDocument, number: number): Members[] =>
  document.data.map((item, index) => ({ ...item, id: `${String(item.id)}-${number}-${index}` }));

/** A page that leads to another one. @param data default: what the service returned */
const leading =
  (by: number, data: typeof another = ({ data: own }) => [...own], more: Members = {}): Page =>
  (document, number) => ({
    ...document,
    data: data(document, number),
    meta: { ...document.meta, pagination: { "current-page": number, "next-page": number + by, ...more } },
  });

/** A page that only says how many there are. */
const counting =
  (pagination: Members): Page =>
  (document) => ({ ...document, meta: { ...document.meta, pagination } });

const aHundredTimes = ({ data }: ListDocument): Members[] =>
  Array.from({ length: 100 }, () => data.slice(0, 1)).flat();

/** Lists that lead on and on, and how many requests find it out at most. */
function hostileLists(elsewhere: string): readonly HostileList[] {
  const links = { self: elsewhere, first: elsewhere, next: `${elsewhere}/more`, last: elsewhere };
  const linked: Page = ({ data, meta }) => {
    return { data, links, meta: { "status-counts": meta?.["status-counts"] } };
  };
  const first = counting({ "current-page": 1, "next-page": 2, "total-pages": 2 });
  return [
    ["the same page forever", leading(1), 2],
    ["the first page whatever is asked for", first, 2],
    ["a billion pages", counting({ "total-pages": 1e9, "total-count": 1e11 }), 2],
    ["empty pages forever", leading(1, () => []), 1],
    ["a page that comes before", leading(0, undefined, { "next-page": -1 }), 1],
    ["a page between pages", leading(0.5), 1],
    ["a page far away", leading(1e6), 2],
    ["one thing a hundred times", leading(1, aHundredTimes, { "total-count": 1 }), 2],
    // The number of the page counts, never where the link leads; the next page has nothing new.
    ["links to another server", linked, 2],
    ["something new on every page", leading(1, another), 1_000],
  ];
}

/** The functions that read lists, and the classes that look into a list before they create anything. */
const consumers = ["ModuleConsumers", "ProviderConsumers"];
const lists = ["Projects", "NotificationConfigurations", "AdminOrganizations", ...consumers];
const classes = ["Project", "NotificationConfiguration", ...consumers];
const readers: readonly TestedCall[] = [
  ...lists.map((name) => `provisioning.list${name}`),
  ...classes.map((name) => `provisioning:${name}`),
].flatMap((name) => {
  const titles = triedDialects.map((dialect) => nameIn(dialect, name));
  return testedCalls.filter((each) => titles.includes(each.name) && ["create", "call"].includes(each.step));
});

describe("lists without end", function () {
  this.timeout(1_800_000);

  const services = useServices();
  const elsewhere = useElsewhere();

  for (const [index, tested] of readers.entries()) {
    const { name } = tested;

    it(`endless lists are rejected by ${name} after the fewest possible requests, before it changes anything`, async () => {
      // A thousand requests are made for one list of a function, or for all when everything is tried.
      const isShort = ([, , requests]: HostileList): boolean => requests <= 100 || index === 0 || everything;
      for (const [list, page, requests] of hostileLists(elsewhere.address).filter(isShort)) {
        let pages = 0;
        const { outcome, exchanges } = await tested.take(services, {
          alter: ({ method, target, response }) => {
            const number = new URL(target, "http://service.example").searchParams.get("page[number]");
            if (method !== "GET" || number === null || !response.startsWith("{")) {
              return undefined;
            }
            pages += 1;
            return { body: JSON.stringify(page(JSON.parse(response) as ListDocument, Number(number))) };
          },
        });
        tried(name, "lists");
        const what = `${name}, ${list}`;
        const { message } = outcome;
        if (message === undefined) {
          // A creation has no need to read on once it knows enough.
          assert.equal(tested.step, "create", `${what}: accepted`);
          continue;
        }
        assert.ok(pages > 0 && pages <= requests, `${what}: ${pages} requests`);
        assert.deepEqual(complaintsAbout(message, secretsOf([])), [], what);
        assert.match(message, /meta\.pagination|links\.next/, what);
        const changes = exchanges.filter(({ method }) => method !== "GET");
        assert.deepEqual(changes, [], what);
      }
    });
  }
});
