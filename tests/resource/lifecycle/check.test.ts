import { provisioningService } from "../../../sdk/provisioning/service";
import assert from "node:assert/strict";
import { z } from "zod";
import { unknown } from "../../../sdk/resource/state/entry";
import { checkArguments, clearRemoved, desiredArguments } from "../../../sdk/resource/lifecycle/check";
import type { Dialect } from "../../../sdk/base/settings";
import {
  type AnyResourceDefinition,
  defineResource,
  definitionIn,
  needs,
  notTogether,
  type Rule,
} from "../../../sdk/resource/definition";
import { defaulted, field, Fields, type Kind, snakeCase } from "../../../sdk/resource/fields/field";
import { adopt, integer, oneNumberOf, oneOf, text, textMap } from "../../../sdk/resource/fields/kinds";
import type { JsonObject } from "../../../sdk/base/json";

const unused = (): Promise<never> => Promise.reject(new Error("not part of a check"));
const requests = { create: unused, read: unused, update: unused, delete: unused };

/** A kind of values as they are. */
const plain = (argument: Kind<unknown, unknown>["argument"]): Kind<unknown, unknown> => ({
  argument,
  response: (zod) => zod.unknown(),
});

const lowerCase = plain((zod) => zod.array(zod.string().regex(/^[a-z]+$/, "must be lower-case letters")));
const timed = plain((zod) => zod.strictObject({ timeout: zod.string() }));
const fields = new Fields(
  {
    owner: text(),
    kind: oneOf(["web", "mail"]),
    tags: field(lowerCase, { cleared: [] }),
    size: integer({ optional: true }),
    verification: field(timed, { optional: true, local: "state" }),
    metadata: textMap({ optional: true }),
    url: text({ optional: true }),
    level: oneNumberOf([6, 8], { optional: true }),
    adopt: adopt(),
  },
  snakeCase,
);

const required = { argument: "url", reason: "is required when kind is web" } as const;
const webHasUrl: Rule = {
  between: ["kind", "url"],
  check: ({ kind, url }) => kind === "web" && (url === undefined || url === null) && required,
};
const defineThing = defineResource(provisioningService, fields);
const definition: AnyResourceDefinition = defineThing("test:Thing", { rules: [webHasUrl], ...requests });

function problems(inputs: JsonObject, dialect: Dialect = "documented", of = definition): string[] {
  const { failures } = checkArguments(definitionIn(of, dialect), z, inputs);
  return failures.map(({ property, reason }) => `${property} ${reason}`);
}

describe("checkArguments", () => {
  const valid = { owner: "a", kind: "web", url: "https://example.com" };
  const nothing = { tags: null, size: null, verification: null, adopt: null };
  const rows: readonly [string, JsonObject, readonly string[]][] = [
    ["accepts what is right", valid, []],
    ["accepts null for what is optional", { ...valid, ...nothing }, []],
    [
      "names everything that is wrong, as the user wrote it, at once",
      {
        kind: "fax",
        tags: ["ok", "NO", 5],
        size: 1.5,
        verification: { timeout: 5, retries: 1 },
        metadata: { "a b": 1 },
        url: ["x"],
      },
      [
        "owner is required",
        'kind must be one of "web", "mail"',
        "tags[1] must be lower-case letters",
        "tags[2] must be a string, not a number",
        "size must be a whole number",
        "verification.timeout must be a string, not a number",
        'verification has no member "retries"',
        'metadata["a b"] must be a string, not a number',
        "url must be a string, not a list",
      ],
    ],
    [
      "says what is required, and of which kind",
      { owner: null, verification: [], adopt: "canary" },
      [
        "owner must be a string, not null",
        "kind is required",
        "verification must be an object, not a list",
        "adopt must be true or false, not a string",
      ],
    ],
    [
      "names the members that each of two misspelled ones are meant to be",
      { ...valid, verification: { timeot: "1", timeoutt: "1", x: 1, timeout: "1" } },
      [
        'verification has no member "timeot" (did you mean "timeout"?), "timeoutt" (did you mean "timeout"?), "x"',
      ],
    ],
    [
      "names the type where that is what is wrong with one of several values",
      { owner: "a", kind: 5, level: "8", tags: [] },
      [
        'kind must be a string, not a number: one of "web", "mail"',
        "level must be a number, not a string: one of 6, 8",
      ],
    ],
    [
      "names the type of what is no value at all",
      { owner: "a", kind: ["web"], level: null, size: "1" },
      ['kind must be a string, not a list: one of "web", "mail"', "size must be a number, not a string"],
    ],
    [
      "names unknown arguments and suggests the right ones",
      { ...valid, Owner: "a", color: "red" },
      [
        "Owner is not a valid argument; did you mean owner?",
        "color is not a valid argument; expected one of owner, kind, tags, size, verification, metadata, url, level, adopt",
      ],
    ],
    [
      "checks the rest of what has unknown parts",
      { ...valid, owner: unknown, tags: [unknown, "NO"], verification: unknown },
      ["tags[1] must be lower-case letters"],
    ],
    ["passes what is not known yet", { ...valid, size: unknown, tags: unknown }, []],
    ["applies a rule between arguments", { owner: "a", kind: "web" }, ["url is required when kind is web"]],
    ["applies a rule to null", { ...valid, url: null }, ["url is required when kind is web"]],
    ["keeps a rule that holds", { owner: "a", kind: "mail" }, []],
    ["applies no rule to what is not known yet", { owner: "a", kind: "web", url: unknown }, []],
    ["applies no rule between arguments of which one is not known yet", { owner: "a", kind: unknown }, []],
    ["applies no rule to what is wrong", { ...valid, url: 5 }, ["url must be a string, not a number"]],
  ];
  for (const [what, inputs, expected] of rows) {
    it(`checkArguments ${what}`, () => assert.deepEqual(problems(inputs), expected));
  }

  it("checkArguments reports an invalid argument together with conflicts that depend only on the presence of arguments", () => {
    const rules = [notTogether("url", "size"), needs("metadata", "verification"), webHasUrl];
    const of: AnyResourceDefinition = defineThing("test:Partners", { rules, ...requests });
    const other = "url must not be set together with size";
    const wrong = { ...valid, url: 5, size: "1", metadata: { a: 1 } };
    assert.deepEqual(problems(wrong, "documented", of), [
      "size must be a number, not a string",
      "metadata.a must be a string, not a number",
      "url must be a string, not a number",
      other,
      "metadata needs verification",
    ]);
    assert.deepEqual(problems({ ...valid, size: "1" }, "documented", of), [
      "size must be a number, not a string",
      other,
    ]);
    const unclear = { ...valid, url: unknown, size: "1", metadata: unknown };
    assert.deepEqual(problems(unclear, "documented", of), ["size must be a number, not a string"]);
  });

  it("checkArguments rejects an argument of another dialect by name; rules treat it as omitted, and null clears nothing", () => {
    const rows = { area: text({ optional: true }), region: text({ only: "hashicorp", cleared: "" }) };
    const between = ["area", "region"];
    const one: Rule = {
      between,
      check: (values, dialect) =>
        between.every((each) => values[each] === undefined) && { argument: "area", reason: `of ${dialect}` },
    };
    const define = defineResource(provisioningService, new Fields(rows, snakeCase));
    const located: AnyResourceDefinition = define("test:Located", { rules: [one], ...requests });
    assert.deepEqual(problems({ region: "eu" }, "hashicorp", located), []);
    assert.deepEqual(problems({}, "hashicorp", located), ["area of hashicorp"]);
    const elsewhere =
      "region is only available in the hashicorp dialect, but this service uses the documented dialect";
    assert.deepEqual(problems({ area: "a", region: "eu" }, "documented", located), [elsewhere]);
    assert.deepEqual(problems({}, "documented", located), ["area of documented"]);
    assert.deepEqual(problems({ area: "a", region: null }, "documented", located), []);
  });

  const reason = "has no effect when kind is mail";
  const uselessSize: Rule = {
    between: ["kind", "size"],
    check: ({ kind, size }) =>
      kind === "mail" && size !== undefined && { argument: "size", reason, warning: true },
  };
  const warning = "is empty: nothing will find it";
  const warned = field(lowerCase, {
    cleared: [],
    check: (tags, dialect) =>
      dialect === "documented" && Array.isArray(tags) && tags.length === 0 && { warning },
  });
  const cautious: AnyResourceDefinition = {
    ...definition,
    fields: new Fields({ ...fields.rows, tags: warned }, snakeCase),
    // The same rule twice, whose warning is shown once.
    rules: [...(definition.rules ?? []), uselessSize, { ...uselessSize }],
  };
  const empty = `tags ${warning}`;
  const mail = { owner: "a", kind: "mail" };
  const doubts: readonly [string, JsonObject, readonly string[], (readonly string[])?, Dialect?][] = [
    ["depend on the dialect", { ...valid, tags: [] }, [], [], "hashicorp"],
    ["reject nothing, and are shown once", { ...mail, tags: [], size: 3 }, [empty, `size ${reason}`]],
    ["are shown together with errors", { owner: "a", kind: "web", tags: [] }, [empty], ["url"]],
    ["ignore arguments that are not set", valid, []],
    ["ignore null", { ...valid, tags: null }, []],
    ["ignore a value that is not known yet", { ...valid, tags: unknown }, []],
    ["ignore a list with a value that is not known yet", { ...valid, tags: [unknown] }, []],
    ["ignore a rejected value", { ...valid, tags: ["NO"] }, [], ["tags[0]"]],
    ["ignore relations of arguments that are not known yet", { owner: "a", kind: unknown, size: 3 }, []],
    ["ignore the relation to a second argument that is not known yet", { ...mail, size: unknown }, []],
  ];
  for (const [what, inputs, expected, refused = [], dialect = "documented"] of doubts) {
    it(`the warnings of check ${what}`, () => {
      const { failures, warnings } = checkArguments(definitionIn(cautious, dialect), z, inputs);
      assert.deepEqual([failures.map(({ property }) => property), warnings], [refused, expected]);
    });
  }
});

describe("clearRemoved", () => {
  const mount = defaulted(text({ replaces: true }), { documented: "ldap", hashicorp: "openldap" });
  const placed = { ...definition, fields: new Fields({ ...fields.rows, mount }, snakeCase) };
  const clearing = definitionIn(placed, "documented");
  const rows: readonly [string, JsonObject, JsonObject, JsonObject][] = [
    [
      "turns an argument that was removed from the program into null",
      { owner: "a", size: 5 },
      {},
      { size: null },
    ],
    ["keeps null for an argument that was removed earlier", { size: null }, {}, { size: null }],
    ["accepts an argument that is set again", { size: null }, { size: 7 }, { size: 7 }],
    [
      "turns a mount that was removed from the program into its default",
      { mount: "teams/ldap" },
      {},
      { mount: "ldap" },
    ],
    ["turns a null mount into its default", { mount: "ldap" }, { mount: null }, { mount: "ldap" }],
    ["accepts a new mount", { mount: "ldap" }, { mount: "teams/ldap" }, { mount: "teams/ldap" }],
    [
      "adds no argument that was never set, is only for creation, or no longer exists",
      { adopt: true, retired: 1 },
      {},
      {},
    ],
  ];
  for (const [what, olds, news, expected] of rows) {
    it(`clearRemoved ${what}, and leaves a required argument missing, so that check reports it`, () => {
      const found = clearRemoved(clearing, clearing.schema(z), { owner: "a", ...olds }, news);
      assert.deepEqual(found, expected);
    });
  }
});

describe("desiredArguments", () => {
  it("desiredArguments replaces null with the value that clears the field, and omits arguments that were not set", () => {
    const given = { owner: "a", kind: "mail", tags: null, size: null };
    assert.deepEqual(desiredArguments(definitionIn(definition, "documented"), z, given), {
      ...given,
      tags: [],
    });
  });

  it("desiredArguments uses a schema's own default for a missing value and for null", () => {
    const mounted = { ...definition, fields: new Fields({ mount: defaulted(text(), "ldap") }, snakeCase) };
    const desired = (inputs: JsonObject) =>
      desiredArguments(definitionIn(mounted, "documented"), z, inputs).mount;
    const given: readonly JsonObject[] = [{}, { mount: null }, { mount: "teams" }];
    assert.deepEqual(given.map(desired), ["ldap", "ldap", "teams"]);
  });
});
