import assert from "node:assert/strict";
import { secretsDialects } from "../../../sdk/testing/secrets/dialect";
import { MountStates } from "../../../sdk/testing/secrets/mount-states";
import { Mounts } from "../../../sdk/testing/secrets/mounts";

describe("the states of mounts", () => {
  it("are kept for each mount, and begin anew with what is mounted anew", () => {
    const mounts = new Mounts(secretsDialects.documented);
    const states = new MountStates<string[]>(({ path }) => [path]);
    const add = (path: string) => mounts.add({ type: "directory", path, accessor: `accessor-${path}` });
    const one = add("one");
    states.of(one).push("changed");
    assert.deepEqual([states.of(one), states.of(add("two"))], [["one", "changed"], ["two"]]);
    mounts.remove("one");
    assert.deepEqual(states.of(add("one")), ["one"]);
    states.clear();
    assert.deepEqual(states.of(one), ["one"]);
  });
});
