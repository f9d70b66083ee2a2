import assert from "node:assert/strict";
import { combineAreas, type Area } from "../../sdk/testing/area";

describe("several areas as one", () => {
  const counter = <Name extends string>(
    name: Name,
  ): Area<string, Readonly<Record<Name, number>>, Readonly<Record<`add${Name}`, () => void>>> => {
    let count = 0;
    const named = <Key extends string, Value>(key: Key, value: Value) =>
      ({ [key]: value }) as Readonly<Record<Key, Value>>;
    return {
      endpoints: [`/${name}`],
      setup: named(`add${name}`, () => {
        count += 1;
      }),
      inspect: () => named(name, count),
      clear() {
        count = 0;
      },
    };
  };

  it("have the endpoints, the setup and the state of all", () => {
    const both = combineAreas(counter("A"), counter("B"));
    assert.deepEqual(both.endpoints, ["/A", "/B"]);
    both.setup.addA();
    both.setup.addB();
    both.setup.addB();
    assert.deepEqual(both.inspect(), { A: 1, B: 2 });
    both.clear();
    assert.deepEqual(both.inspect(), { A: 0, B: 0 });
  });
});
