import assert from "node:assert/strict";
import { SiblingLists } from "../../sdk/base/sibling-lists";
import { settle } from "../http/clock";

interface Thing {
  readonly id: string;
  readonly name: string;
}

/** A service with one list, whose pages come when a test says so. */
class Service {
  now = 0;
  readonly lists = new SiblingLists(() => this.now);
  readonly things: Map<string, Thing>;
  readonly requests = { alone: 0, lists: 0, pages: 0 };
  /** Pages under way: each ends with what the list has at that moment, or with an error. */
  readonly pending: ((error: Error | undefined) => void)[] = [];

  constructor(
    count: number,
    private readonly pageSize = 100,
  ) {
    const numbers = Array.from({ length: count }, (_, index) => index + 1);
    this.things = new Map(numbers.map((number) => [`t-${number}`, { id: `t-${number}`, name: "old" }]));
  }

  read(number: number): Promise<Thing | undefined> {
    const id = `t-${number}`;
    const alone = () => {
      this.requests.alone += 1;
      return Promise.resolve(this.things.get(id));
    };
    return this.lists.read("things", id, () => this.pages(), alone);
  }

  /** Looks all of them up at once, and lets every page come. */
  async readAll(...numbers: readonly number[]): Promise<(Thing | undefined)[]> {
    const found = numbers.map((number) => this.read(number));
    await settle();
    while (this.pending.length > 0) {
      this.respond();
      await settle();
    }
    return Promise.all(found);
  }

  /** Ends all pages under way. */
  respond(error?: Error): void {
    this.pending.splice(0).forEach((end) => end(error));
  }

  write(number: number, name: string): void {
    this.things.set(`t-${number}`, { id: `t-${number}`, name });
  }

  private async *pages(): AsyncGenerator<{ readonly items: readonly Thing[] }> {
    this.requests.lists += 1;
    for (let start = 0; start === 0 || start < this.things.size; start += this.pageSize) {
      this.requests.pages += 1;
      const error = await new Promise<Error | undefined>((resolve) => this.pending.push(resolve));
      if (error !== undefined) {
        throw error;
      }
      yield { items: [...this.things.values()].slice(start, start + this.pageSize) };
    }
  }
}

type Row = readonly [string, count: number, pageSize: number, looked: number[], alone: number, pages: number];

const rows: readonly Row[] = [
  ["reads two objects individually, and all others in one list", 8, 100, [1, 2, 3, 4, 5, 6, 7, 8], 2, 1],
  ["gives up a list as soon as it has more pages than lookups", 100, 10, [1, 2, 95], 3, 1],
  ["continues while there are as many lookups as pages", 50, 10, [1, 2, 41, 42, 43, 44, 45], 2, 5],
  ["reads individually what the list lacks", 3, 100, [1, 2, 3, 9], 3, 1],
];

describe("SiblingLists", () => {
  for (const [title, count, pageSize, numbers, alone, pages] of rows) {
    it(`the shared list ${title}`, async () => {
      const service = new Service(count, pageSize);
      const expected = numbers.map((number) => service.things.get(`t-${number}`));
      assert.deepEqual(await service.readAll(...numbers), expected);
      assert.deepEqual(service.requests, { alone, lists: 1, pages });
    });
  }

  it("the shared list shares the next read among concurrent calls, but not a read that has begun or failed", async () => {
    const lists = new SiblingLists();
    const pending: ((result: number | PromiseLike<never>) => void)[] = [];
    const load = () => new Promise<number>((resolve) => pending.push(resolve));
    const twice = () => [1, 2].map(() => lists.together("things", load));
    const first = twice();
    await settle();
    const [third = assert.fail(), fourth = assert.fail()] = twice();
    await settle();
    assert.equal(pending.length, 1);
    pending[0]?.(1);
    assert.deepEqual(await Promise.all(first), [1, 1]);
    await settle();
    assert.equal(pending.length, 2);
    pending[1]?.(Promise.reject(new Error("cancelled")));
    await assert.rejects(third, { message: "cancelled" });
    await settle();
    pending[2]?.(3);
    assert.equal(await fourth, 3);
  });

  it("the shared list counts lookups that arrive while it is being read", async () => {
    const service = new Service(30, 10);
    const early = [1, 2, 21].map((number) => service.read(number));
    await settle();
    await service.readAll(22, 23);
    await Promise.all(early);
    assert.deepEqual(service.requests, { alone: 2, lists: 1, pages: 3 });
  });

  it("the shared list serves the pages that were read before a list was abandoned, and does not begin another", async () => {
    const service = new Service(100, 10);
    await service.readAll(1, 2, 95);
    await service.readAll(3, 10, 96, 97, 98, 99);
    assert.deepEqual(service.requests, { alone: 7, lists: 1, pages: 1 });
  });

  it("the shared list serves lookups for ten seconds after the first one, then a new list begins", async () => {
    const service = new Service(3);
    await service.readAll(1, 2, 3);
    service.write(3, "new");
    service.now = 9_999;
    assert.equal((await service.readAll(3))[0]?.name, "old");
    service.now = 10_000;
    assert.equal((await service.readAll(3))[0]?.name, "new");
    await service.readAll(1, 2);
    assert.deepEqual(service.requests, { alone: 4, lists: 2, pages: 2 });
  });

  it("the shared list does not serve an object that this process has written, even if a page is being read", async () => {
    const service = new Service(5);
    const lookups = [1, 2, 4].map((number) => service.read(number));
    await settle();
    service.respond();
    service.write(4, "new");
    service.things.delete("t-5");
    ["t-4", "t-5"].forEach((id) => service.lists.note("things", id));
    assert.equal((await Promise.all(lookups))[2]?.name, "new");
    assert.deepEqual(await service.readAll(4, 5), [{ id: "t-4", name: "new" }, undefined]);
  });

  it("the shared list is replaced by a read of every object when it fails", async () => {
    const service = new Service(5);
    const lookups = [1, 2, 3, 4, 5].map((number) => service.read(number));
    await settle();
    service.respond(new Error("the list is not allowed"));
    assert.deepEqual(await Promise.all(lookups), [...service.things.values()]);
    assert.deepEqual(service.requests, { alone: 5, lists: 1, pages: 1 });
  });

  it("the shared list does not serve pages of a list that failed after its first page", async () => {
    const service = new Service(20, 10);
    const lookups = [1, 2, 3, 4, 15].map((number) => service.read(number));
    await settle();
    service.respond();
    await settle();
    service.respond(new Error("the list has changed"));
    assert.equal((await Promise.all(lookups)).length, 5);
    assert.deepEqual(service.requests, { alone: 5, lists: 1, pages: 2 });
  });

  it("the shared list is not used while it has far more objects than there are lookups", async () => {
    const service = new Service(200, 200);
    await service.readAll(1, 2, 3);
    service.now = 10_000;
    await service.readAll(1, 2, 3, 4);
    assert.deepEqual(service.requests, { alone: 6, lists: 1, pages: 1 });
    await service.readAll(5);
    assert.deepEqual(service.requests, { alone: 6, lists: 2, pages: 2 });
  });

  it("a single later list serves objects that were written in the meantime, and the first one is read alone", async () => {
    const service = new Service(8);
    const numbers = [1, 2, 3, 4, 5, 6, 7, 8];
    const written = (number: number) => {
      service.write(number, "new");
      service.lists.note("things", `t-${number}`);
      return service.read(number);
    };
    const first = numbers.slice(0, 4).map(written);
    await settle();
    // Its list has begun.
    const later = numbers.slice(4).map(written);
    await settle();
    service.respond();
    await settle();
    service.respond();
    assert.ok((await Promise.all([...first, ...later])).every((thing) => thing?.name === "new"));
    assert.deepEqual(service.requests, { alone: 1, lists: 2, pages: 2 });
  });

  it("one or two objects that were written are read alone", async () => {
    const service = new Service(3);
    [1, 2, 3].forEach((number) => service.lists.note("things", `t-${number}`));
    await service.readAll(1);
    await service.readAll(1, 2, 3);
    assert.deepEqual(service.requests, { alone: 4, lists: 0, pages: 0 });
  });
});
