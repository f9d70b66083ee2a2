import assert from "node:assert/strict";
import { noRunOptions, runInput, takeRunOptions } from "../../sdk/resource/run-options";

describe("run options", () => {
  const inherited = [{ at: "https://tfe.example", memory: { was: "a" }, managed: ["isDisabled"] }];

  it("are no input where there are none", () => {
    assert.equal(runInput(noRunOptions), undefined);
  });

  const options = [
    { ...noRunOptions, ignored: ["name"] },
    { ...noRunOptions, followsProvider: true },
    { ...noRunOptions, inherited },
    { ignored: ["name", "tags"], followsProvider: true, inherited },
  ];
  for (const said of options) {
    it(`come out as they went in: ${JSON.stringify(said)}`, () => {
      const __run = runInput(said) ?? assert.fail();
      assert.deepEqual(takeRunOptions({ name: "a", __run }), { inputs: { name: "a" }, run: said });
    });
  }

  it("say only what is unusual", () => {
    assert.deepEqual(runInput({ ...noRunOptions, ignored: ["name"] }), { ignored: ["name"] });
    assert.deepEqual(runInput({ ...noRunOptions, followsProvider: true }), { followsProvider: true });
    assert.deepEqual(runInput({ ...noRunOptions, inherited }), { inherited });
  });

  it("are the usual ones where the program said nothing", () => {
    assert.deepEqual(takeRunOptions({ name: "a" }), { inputs: { name: "a" }, run: noRunOptions });
    assert.deepEqual(takeRunOptions({ __run: "x" }).run, {
      ignored: [],
      followsProvider: false,
      inherited: [],
    });
  });
});
