import assert from "node:assert/strict";
import { CleanUp } from "./clean-up";

describe("a clean-up", () => {
  it("takes away the last first, goes on after a failure, and names what stays", async () => {
    const taken: string[] = [];
    const cleanUp = new CleanUp();
    cleanUp.add("one", () => Promise.resolve(taken.push("one")));
    cleanUp.add("two", () => Promise.reject(new Error("it is locked")));
    cleanUp.add("three", () => Promise.resolve(taken.push("three")));
    await assert.rejects(cleanUp.run(), /has to be by hand:\ntwo: it is locked$/);
    assert.deepEqual(taken, ["three", "one"]);
    await cleanUp.run();
    assert.deepEqual(taken, ["three", "one"]);
  });
});
