import assert from "node:assert/strict";
import { definitionIn } from "../../sdk/resource/definition";
import { allDialects, updateOf } from "../cases/support/case";
import { definitions, isAdopting, triedCases, useServices } from "./services";

describe("the cases of the suites that try everything", () => {
  const services = useServices();

  for (const [type, definition] of definitions) {
    for (const dialect of allDialects) {
      const cases = triedCases.filter((each) => each.type === type && each.dialect === dialect);

      it(`the cases of ${type} set each argument of the ${dialect} dialect in a valid program, and change it in an update`, async () => {
        const given = new Set<string>();
        for (const tried of cases) {
          const { valid, change } = await services.prepareAlone(tried);
          Object.keys(valid).forEach((name) => given.add(name));
          assert.equal(change === undefined, updateOf(tried) === undefined);
          const differs = Object.entries(change ?? { one: 1 }).some(
            ([name, value]) => JSON.stringify(valid[name]) !== JSON.stringify(value),
          );
          assert.ok(differs, `the update of ${tried.name} changes nothing`);
        }
        const known = cases.length === 0 ? [] : Object.keys(definitionIn(definition, dialect).arguments);
        const leftOut = cases.flatMap(({ withoutWaiting = {} }) => Object.keys(withoutWaiting));
        assert.deepEqual(
          known.filter((name) => !given.has(name) && !leftOut.includes(name)),
          [],
        );
      });
    }
  }

  it("a case that adopts has a name that shows it", () => {
    assert.ok(triedCases.some(isAdopting));
  });
});
