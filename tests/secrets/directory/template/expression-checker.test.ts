import assert from "node:assert/strict";
import { templateFields } from "../../../../sdk/secrets/directory/template/fields";
import { templateFunctions } from "../../../../sdk/secrets/directory/template/functions";
import { checked } from "./checked";

describe("ExpressionChecker", () => {
  it("knows every documented field of each kind", () => {
    for (const kind of ["ldif", "username"] as const) {
      for (const field of templateFields[kind].keys()) {
        assert.deepEqual(checked(`{{.${field}}}{{$.${field}}}{{(.).${field}}}`, kind).said, []);
      }
    }
  });

  it("knows every function with the arguments that it takes, piped or not", () => {
    const examples = { text: '"2006"', integer: "9", any: '"2006"' };
    for (const [name, { parameters }] of templateFunctions) {
      if (name !== "call" && name !== "printf") {
        const given = parameters.map(({ type }) => examples[type]);
        assert.deepEqual(checked(`{{${[name, ...given].join(" ")}}}`).said, []);
        const last = given.pop();
        assert.deepEqual(checked(`{{${last ?? "print"} | print | len}}`).said, []);
        if (last !== undefined) {
          assert.deepEqual(checked(`{{${last} | ${[name, ...given].join(" ")}}}`).said, []);
        }
      }
    }
  });

  it("refuses one argument too few and, where the number is fixed, one too many", () => {
    for (const [name, { parameters, rest }] of templateFunctions) {
      if (rest === undefined) {
        const tooMany = [name, ...parameters.map(() => '"a"'), '"a"'].join(" ");
        assert.match(checked(`{{${tooMany}}}`).said[0] ?? "", /^error 1:3 `\w+` takes .*, but gets \d/);
      }
      if (parameters.length > 0) {
        const tooFew = [name, ...parameters.slice(1).map(() => '"a"')].join(" ");
        assert.match(checked(`{{${tooFew}}}`).said[0] ?? "", /^error 1:3 `\w+` takes .*, but gets \d/);
      }
    }
  });

  it("follows the types of variables, parentheses and pipes", () => {
    assert.deepEqual(
      checked("{{$n := 3}}{{random $n}}{{random ($n)}}{{$n | random}}{{truncate $n .RoleName}}").said,
      [],
    );
    assert.deepEqual(checked("{{$n := uuid}}{{random $n}}").said, [
      "error 1:24 `random` needs an integer as N; `$n` is text.",
    ]);
    assert.deepEqual(checked("{{(.Username | len) | uppercase}}").said, [
      "error 1:3 `uppercase` needs text as TEXT; `(...)` is an integer.",
    ]);
  });

  it("takes a decimal number for a count only where the language does", () => {
    assert.deepEqual(checked("{{random 1e1}}").said, []);
    assert.equal(checked("{{1e1 | random}}").said.length, 1);
    assert.equal(checked("{{random (1e1)}}").said.length, 1);
  });

  it("suggests what was probably meant", () => {
    const suggestions = [".Usename", "Username", "lower .Username", ".RoleName | trunc 3", ".IssuTime"].map(
      (text) =>
        checked(`{{${text}}}`).said.map(
          (message) => /did you mean (?:the field )?`(.*)`\?/.exec(message)?.[1],
        ),
    );
    assert.deepEqual(suggestions, [
      [".Username"],
      [".Username"],
      ["lowercase"],
      ["truncate"],
      [".IssueTime"],
    ]);
  });
});
