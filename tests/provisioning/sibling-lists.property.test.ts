import assert from "node:assert/strict";
import * as fc from "fast-check";
import { SiblingLists } from "../../sdk/provisioning/sibling-lists";
import { settle } from "../http/clock";
import { DrivenList, type Thing } from "./driven-list";

const lifetime = 10_000;
const slots = 6;
const pageSize = 2;
const names = ["red", "green", "blue"];

/** What a thing was from a moment on; `undefined` when it did not exist. */
interface Version {
  readonly name: string | undefined;
  readonly since: number;
}

/** An answer to a write of this process: how many versions there were when the service did it, and when it came. */
interface Heard {
  readonly versions: number;
  readonly at: number;
}

/** A service with one list, this process, and somebody else who writes there too. */
class World {
  now = 0;
  private readonly lists = new SiblingLists<Thing>(() => this.now);
  private readonly history = new Map<string, Version[]>();
  /** For each thing what this process last heard of its own writes. */
  private readonly heard = new Map<string, Heard>();
  private readonly notes: (() => void)[] = [];
  private readonly questions: Promise<void>[] = [];
  private readonly list = new DrivenList("things", (things, number) => ({
    // By place and not by count: what is deleted moves nothing from one page to another.
    items: things.filter(({ id }) => Math.floor(Number(id) / pageSize) === number - 1),
    last: number * pageSize >= slots,
  }));

  constructor() {
    for (let slot = 0; slot < slots; slot += 1) {
      this.history.set(String(slot), []);
      this.become(String(slot), names[slot % names.length]);
    }
  }

  /** Somebody else writes: this process hears nothing of it. */
  change(id: string, name: string | undefined): void {
    this.become(id, name);
  }

  /** This process writes; the service has done it, its answer comes later. */
  write(id: string, name: string | undefined): void {
    this.become(id, name);
    const versions = this.versionsOf(id).length;
    this.notes.push(() => {
      this.lists.note("things", id, name === undefined ? undefined : { id, name });
      this.heard.set(id, { versions, at: this.now });
    });
  }

  hear(): void {
    this.notes.shift()?.();
  }

  read(id: string): void {
    const oldest = this.oldestAllowed(id);
    const question = this.lists.read(this.list.placeOf(id), id).then((thing) => {
      assert.ok(
        this.versionsOf(id).some((version, index) => index >= oldest && version.name === thing?.name),
        `reading ${id} was answered with ${String(thing?.name)}`,
      );
    });
    this.ask(question);
  }

  find(name: string): void {
    // What is looked for is about to be created: nothing older than the question counts, but what this process is
    // still to hear of its own writes may be.
    const oldest = new Map(
      [...this.history.keys()].map((id) => [
        id,
        this.notes.length > 0 ? this.oldestAllowed(id) : this.versionsOf(id).length - 1,
      ]),
    );
    const place = this.list.placeNamed(name);
    const question = this.lists
      .all(place, async () => [(await place.alone()) ?? []].flat())
      .then((all) => {
        const thing = all.find((each) => each.name === name);
        const allowed = (id: string): Version[] => this.versionsOf(id).slice(oldest.get(id));
        if (thing === undefined) {
          const always = [...this.history.keys()].filter((id) => allowed(id).every((v) => v.name === name));
          assert.deepEqual(always, [], `${name} was not found`);
        } else {
          assert.equal(thing.name, name);
          assert.ok(
            allowed(thing.id).some((version) => version.name === name),
            `looking for ${name} was answered with ${thing.id}`,
          );
        }
      });
    this.ask(question);
  }

  respondWithPage(): void {
    this.list.pages.shift()?.response();
  }

  failPage(): void {
    this.list.pages.shift()?.fail(new Error("cut"));
  }

  respondToOne(position: number): void {
    const { singles } = this.list;
    singles.splice(position % Math.max(1, singles.length), 1).forEach((pending) => pending.response());
  }

  /** Everything under way ends, and every answer is judged. */
  async end(): Promise<void> {
    await this.list.respondToAll();
    await Promise.all(this.questions);
  }

  private ask(question: Promise<void>): void {
    this.questions.push(question);
    // It is judged at the end, not where it happens to be answered.
    question.catch(() => undefined);
  }

  private become(id: string, name: string | undefined): void {
    this.versionsOf(id).push({ name, since: this.now });
    if (name === undefined) {
      this.list.things.delete(id);
    } else {
      this.list.put({ id, name });
    }
  }

  /**
   * Nothing older than what this process has heard of its own writes, nor than ten seconds. An answer that was long
   * under way tells of something older, and counts from when it was heard.
   */
  private oldestAllowed(id: string): number {
    const heard = this.heard.get(id);
    const tenSecondsAgo = this.now - lifetime;
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

type Happening = (world: World) => void;

const id = fc.nat(slots - 1).map(String);
const name = fc.constantFrom(...names);
const nameOrNone = fc.option(name, { nil: undefined, freq: 3 });

const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 6,
    arbitrary: id.map(
      (which): Happening =>
        (world) =>
          world.read(which),
    ),
  },
  {
    weight: 3,
    arbitrary: name.map(
      (which): Happening =>
        (world) =>
          world.find(which),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(id, nameOrNone).map(
      (args): Happening =>
        (world) =>
          world.write(...args),
    ),
  },
  { weight: 3, arbitrary: fc.constant<Happening>((world) => world.hear()) },
  {
    weight: 1,
    arbitrary: fc.tuple(id, nameOrNone).map(
      (args): Happening =>
        (world) =>
          world.change(...args),
    ),
  },
  { weight: 4, arbitrary: fc.constant<Happening>((world) => world.respondWithPage()) },
  { weight: 1, arbitrary: fc.constant<Happening>((world) => world.failPage()) },
  {
    weight: 4,
    arbitrary: fc.nat(8).map(
      (position): Happening =>
        (world) =>
          world.respondToOne(position),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 1, max: 11_000 }).map((time): Happening => (world) => {
      world.now += time;
    }),
  },
);

describe("SiblingLists, whatever happens in whatever order", () => {
  it("answer nothing older than what this process has written, nor than ten seconds", async function () {
    this.timeout(60_000);
    const history = fc.array(fc.tuple(happening, fc.boolean()), { maxLength: 60, size: "max" });
    await fc.assert(
      fc.asyncProperty(history, async (happenings) => {
        const world = new World();
        for (const [happen, waits] of happenings) {
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
