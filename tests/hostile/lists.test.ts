import assert from "node:assert/strict";
import { everything, tried } from "./support/extent";
import { complaintsAbout, secretsOf } from "./support/judge";
import { messageOf, testedCalls, useElsewhere, useServices } from "./support/tested-calls";

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

const another = (document: ListDocument, number: number): Members[] =>
  document.data.map((item, index) => ({ ...item, id: `${String(item.id)}-${number}-${index}` }));

/** A page that leads to another one. @param data default: what the service returned */
const leading =
  (by: number, data?: (document: ListDocument, number: number) => readonly Members[], more: Members = {}) =>
  (document: ListDocument, number: number): unknown => ({
    ...document,
    data: data?.(document, number) ?? document.data,
    meta: { ...document.meta, pagination: { "current-page": number, "next-page": number + by, ...more } },
  });

/** A page that only says how many there are. */
const counting =
  (pagination: Members) =>
  (document: ListDocument): unknown => ({ ...document, meta: { ...document.meta, pagination } });

const aHundredTimes = ({ data }: ListDocument): Members[] =>
  Array.from({ length: 100 }, () => data.slice(0, 1)).flat();

function hostileLists(elsewhere: string): readonly HostileList[] {
  const links = { self: elsewhere, first: elsewhere, next: `${elsewhere}/more`, last: elsewhere };
  const linked = ({ data, meta }: ListDocument): unknown => ({
    ...{ data, links, meta: { "status-counts": meta?.["status-counts"] } },
  });
  const first = counting({ "current-page": 1, "next-page": 2, "total-pages": 2 });
  return [
    { name: "the same page for ever", page: leading(1), requests: 2 },
    { name: "the first page whatever is asked for", page: first, requests: 2 },
    { name: "a billion pages", page: counting({ "total-pages": 1e9, "total-count": 1e11 }), requests: 2 },
    { name: "empty pages for ever", page: leading(1, () => []), requests: 1 },
    { name: "a page that comes before", page: leading(0, undefined, { "next-page": -1 }), requests: 1 },
    { name: "a page between pages", page: leading(0.5), requests: 1 },
    { name: "a page far away", page: leading(1e6), requests: 2 },
    { name: "one thing a hundred times", page: leading(1, aHundredTimes, { "total-count": 1 }), requests: 2 },
    // The number of the page counts, never where the link leads; the next page has nothing new.
    { name: "links to another server", page: linked, requests: 2 },
    { name: "something new on every page", page: leading(1, another), requests: 1_000 },
  ];
}

/** The functions that read lists, and the classes that look into a list before they create anything. */
const readers: readonly string[] = [
  "provisioning.listProjects",
  "provisioning.listNotificationConfigurations",
  "provisioning.listAdminOrganizations",
  "provisioning.listModuleConsumers",
  "provisioning.listProviderConsumers",
  "provisioning:Project",
  "provisioning:NotificationConfiguration",
  "provisioning:ModuleConsumers",
];

describe("lists without end", function () {
  this.timeout(1_800_000);

  const services = useServices();
  const elsewhere = useElsewhere();

  for (const [index, name] of readers.entries()) {
    const tested =
      testedCalls.find((each) => each.name === name && ["create", "call"].includes(each.step)) ??
      assert.fail(name);

    it(`endless lists are refused by ${name} after the fewest possible requests, before it changes anything`, async () => {
      // A thousand requests are made for one list of a function, or for all when everything is tried.
      const lists = hostileLists(elsewhere.address).filter(
        ({ requests }) => everything || requests < 100 || index === 0,
      );
      for (const list of lists) {
        let pages = 0;
        const { outcome, exchanges } = await tested.take(services, {
          alter: ({ method, target, response }) => {
            const number = new URL(target, "http://service.example").searchParams.get("page[number]");
            if (method !== "GET" || number === null || !response.startsWith("{")) {
              return undefined;
            }
            pages += 1;
            const document = JSON.parse(response) as ListDocument;
            return { body: JSON.stringify(list.page(document, Number(number))) };
          },
        });
        tried(name, "lists");
        const what = `${name}, ${list.name}`;
        const message = messageOf(outcome);
        if (message === undefined) {
          // A creation has no need to read on once it knows enough.
          assert.equal(tested.step, "create", `${what}: accepted`);
          continue;
        }
        assert.ok(pages > 0 && pages <= list.requests, `${what}: ${pages} requests`);
        assert.deepEqual(complaintsAbout(message, secretsOf([])), [], what);
        assert.match(message, /meta\.pagination|links\.next/, what);
        const changes = exchanges.filter(({ method }) => method !== "GET");
        assert.deepEqual(changes, [], what);
      }
    });
  }
});
