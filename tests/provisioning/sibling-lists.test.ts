import assert from "node:assert/strict";
import * as fc from "fast-check";
import type { Caller } from "../../sdk/base/caller";
import { CancelledError } from "../../sdk/base/errors";
import { SiblingLists } from "../../sdk/provisioning/sibling-lists";
import { settle } from "../http/clock";

/** An object of a list. */
interface Thing {
  readonly id: string;
  readonly name: string;
}

/** A request whose response a test gives when it likes. */
interface Pending {
  respond(): void;
  fail(error: Error): void;
}

/** So many things, numbered from 1. */
const things = (count: number): Thing[] =>
  Array.from({ length: count }, (_, index) => ({ id: `t-${index + 1}`, name: `name ${index + 1}` }));

const callerWith = (signal = new AbortController().signal): Caller => ({
  signal,
  progress: () => undefined,
  announce: () => undefined,
});

/** A service with one list, whose responses come when a test says so, and this process. */
class Service {
  now = 0;
  readonly lists = new SiblingLists<Thing>(() => this.now);
  readonly things = new Map<string, Thing>();
  /** Requests under way, oldest first. */
  readonly pages: Pending[] = [];
  readonly singles: Pending[] = [];
  /** Requests made so far. */
  readonly requests = { pages: 0, lists: 0, singles: 0 };

  /** @param page the things on a page, when its response is made */
  constructor(
    private readonly page: (things: readonly Thing[], number: number) => readonly Thing[],
    private readonly lastPage: (things: readonly Thing[]) => number,
  ) {}

  put(...some: readonly Thing[]): void {
    some.forEach((thing) => this.things.set(thing.id, thing));
  }

  read(id: string, caller = callerWith()): Promise<Thing | undefined> {
    const place = {
      list: "things",
      caller,
      pages: (reader: Caller) => this.list(reader),
      alone: () => {
        this.requests.singles += 1;
        return this.pending(this.singles, () => this.things.get(id));
      },
    };
    return this.lists.read(place, id);
  }

  all(caller = callerWith()): Promise<readonly Thing[]> {
    return this.lists.all("things", caller, async (reader) => {
      const all: Thing[] = [];
      for await (const { items } of this.list(reader)) {
        all.push(...items);
      }
      return all;
    });
  }

  /** Responds to what is under way until there is nothing. */
  async respondToAll(): Promise<void> {
    await settle();
    while (this.pages.length + this.singles.length > 0) {
      [...this.pages.splice(0), ...this.singles.splice(0)].forEach((pending) => pending.respond());
      await settle();
    }
  }

  /** Asks, and responds to everything. */
  async readAll(...numbers: readonly number[]): Promise<(Thing | undefined)[]> {
    const questions = numbers.map((number) => this.read(`t-${number}`));
    await this.respondToAll();
    return Promise.all(questions);
  }

  private async *list({ signal }: Caller): AsyncGenerator<{ readonly items: readonly Thing[] }> {
    this.requests.lists += 1;
    const current = (): Thing[] => [...this.things.values()];
    for (let number = 1; number === 1 || number <= this.lastPage(current()); number += 1) {
      signal.throwIfAborted();
      this.requests.pages += 1;
      yield { items: await this.pending(this.pages, () => this.page(current(), number)) };
    }
  }

  /** What a response says is true when it is made. */
  private pending<Value>(queue: Pending[], value: () => Value): Promise<Value> {
    return new Promise((resolve, reject) => {
      queue.push({ respond: () => resolve(value()), fail: reject });
    });
  }
}

function serviceWith(count: number, pageSize = 100): Service {
  const service = new Service(
    (all, number) => all.slice((number - 1) * pageSize, number * pageSize),
    (all) => Math.ceil(all.length / pageSize),
  );
  service.put(...things(count));
  return service;
}

describe("SiblingLists", () => {
  const rows: readonly [
    title: string,
    count: number,
    pageSize: number,
    questions: readonly number[],
    requests: Service["requests"],
  ][] = [
    [
      "reads the first two objects alone, and all others in one list",
      8,
      100,
      [1, 2, 3, 4, 5, 6, 7, 8],
      { singles: 2, lists: 1, pages: 1 },
    ],
    [
      "gives up a list as soon as it has more pages than questions",
      100,
      10,
      [1, 2, 95],
      { singles: 3, lists: 1, pages: 1 },
    ],
    [
      "reads a list on while there are as many questions as pages",
      50,
      10,
      [1, 2, 41, 42, 43, 44, 45],
      { singles: 2, lists: 1, pages: 5 },
    ],
    ["reads what the list lacks alone", 3, 100, [1, 2, 3, 9], { singles: 3, lists: 1, pages: 1 }],
  ];
  for (const [title, count, pageSize, questions, requests] of rows) {
    it(title, async () => {
      const service = serviceWith(count, pageSize);
      const found = await service.readAll(...questions);
      assert.deepEqual(
        found,
        questions.map((number) => service.things.get(`t-${number}`)),
      );
      assert.deepEqual(service.requests, requests);
    });
  }

  it("counts questions that come while the list is being read", async () => {
    const service = serviceWith(30, 10);
    const early = [1, 2, 21].map((number) => service.read(`t-${number}`));
    await settle();
    await service.readAll(22, 23);
    await Promise.all(early);
    assert.deepEqual(service.requests, { singles: 2, lists: 1, pages: 3 });
  });

  it("answers for the pages that were read before a list was given up, and begins no other", async () => {
    const service = serviceWith(100, 10);
    await service.readAll(1, 2, 95);
    await service.readAll(3, 10, 96, 97, 98, 99);
    assert.deepEqual(service.requests, { singles: 7, lists: 1, pages: 1 });
  });

  it("answers until ten seconds after the first question, and starts again then", async () => {
    const service = serviceWith(3);
    await service.readAll(1, 2, 3);
    service.put({ id: "t-3", name: "renamed by somebody" });
    service.now = 9_999;
    assert.deepEqual(await service.readAll(3), [{ id: "t-3", name: "name 3" }]);
    service.now = 10_000;
    assert.deepEqual(await service.readAll(3), [{ id: "t-3", name: "renamed by somebody" }]);
    await service.readAll(1, 2);
    assert.deepEqual(service.requests, { singles: 4, lists: 2, pages: 2 });
  });

  it("does not answer what this process has written, not even from a page under way", async () => {
    const service = serviceWith(5);
    const questions = [1, 2, 4].map((number) => service.read(`t-${number}`));
    await settle();
    service.pages.splice(0).forEach((pending) => pending.respond());
    service.put({ id: "t-4", name: "renamed" });
    service.lists.note("things", "t-4");
    service.things.delete("t-5");
    service.lists.note("things", "t-5");
    await service.respondToAll();
    assert.deepEqual((await Promise.all(questions))[2], { id: "t-4", name: "renamed" });
    assert.deepEqual(await service.readAll(4, 5), [{ id: "t-4", name: "renamed" }, undefined]);
  });

  it("reads every object alone when the list fails", async () => {
    const service = serviceWith(5);
    const questions = things(5).map(({ id }) => service.read(id));
    await settle();
    service.pages.splice(0).forEach((pending) => pending.fail(new Error("the list is not allowed")));
    await service.respondToAll();
    assert.deepEqual(await Promise.all(questions), things(5));
    assert.deepEqual(service.requests, { singles: 5, lists: 1, pages: 1 });
  });

  it("passes on the failure of a single request, and of a list that was asked for", async () => {
    const service = serviceWith(1);
    const [alone, all] = [service.read("t-1"), service.all()];
    await settle();
    [...service.singles.splice(0), ...service.pages.splice(0)].forEach((pending) =>
      pending.fail(new Error("refused")),
    );
    await assert.rejects(alone, /refused/);
    await assert.rejects(all, /refused/);
    const again = service.all();
    await service.respondToAll();
    assert.deepEqual(await again, things(1));
  });

  it("lists all in a list that begins after the question, which those share who ask meanwhile", async () => {
    const service = serviceWith(1);
    const first = service.all();
    await settle();
    const [second, third] = [service.all(), service.all()];
    service.pages.splice(0).forEach((pending) => pending.respond());
    service.put({ id: "t-2", name: "made by somebody" });
    await service.respondToAll();
    assert.deepEqual(await first, things(1));
    assert.deepEqual([(await second).length, (await third).length], [2, 2]);
    assert.equal(service.requests.lists, 2);
  });

  const ways: readonly [string, (service: Service, caller?: Caller) => Promise<unknown>][] = [
    ["one object", (service, caller) => service.read("t-3", caller)],
    ["all objects", (service, caller) => service.all(caller)],
  ];
  for (const [what, ask] of ways) {
    const begun = async () => {
      const service = serviceWith(4, 2);
      const alone = [service.read("t-1"), service.read("t-2")];
      const controller = new AbortController();
      const began = ask(service, callerWith(controller.signal));
      await settle();
      const cancel = async (): Promise<void> => {
        controller.abort();
        await assert.rejects(began, CancelledError);
      };
      return { service, alone, cancel, caller: callerWith(controller.signal) };
    };

    it(`goes on for others who ask for ${what} when the one who began the list is cancelled`, async () => {
      const { service, alone, cancel } = await begun();
      const other = ask(service);
      await cancel();
      await service.respondToAll();
      await Promise.all([...alone, other]);
      assert.ok(service.requests.lists <= 2 && service.requests.singles === 2);
    });

    it(`answers later questions for ${what} when all who waited for the list are cancelled`, async () => {
      const { service, alone, cancel, caller } = await begun();
      const next = ask(service, caller);
      await cancel();
      await assert.rejects(next, CancelledError);
      const later = ask(service);
      await service.respondToAll();
      await Promise.all(alone);
      assert.ok(await later);
    });
  }
});

const slots = 6;
const pageSize = 2;
const lifetime = 10_000;
const names = ["red", "green", "blue"];

/** A name that a thing had from a moment on; `undefined` when it did not exist. */
interface Version {
  readonly name: string | undefined;
  readonly since: number;
}

/** A service where this process and somebody else write. */
class World {
  // By place and not by count: what is deleted moves nothing from one page to another.
  private readonly service = new Service(
    (all, number) => all.filter(({ id }) => Math.floor(Number(id) / pageSize) === number - 1),
    () => slots / pageSize,
  );
  private readonly history = new Map<string, Version[]>();
  /** How many versions there were when the service did the last write whose response has come, and when that was. */
  private readonly heard = new Map<string, { readonly versions: number; readonly at: number }>();
  private readonly notes: (() => void)[] = [];
  private readonly questions: Promise<void>[] = [];

  constructor() {
    for (let slot = 0; slot < slots; slot += 1) {
      this.history.set(String(slot), []);
      this.change(String(slot), names[slot % names.length]);
    }
  }

  /** Somebody else writes: this process hears nothing of it. */
  change(id: string, name: string | undefined): void {
    this.versionsOf(id).push({ name, since: this.service.now });
    if (name === undefined) {
      this.service.things.delete(id);
    } else {
      this.service.put({ id, name });
    }
  }

  /** This process writes; the service has done it, its response comes later. */
  write(id: string, name: string | undefined): void {
    this.change(id, name);
    const versions = this.versionsOf(id).length;
    this.notes.push(() => {
      this.service.lists.note("things", id);
      this.heard.set(id, { versions, at: this.service.now });
    });
  }

  hear(): void {
    this.notes.shift()?.();
  }

  read(id: string): void {
    const oldest = this.oldestAllowed(id);
    this.ask(this.service.read(id).then((thing) => this.judge(id, thing, oldest)));
  }

  /** What is looked for is about to be created: nothing older than the question counts. */
  list(): void {
    const oldest = new Map([...this.history].map(([id, versions]) => [id, versions.length - 1]));
    const judge = (all: readonly Thing[]): void =>
      oldest.forEach((since, id) =>
        this.judge(
          id,
          all.find((thing) => thing.id === id),
          since,
        ),
      );
    this.ask(this.service.all().then(judge, (error: unknown) => assert.match(String(error), /cut/)));
  }

  respondWithPage(): void {
    this.service.pages.shift()?.respond();
  }

  failPage(): void {
    this.service.pages.shift()?.fail(new Error("cut"));
  }

  respondToOne(position: number): void {
    const { singles } = this.service;
    singles.splice(position % Math.max(1, singles.length), 1).forEach((pending) => pending.respond());
  }

  pass(milliseconds: number): void {
    this.service.now += milliseconds;
  }

  /** Everything under way ends, and every response is judged. */
  async end(): Promise<void> {
    await this.service.respondToAll();
    await Promise.all(this.questions);
  }

  private ask(question: Promise<void>): void {
    this.questions.push(question);
    // It is judged at the end, not where its response happens to come.
    question.catch(() => undefined);
  }

  private judge(id: string, thing: Thing | undefined, oldest: number): void {
    const allowed = this.versionsOf(id).slice(oldest);
    assert.ok(
      allowed.some(({ name }) => name === thing?.name),
      `${id} was said to be ${String(thing?.name)}`,
    );
  }

  /** Nothing older than what this process has heard of its own writes, nor than ten seconds. */
  private oldestAllowed(id: string): number {
    const heard = this.heard.get(id);
    const tenSecondsAgo = this.service.now - lifetime;
    if (heard !== undefined && heard.at > tenSecondsAgo) {
      return heard.versions - 1;
    }
    const since = this.versionsOf(id).findLastIndex((version) => version.since <= tenSecondsAgo);
    return Math.max(0, since, (heard?.versions ?? 0) - 1);
  }

  private versionsOf(id: string): Version[] {
    return this.history.get(id) ?? assert.fail(`there is no place ${id}`);
  }
}

const id = fc.nat(slots - 1).map(String);
const write = fc.tuple(id, fc.option(fc.constantFrom(...names), { nil: undefined, freq: 3 }));
const happenings: readonly [weight: number, fc.Arbitrary<(world: World) => void>][] = [
  [6, id.map((which) => (world) => world.read(which))],
  [3, fc.constant((world) => world.list())],
  [3, write.map((args) => (world) => world.write(...args))],
  [3, fc.constant((world) => world.hear())],
  [1, write.map((args) => (world) => world.change(...args))],
  [4, fc.constant((world) => world.respondWithPage())],
  [1, fc.constant((world) => world.failPage())],
  [4, fc.nat(8).map((position) => (world) => world.respondToOne(position))],
  [1, fc.integer({ min: 1, max: 11_000 }).map((time) => (world) => world.pass(time))],
];

describe("SiblingLists, whatever happens in whatever order", () => {
  it("answer nothing older than what this process has written, nor than ten seconds", async function () {
    this.timeout(60_000);
    const happening = fc.oneof(...happenings.map(([weight, arbitrary]) => ({ weight, arbitrary })));
    const history = fc.array(fc.tuple(happening, fc.boolean()), { maxLength: 60, size: "max" });
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        const world = new World();
        for (const [happen, waits] of steps) {
          happen(world);
          if (waits) {
            await settle();
          }
        }
        await world.end();
      }),
      { numRuns: 600 },
    );
  });
});
