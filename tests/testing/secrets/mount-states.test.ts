import assert from "node:assert/strict";
import { MountStates } from "../../../sdk/testing/secrets/mount-states";
import { Mounts } from "../../../sdk/testing/secrets/mounts";

describe("the states of mounts", () => {
  it("are kept for each mount, and start again with a new mount", () => {
    const mounts = new Mounts("documented");
    const states = new MountStates(mounts, "directory", (): string[] => []);
    const one = mounts.add({ type: "directory", path: "one" });
    const items = () => states.inspect((state) => state.map((text) => ({ text })));
    states.of(one).push("changed");
    states.at().push("usual");
    assert.equal(states.at("one"), states.of(one));
    assert.deepEqual(items(), [
      { mount: "ldap", text: "usual" },
      { mount: "one", text: "changed" },
    ]);
    mounts.remove("one");
    assert.throws(() => states.at("one"), /no directory engine at "one"/);
    assert.deepEqual(states.of(mounts.add({ type: "directory", path: "one" })), []);
    mounts.clear();
    assert.deepEqual(items(), []);
  });
});
