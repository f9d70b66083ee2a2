import assert from "node:assert/strict";
import * as fc from "fast-check";
import { usernameFormatProblem } from "../../../sdk/secrets/mfa/username-format";

describe("the placeholders of a username format", () => {
  for (const format of [
    "",
    "plain",
    "{{alias.name}}",
    "{{entity.name}}@example.com",
    "{{alias.metadata.login}}-{{entity.metadata.cost center}}",
    "{{ alias.name }}",
    "{a} }{ {",
  ]) {
    it(`are fine in ${JSON.stringify(format)}`, () => {
      assert.equal(usernameFormatProblem(format), undefined);
    });
  }

  const there =
    "there are {{alias.name}}, {{entity.name}}, {{alias.metadata.<key>}} and {{entity.metadata.<key>}}";
  for (const [format, problem] of [
    ["{{alias.nme}}", `has the unknown placeholder {{alias.nme}}; ${there}`],
    ["a{{alias.name}}{{group.name}}", `has the unknown placeholder {{group.name}}; ${there}`],
    ["{{}}", `has the unknown placeholder {{}}; ${there}`],
    ["{{alias.metadata.}}", `has the unknown placeholder {{alias.metadata.}}; ${there}`],
    ["{{alias.metadata}}", `has the unknown placeholder {{alias.metadata}}; ${there}`],
    ["{{Alias.name}}", `has the unknown placeholder {{Alias.name}}; ${there}`],
    ["{{{alias.name}}", `has the unknown placeholder {{{alias.name}}; ${there}`],
    ["{{alias.name", 'begins a placeholder that is never closed: "{{alias.name"'],
    ["{{alias.name}", 'begins a placeholder that is never closed: "{{alias.name}"'],
    ["{{alias.name}} and {{", 'begins a placeholder that is never closed: "{{"'],
    ["alias.name}}", 'closes a placeholder that was never begun: "alias.name}}"'],
    ["}}{{alias.name}}", 'closes a placeholder that was never begun: "}}"'],
  ] as const) {
    it(`are refused in ${JSON.stringify(format)}`, () => {
      assert.equal(usernameFormatProblem(format), problem);
    });
  }

  it("are fine wherever they stand in a text without braces", () => {
    const text = fc.string().map((value) => value.replace(/[{}]/g, ""));
    const placeholder = fc.constantFrom("{{alias.name}}", "{{entity.name}}", "{{entity.metadata.k}}");
    fc.assert(
      fc.property(fc.array(fc.oneof(text, placeholder)), (parts) => {
        assert.equal(usernameFormatProblem(parts.join("")), undefined);
      }),
    );
  });

  it("are always judged, and all braces of a good format are those of placeholders", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("{", "}", "{{", "}}", "alias.name", "x") }), (format) => {
        if (usernameFormatProblem(format) === undefined) {
          assert.doesNotMatch(format.replaceAll("{{alias.name}}", " "), /\{\{|\}\}/);
        }
      }),
    );
  });
});
