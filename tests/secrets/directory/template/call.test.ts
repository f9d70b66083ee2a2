import assert from "node:assert/strict";
import { templateFunctions } from "../../../../sdk/go-template/functions";
import { checked } from "./checked";

const said = (text: string): string => checked(`{{${text}}}`).said.join();

describe("checkCall", () => {
  it("knows every function with the arguments that it takes, piped or not", () => {
    for (const [name, { parameters }] of templateFunctions) {
      if (name !== "printf") {
        const given = parameters.map((parameter) => (parameter === "N" ? "9" : '"2006"'));
        assert.equal(said([name, ...given].join(" ")), "");
        const last = given.pop();
        if (last !== undefined) {
          assert.equal(said(`${last} | ${[name, ...given].join(" ")}`), "");
        }
      }
    }
  });

  it("refuses one argument too few and, where the number is fixed, one too many", () => {
    for (const [name, { parameters, takesMore }] of templateFunctions) {
      if (!takesMore) {
        const tooMany = [name, ...parameters.map(() => '"a"'), '"a"'].join(" ");
        assert.match(said(tooMany), /^error 1:3 `\w+` takes .*, but gets \d/);
      }
      if (parameters.length > 0) {
        const tooFew = [name, ...parameters.slice(1).map(() => '"a"')].join(" ");
        assert.match(said(tooFew), /^error 1:3 `\w+` takes .*, but gets \d/);
      }
    }
  });

  it("sees what literals and fields are", () => {
    for (const argument of ["1.5", '"1"', "true", "nil", ".RoleName", ".IssueTimeSeconds"]) {
      assert.match(said(`random ${argument}`), /^error 1:10 `random` needs an integer as N; `.*` is /);
    }
    for (const argument of ["3", "1e1", "'a'", "$", "(len .RoleName)", "1+2i"]) {
      assert.equal(said(`random ${argument}`), "");
    }
    assert.match(said("10 | uppercase"), /^error 1:3 `uppercase` needs text as TEXT; `10` is an integer\.$/);
    assert.equal(said("len .RoleName | uppercase"), "");
  });

  it("warns of numbers below what the products take", () => {
    for (const text of ["random -1", "truncate 0 .RoleName", ".RoleName | truncate_sha256 8"]) {
      assert.match(said(text), /^warning 1:\d+ `\w+` needs N to be \d or more, not `-?\d`\.$/);
    }
    assert.equal(said("random 0"), "");
  });

  it("compares a format with its values where it can", () => {
    for (const text of [
      'printf "%s-%d" 1 2',
      'printf "100%%"',
      '.RoleName | printf "%s"',
      'printf "%[1]s-%[1]s" 1',
      'printf "%*d" 5 3',
      'printf "%-8.3f|%05d" 1.5 2',
      "printf .RoleName 1 2",
    ]) {
      assert.equal(said(text), "", text);
    }
    assert.match(said('printf "%s-%s" 1'), /^warning 1:10 The format expects 2 values, but gets 1\.$/);
    assert.match(said('printf "%s"'), /expects 1 value, but gets 0/);
  });
});
