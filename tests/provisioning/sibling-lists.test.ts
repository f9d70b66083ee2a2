import assert from "node:assert/strict";
import type { Caller } from "../../sdk/base/caller";
import { CancelledError } from "../../sdk/base/errors";
import { SiblingLists } from "../../sdk/provisioning/sibling-lists";
import { settle } from "../http/clock";
import { DrivenList, pagesOf, patientCaller, type Thing, things } from "./driven-list";

describe("SiblingLists", () => {
  let now: number;
  let lists: SiblingLists<Thing>;

  beforeEach(() => {
    now = 0;
    lists = new SiblingLists(() => now);
  });

  function listOf(count: number, pageSize = 100): DrivenList {
    const list = new DrivenList("things", pagesOf(pageSize));
    list.put(...things(count));
    return list;
  }

  const read = (list: DrivenList, id: string): Promise<Thing | undefined> => lists.read(list.placeOf(id), id);
  const find = async (list: DrivenList, name: string, caller?: Caller): Promise<Thing | undefined> => {
    const place = list.placeNamed(name, caller);
    const all = await lists.all(place, async () => [(await place.alone()) ?? []].flat());
    return all.find((thing) => thing.name === name);
  };

  /** Asks, and answers everything. */
  async function responsesTo<Value>(
    list: DrivenList,
    questions: readonly Promise<Value>[],
  ): Promise<Value[]> {
    await list.respondToAll();
    return Promise.all(questions);
  }

  const readMany = (list: DrivenList, ...numbers: readonly number[]): Promise<Thing | undefined>[] =>
    numbers.map((number) => read(list, `t-${number}`));

  describe("when a list is read", () => {
    it("asks for the first two objects alone and takes all others from one list", async () => {
      const list = listOf(8);
      const found = await responsesTo(list, readMany(list, 1, 2, 3, 4, 5, 6, 7, 8));
      assert.deepEqual(found, things(8));
      assert.deepEqual(list.requests, { singles: 2, lists: 1, pages: 1 });
    });

    it("counts questions one after the other as it does those at once", async () => {
      const list = listOf(5);
      for (const number of [1, 2, 3, 4, 5]) {
        await responsesTo(list, readMany(list, number));
      }
      assert.deepEqual(list.requests, { singles: 2, lists: 1, pages: 1 });
    });

    it("counts looking for a name as it does reading by id", async () => {
      const list = listOf(3);
      const found = await responsesTo(list, [read(list, "t-1"), find(list, "name 2"), find(list, "name 3")]);
      assert.deepEqual(found, things(3));
      assert.deepEqual(list.requests, { singles: 2, lists: 1, pages: 1 });
    });

    it("keeps lists apart", async () => {
      const list = listOf(2);
      const other = new DrivenList("other things", pagesOf(100));
      other.put({ id: "t-1", name: "of the other" });
      void Promise.all(readMany(list, 1, 2));
      const ofOther = read(other, "t-1");
      await list.respondToAll();
      await other.respondToAll();
      assert.deepEqual(await ofOther, { id: "t-1", name: "of the other" });
      assert.deepEqual([list.requests.lists, other.requests.lists], [0, 0]);
    });
  });

  describe("how long a list answers", () => {
    it("does so until ten seconds have passed since it was begun, not longer", async () => {
      const list = listOf(4);
      await responsesTo(list, readMany(list, 1, 2, 3));
      list.put({ id: "t-4", name: "renamed by somebody" });
      now = 9_999;
      assert.deepEqual(await responsesTo(list, readMany(list, 4)), [{ id: "t-4", name: "name 4" }]);
      now = 10_000;
      assert.deepEqual(await responsesTo(list, readMany(list, 4)), [
        { id: "t-4", name: "renamed by somebody" },
      ]);
      assert.deepEqual(list.requests, { singles: 3, lists: 1, pages: 1 });
    });

    it("is counted from the list's beginning, not from the first question", async () => {
      const list = listOf(4);
      await responsesTo(list, readMany(list, 1, 2));
      now = 9_000;
      await responsesTo(list, readMany(list, 3));
      now = 18_000;
      await responsesTo(list, readMany(list, 4));
      assert.deepEqual(list.requests, { singles: 2, lists: 1, pages: 1 });
    });

    it("starts again after that: two alone, then another list", async () => {
      const list = listOf(3);
      await responsesTo(list, readMany(list, 1, 2, 3));
      now = 10_000;
      await responsesTo(list, readMany(list, 1, 2, 3));
      assert.deepEqual(list.requests, { singles: 4, lists: 2, pages: 2 });
    });

    it("still answers what was asked in time when its pages come late", async () => {
      const list = listOf(4, 2);
      const early = readMany(list, 1, 2, 3, 4);
      await settle();
      list.singles.splice(0).forEach((pending) => pending.response());
      now = 60_000;
      const late = read(list, "t-1");
      await list.respondToAll();
      assert.deepEqual(await Promise.all(early), things(4));
      assert.deepEqual(await late, things(1)[0]);
      assert.deepEqual(list.requests, { singles: 3, lists: 1, pages: 2 });
    });
  });

  describe("what this process has written", () => {
    /** A list that has answered: two questions were alone, the third began it. */
    async function listed(count: number): Promise<DrivenList> {
      const list = listOf(count);
      await responsesTo(list, readMany(list, 1, 2, 3));
      return list;
    }

    it("is asked for alone, for the list may be older", async () => {
      const list = await listed(4);
      const renamed = { id: "t-4", name: "renamed" };
      list.put(renamed);
      lists.note("things", "t-4", renamed);
      assert.deepEqual(await responsesTo(list, [read(list, "t-4")]), [renamed]);
      assert.equal(list.requests.singles, 3);
    });

    it("is not kept waiting by a list under way, nor counted as a question about it", async () => {
      const list = listOf(9);
      lists.note("things", "t-1", list.things.get("t-1"));
      const before = readMany(list, 1, 1, 1);
      await settle();
      assert.deepEqual(list.requests, { singles: 3, lists: 0, pages: 0 });
      const others = readMany(list, 2, 3, 4);
      lists.note("things", "t-9", list.things.get("t-9"));
      const own = read(list, "t-9");
      await settle();
      list.singles.splice(0).forEach((pending) => pending.response());
      assert.deepEqual(await own, things(9)[8]);
      assert.equal(list.pages.length, 1, "the list is still under way");
      await responsesTo(list, [...before, ...others]);
    });

    it("is not found under its former name, but under its new one", async () => {
      const list = await listed(4);
      const renamed = { id: "t-4", name: "renamed" };
      list.put(renamed);
      lists.note("things", "t-4", renamed);
      const found = await responsesTo(list, [find(list, "name 4"), find(list, "renamed")]);
      assert.deepEqual(found, [undefined, renamed]);
      assert.equal(list.requests.singles, 2, "both were answered without another request");
    });

    it("is not found once it is deleted", async () => {
      const list = await listed(4);
      list.things.delete("t-4");
      lists.note("things", "t-4", undefined);
      const found = await responsesTo(list, [find(list, "name 4"), read(list, "t-4")]);
      assert.deepEqual(found, [undefined, undefined]);
    });

    it("is found when it was made after the list was read", async () => {
      const list = await listed(3);
      const made = { id: "t-9", name: "made" };
      list.put(made);
      lists.note("things", "t-9", made);
      assert.deepEqual(await responsesTo(list, [find(list, "made")]), [made]);
    });

    it("is not answered from a page that was under way when it was written", async () => {
      const list = listOf(4);
      void Promise.all(readMany(list, 1, 2));
      const [byName, byId] = [find(list, "name 4"), read(list, "t-4")];
      await settle();
      // The page is on its way with the former name while the write is answered.
      list.pages.splice(0).forEach((pending) => pending.response());
      lists.note("things", "t-4", { id: "t-4", name: "renamed" });
      list.put({ id: "t-4", name: "renamed" });
      await list.respondToAll();
      assert.deepEqual(await byId, { id: "t-4", name: "renamed" });
      assert.equal(await byName, undefined);
    });

    it("is answered from a later list like everything else", async () => {
      const list = await listed(4);
      lists.note("things", "t-4", list.things.get("t-4"));
      now = 10_000;
      await responsesTo(list, readMany(list, 1, 2, 3, 4));
      assert.deepEqual(list.requests, { singles: 4, lists: 2, pages: 2 });
    });
  });

  describe("when a list costs more than it saves", () => {
    it("is given up as soon as it has more pages than questions", async () => {
      const list = listOf(100, 10);
      const found = await responsesTo(list, readMany(list, 1, 2, 95));
      assert.deepEqual(
        found.map((thing) => thing?.id),
        ["t-1", "t-2", "t-95"],
      );
      assert.deepEqual(list.requests, { singles: 3, lists: 1, pages: 1 });
    });

    it("goes on while there are as many questions as pages", async () => {
      const list = listOf(50, 10);
      await responsesTo(list, readMany(list, 1, 2, 41, 42, 43, 44, 45));
      assert.deepEqual(list.requests, { singles: 2, lists: 1, pages: 5 });
    });

    it("counts questions that come while it is being read", async () => {
      const list = listOf(30, 10);
      const questions = readMany(list, 1, 2, 21);
      await settle();
      questions.push(...readMany(list, 22, 23));
      await responsesTo(list, questions);
      assert.deepEqual(list.requests, { singles: 2, lists: 1, pages: 3 });
    });

    it("still answers for the pages that were read", async () => {
      const list = listOf(100, 10);
      await responsesTo(list, readMany(list, 1, 2, 95));
      await responsesTo(list, readMany(list, 3, 10));
      assert.equal(list.requests.singles, 3);
    });

    it("does not begin another one before its ten seconds are over", async () => {
      const list = listOf(100, 10);
      await responsesTo(list, readMany(list, 1, 2, 95, 96, 97, 98));
      now = 9_999;
      await responsesTo(list, readMany(list, 95, 96, 97));
      assert.equal(list.requests.lists, 1);
    });
  });

  describe("what a list does not prove", () => {
    it("asks for an object that it lacks alone", async () => {
      const list = listOf(3);
      await responsesTo(list, readMany(list, 1, 2, 3));
      list.put({ id: "t-9", name: "made by somebody" });
      const found = await responsesTo(list, [read(list, "t-9"), read(list, "t-10")]);
      assert.deepEqual(found, [{ id: "t-9", name: "made by somebody" }, undefined]);
      assert.equal(list.requests.singles, 4);
    });

    it("trusts it that a name is free, because the service decides", async () => {
      const list = listOf(3);
      await responsesTo(list, readMany(list, 1, 2, 3));
      assert.deepEqual(await responsesTo(list, [find(list, "free")]), [undefined]);
      assert.equal(list.requests.singles, 2);
    });

    it("does not take it from a list that was given up", async () => {
      const list = listOf(100, 10);
      await responsesTo(list, [...readMany(list, 1, 2), find(list, "free")]);
      assert.deepEqual(list.requests, { singles: 3, lists: 1, pages: 1 });
    });

    it("does not take it from pages between which this process has deleted something", async () => {
      const list = listOf(4, 2);
      const questions = [...readMany(list, 1, 2), find(list, "name 3"), find(list, "name 3")];
      await settle();
      list.pages.splice(0).forEach((pending) => pending.response());
      await settle();
      // Now the second page begins with the fourth thing: the third was on none.
      list.things.delete("t-1");
      lists.note("things", "t-1", undefined);
      const found = await responsesTo(list, questions);
      assert.deepEqual(found.slice(2), [things(3)[2], things(3)[2]]);
    });
  });

  describe("when somebody who waits for a list is cancelled", () => {
    const cancellable = () => {
      const controller = new AbortController();
      return { cancel: () => controller.abort(), caller: patientCaller(controller.signal) };
    };
    const readFor = (list: DrivenList, id: string, caller: Caller): Promise<Thing | undefined> =>
      lists.read(list.placeOf(id, caller), id);

    for (const [how, ask] of [
      ["by id", (list: DrivenList, number: number, caller: Caller) => readFor(list, `t-${number}`, caller)],
      ["by name", (list: DrivenList, number: number, caller: Caller) => find(list, `name ${number}`, caller)],
    ] as const) {
      it(`goes on for others who look ${how}, although that one began it`, async () => {
        const list = listOf(4, 2);
        const first = cancellable();
        const alone = readMany(list, 1, 2);
        const began = ask(list, 3, first.caller);
        const other = ask(list, 4, patientCaller());
        await settle();
        first.cancel();
        await assert.rejects(began, CancelledError);
        await list.respondToAll();
        await Promise.all(alone);
        assert.deepEqual(await other, things(4)[3]);
        assert.deepEqual(list.requests, { singles: 2, lists: 1, pages: 2 });
      });

      it(`is given up when all who look ${how} are cancelled, and the next question begins another`, async () => {
        const list = listOf(6, 2);
        const first = cancellable();
        const alone = readMany(list, 1, 2);
        const both = [ask(list, 5, first.caller), ask(list, 6, first.caller)];
        await settle();
        first.cancel();
        for (const one of both) {
          await assert.rejects(one, CancelledError);
        }
        const later = [
          ask(list, 5, patientCaller()),
          ask(list, 6, patientCaller()),
          ask(list, 6, patientCaller()),
        ];
        await responsesTo(list, [...alone, ...later]);
        assert.deepEqual(await Promise.all(later), [things(6)[4], things(6)[5], things(6)[5]]);
        assert.deepEqual(list.requests, { singles: 2, lists: 2, pages: 4 });
      });
    }

    it("is not begun when all who wait for it are cancelled before", async () => {
      const list = listOf(4);
      const alone = readMany(list, 1, 2);
      const current = find(list, "name 3", patientCaller());
      await settle();
      const first = cancellable();
      const next = find(list, "name 4", first.caller);
      first.cancel();
      await assert.rejects(next, CancelledError);
      await responsesTo(list, [...alone, current]);
      assert.equal(list.requests.pages, 1);
    });
  });

  describe("when the list fails", () => {
    it("asks for every object alone", async () => {
      const list = listOf(5);
      const questions = readMany(list, 1, 2, 3, 4, 5);
      await settle();
      list.pages.splice(0).forEach((pending) => pending.fail(new Error("the list is not allowed")));
      assert.deepEqual(await responsesTo(list, questions), things(5));
      assert.deepEqual(list.requests, { singles: 5, lists: 1, pages: 1 });
    });

    it("keeps what was read before the failure", async () => {
      const list = listOf(4, 2);
      const questions = readMany(list, 1, 2, 1, 2, 3, 4);
      await settle();
      list.pages.splice(0).forEach((pending) => pending.response());
      await settle();
      list.pages.splice(0).forEach((pending) => pending.fail(new Error("cut")));
      assert.deepEqual(await responsesTo(list, questions), [...things(2), ...things(4)]);
      assert.equal(list.requests.singles, 4);
    });

    it("passes on why an object could not be asked for alone", async () => {
      const list = listOf(3);
      const failing = readMany(list, 1, 2, 3);
      await settle();
      list.pages.splice(0).forEach((pending) => pending.response());
      list.singles.splice(0).forEach((pending) => pending.fail(new Error("not allowed")));
      const outcomes = await Promise.allSettled(failing);
      assert.deepEqual(
        outcomes.map(({ status }) => status),
        ["rejected", "rejected", "fulfilled"],
      );
    });
  });

  describe("over hours", () => {
    it("forgets lists that nobody asks about, whatever is asked or written elsewhere", () => {
      for (let hour = 0; hour < 24; hour += 1) {
        for (let workspace = 0; workspace < 50; workspace += 1) {
          now += 72_000;
          const name = `workspace ${workspace} of hour ${hour}`;
          if (workspace % 2 === 0) {
            lists.note(name, "t-1", { id: "t-1", name: "written" });
          } else {
            const list = new DrivenList(name, pagesOf(100));
            void lists.read(list.placeOf("t-1"), "t-1");
          }
          assert.equal(lists.size, 1);
        }
      }
    });

    it("does not forget one for being asked about again and again", async () => {
      const list = listOf(3);
      await responsesTo(list, readMany(list, 1));
      now = 6_000;
      lists.note("another", "t-1", undefined);
      await responsesTo(list, readMany(list, 2));
      now = 12_000;
      lists.note("yet another", "t-1", undefined);
      await responsesTo(list, readMany(list, 3));
      assert.deepEqual(list.requests, { singles: 2, lists: 1, pages: 1 });
    });

    it("forgets what was written where only writing goes on", async () => {
      const list = listOf(3);
      for (now = 0; now < 3_600_000; now += 1_000) {
        lists.note("things", `t-${now / 1_000}`, { id: "", name: "" });
      }
      await responsesTo(list, readMany(list, 1, 2, 3));
      assert.deepEqual(list.requests, { singles: 2, lists: 1, pages: 1 });
    });
  });
});
