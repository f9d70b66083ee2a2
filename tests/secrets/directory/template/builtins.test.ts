import assert from "node:assert/strict";
import { type Argument, callChecks } from "../../../../sdk/secrets/directory/template/builtins";
import { templateFunctions } from "../../../../sdk/secrets/directory/template/functions";
import type { Value, ValueType } from "../../../../sdk/secrets/directory/template/value";

const text: Value = { type: "text" };
const integer = (literal: number): Value => ({ type: "integer", literal });
const is = (type: ValueType): Value => ({ type });

/** What a call results in, and the places (numbers of arguments) at which something is said. */
function call(name: string, ...values: readonly Value[]): { type: ValueType | undefined; said: string[] } {
  const said: string[] = [];
  const given: Argument[] = values.map((value, offset) => ({ ...value, offset, source: `\`${offset}\`` }));
  const type = callChecks.get(name)?.({
    name,
    offset: -1,
    given,
    error: (offset) => said.push(`error ${offset}`),
    warning: (offset) => said.push(`warning ${offset}`),
  });
  return { type, said };
}

describe("callChecks", () => {
  it("are of functions that exist", () => {
    for (const name of callChecks.keys()) {
      assert.ok(templateFunctions.has(name), name);
    }
  });

  const accepted: readonly [string, readonly Value[], ValueType | undefined][] = [
    ["and", [text, text], "text"],
    ["or", [text, integer(1)], "unknown"],
    ["len", [text], undefined],
    ["len", [is("unknown")], undefined],
    ["index", [text], "text"],
    ["index", [text, integer(0)], "byte"],
    ["index", [is("unknown"), is("unknown"), integer(0)], "unknown"],
    ["slice", [text], "text"],
    ["slice", [text, integer(1), integer(1)], "text"],
    ["slice", [text, is("byte"), is("seconds")], "text"],
    ["eq", [text, text, text], undefined],
    ["eq", [integer(1), is("byte"), is("seconds")], undefined],
    ["eq", [text, is("nothing")], undefined],
    ["ne", [is("fields"), is("fields")], undefined],
    ["lt", [text, text], undefined],
    ["ge", [is("decimal"), is("unknown")], undefined],
    ["printf", [{ type: "text", literal: "%s" }, text], undefined],
    ["printf", [text, text], undefined],
    ["timestamp", [{ type: "text", literal: "2006" }], undefined],
    ["timestamp", [{ type: "text", literal: "Jan" }], undefined],
    ["timestamp", [text], undefined],
  ];
  for (const [name, values, type] of accepted) {
    it(`accept ${name} of ${JSON.stringify(values)}`, () => {
      assert.deepEqual(call(name, ...values), { type, said: [] });
    });
  }

  const refused: readonly [string, readonly Value[], readonly string[]][] = [
    ["len", [integer(1)], ["error 0"]],
    ["len", [is("nothing")], ["error 0"]],
    ["index", [integer(1), integer(1)], ["error 1"]],
    ["index", [text, text], ["error 1"]],
    ["index", [text, integer(-1)], ["error 1"]],
    ["index", [text, integer(0), integer(0)], ["error 2"]],
    ["index", [is("nothing")], ["error 0"]],
    ["slice", [integer(1)], ["error 0"]],
    ["slice", [text, text], ["error 1"]],
    ["slice", [text, integer(-1)], ["error 1"]],
    ["slice", [text, integer(2), integer(1)], ["error 1"]],
    ["slice", [text, integer(0), integer(1), integer(2)], ["error 3"]],
    ["call", [text], ["error -1"]],
    ["eq", [text, text, integer(1)], ["error 2"]],
    ["ne", [is("fields"), text], ["error 1"]],
    ["lt", [text, integer(1)], ["error 1"]],
    ["le", [is("boolean"), is("boolean")], ["error 0"]],
    ["gt", [integer(1), is("complex")], ["error 1"]],
    ["ge", [integer(1), is("nothing")], ["error 1"]],
    ["printf", [{ type: "text", literal: "%s" }], ["warning 0"]],
    ["timestamp", [{ type: "text", literal: "YYYY" }], ["warning 0"]],
  ];
  for (const [name, values, said] of refused) {
    it(`say something of ${name} of ${JSON.stringify(values)}`, () => {
      assert.deepEqual(call(name, ...values).said, said);
    });
  }
});
