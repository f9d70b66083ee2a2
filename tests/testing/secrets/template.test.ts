import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ldifFunctions, usernameFunctions } from "../../../sdk/testing/secrets/directory/template/functions";
import { renderTemplate } from "../../../sdk/testing/secrets/directory/template/template";
import { dataOf } from "../../../sdk/testing/secrets/directory/template/values";
import { EngineFailure } from "../../../sdk/testing/secrets/refusal";

const data = dataOf("openldap.dynamicTemplateData", {
  Username: "v_ada",
  Password: "p-w",
  DisplayName: "ada",
  RoleName: "web",
  IssueTime: "2024-02-09T15:04:05Z",
  IssueTimeSeconds: 1_707_491_045n,
  ExpirationTime: "2024-02-09T16:04:05Z",
  ExpirationTimeSeconds: 1_707_494_645n,
});

const now = () => Date.UTC(2024, 1, 9, 15, 4, 5, 120);
const render = (template: string, functions = ldifFunctions): string =>
  renderTemplate(template, functions(now), data);

interface Recorded {
  readonly go: string;
  readonly templates: readonly {
    readonly template: string;
    readonly output?: string;
    readonly error?: string;
  }[];
}

/** Written by `go run .` in tools/go-template. */
const recorded = JSON.parse(
  readFileSync(join(__dirname, "../../fixtures/go-templates.json"), "utf8"),
) as Recorded;

/** Why a template could be parsed but not executed, except for texts of Go's `reflect` and of its source. */
const reasonOf = (error: string): string | undefined =>
  /executing "template" at <[^]*?>: (?=[a-z"\d])((?!.*(?:reflect: |non-function \S+ of))[^]*)$/i.exec(
    error,
  )?.[1];

const refused: readonly (readonly [string, RegExp])[] = [
  ["{{.RoleName", /^unable to parse template: template: template:1: unclosed action$/],
  ["one\ntwo {{nope 3}}", /^unable to parse template: template: template:2: function "nope" not defined$/],
  ["{{.Nope}}", /^unable to apply template: .*template:1:2: .* at <\.Nope>: can't evaluate field Nope/],
  ["{{truncate 0 .Username}}", /error calling truncate: max length must be > 0 but was 0/],
  ["{{truncate_sha256 8 .Username}}", /max length must be > 8 but was 8/],
  ["{{1i}}", /the emulator does not know complex numbers such as 1i/],
  ['{{printf "%x" 1.5}}', /the emulator's printf does not know %x for numbers with a fraction/],
  ["{{range 2000}}{{range 2000}}{{end}}{{end}}", /the emulator stops after 1000000 rounds of loops/],
  ['{{define "x"}}{{template "x"}}{{end}}{{template "x"}}', /exceeded maximum template depth/],
];

describe("a template", () => {
  it("a template for user names does not have utf16le", () =>
    assert.throws(() => render('{{utf16le "a"}}', usernameFunctions), /function "utf16le" not defined/));

  for (const { template, output, error = "" } of recorded.templates) {
    it(`a template is ${output === undefined ? "rejected" : "rendered"} as in Go: ${JSON.stringify(template)}`, () => {
      if (output !== undefined) {
        assert.equal(render(template), output);
        return;
      }
      assert.throws(
        () => render(template),
        (thrown: unknown) => {
          const reason = reasonOf(error);
          assert.ok(thrown instanceof EngineFailure, String(thrown));
          assert.ok(
            reason === undefined || thrown.message.endsWith(reason),
            `${thrown.message}; Go: ${error}`,
          );
          return true;
        },
      );
    });
  }

  for (const [template, reason] of refused) {
    const isRefused = (error: unknown) => error instanceof EngineFailure && reason.test(error.message);
    it(`a template is rejected with a reason: ${JSON.stringify(template)}`, () =>
      assert.throws(() => render(template), isRefused));
  }
});

describe("a function of the service", () => {
  const hash = createHash("sha256").update("cdefghijkl").digest("hex");
  for (const [action, text] of [
    ['truncate 2 "äöü"', "äö"],
    ['"abcdefghijkl" | truncate_sha256 10', `ab${hash.slice(0, 8)}`],
    ['replace "a" "$&" "banana"', "b$&n$&n$&"],
    ['replace "" "-" "abc"', "-a-b-c-"],
    ['base64 "é"', "w6k="],
    ["unix_time", "1707491045"],
    ["unix_time_millis", "1707491045120"],
    ['sha256 "abc" | truncate 8', "ba7816bf"],
    ['printf "%q" .Password | utf16le | base64', Buffer.from('"p-w"', "utf16le").toString("base64")],
  ] as const) {
    it(`a template function makes ${JSON.stringify(text)} of ${action}`, () =>
      assert.equal(render(`{{${action}}}`), text));
  }

  it("a template function makes random identifiers", () => {
    assert.match(render("{{uuid}}"), /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    assert.notEqual(render("{{uuid}}"), render("{{uuid}}"));
  });
});
