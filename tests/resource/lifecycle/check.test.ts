import { provisioningService } from "../../../sdk/provisioning/service";
import assert from "node:assert/strict";
import { z } from "zod";
import { unknown } from "../../../sdk/resource/state/entry";
import { checkArguments, clearRemoved, desiredArguments } from "../../../sdk/resource/lifecycle/check";
import type { Dialect } from "../../../sdk/base/settings";
import {
  type AnyResourceDefinition,
  defineResource,
  inDialect,
  type Rule,
} from "../../../sdk/resource/definition";
import { field, Fields, snakeCase, type Validation } from "../../../sdk/resource/fields/field";
import { adopt, oneOf, integer, text, textMap } from "../../../sdk/resource/fields/kinds";
import type { JsonObject } from "../../../sdk/base/json";

const unused = (): Promise<never> => Promise.reject(new Error("not part of a check"));

const fields = new Fields(
  {
    owner: text(),
    kind: oneOf(["web", "mail"]),
    tags: field(
      {
        argument: (zod) => zod.array(zod.string().regex(/^[a-z]+$/, "must be lower-case letters")),
        response: (zod) => zod.array(zod.string()),
      },
      { cleared: [] },
    ),
    size: integer({ optional: true }),
    verification: field(
      {
        argument: (zod) => zod.strictObject({ timeout: zod.string() }),
        response: (zod) => zod.object({ timeout: zod.string() }),
      },
      { optional: true, place: "behaviour" },
    ),
    metadata: textMap({ optional: true }),
    url: text({ optional: true }),
    adopt: adopt(),
  },
  snakeCase,
);

const definition: AnyResourceDefinition = defineResource(provisioningService, fields)("test:Thing", {
  rules: [
    {
      between: ["kind", "url"],
      check: ({ kind, url }) =>
        kind === "web" && (url === undefined || url === null)
          ? { argument: "url", reason: "is required when kind is web" }
          : undefined,
    },
  ],
  create: unused,
  read: unused,
  update: unused,
  delete: unused,
});

function failures(inputs: JsonObject): string[] {
  return checkArguments(definition, z, "documented", inputs).failures.map(
    ({ property, reason }) => `${property} ${reason}`,
  );
}

describe("checkArguments", () => {
  const valid = { owner: "a", kind: "web", url: "https://example.com" };

  it("checkArguments accepts what is right, and null for what is optional", () => {
    assert.deepEqual(failures(valid), []);
    assert.deepEqual(failures({ ...valid, tags: null, size: null, verification: null, adopt: null }), []);
    assert.deepEqual(failures({ owner: "a", kind: "mail" }), []);
  });

  it("checkArguments names everything that is wrong, as the user wrote it, at once", () =>
    assert.deepEqual(
      failures({
        kind: "fax",
        tags: ["ok", "NO", 5],
        size: 1.5,
        verification: { timeout: 5, retries: 1 },
        metadata: { "a b": 1 },
        url: ["x"],
      }),
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
    ));

  it("checkArguments says what is required, and of which kind", () =>
    assert.deepEqual(failures({ owner: null, verification: [], adopt: "canary" }), [
      "owner must be a string, not null",
      "kind is required",
      "verification must be an object, not a list",
      "adopt must be true or false, not a string",
    ]));

  it("checkArguments names unknown arguments and suggests the right ones", () =>
    assert.deepEqual(failures({ ...valid, Owner: "a", colour: "red" }), [
      "Owner is not a valid argument; did you mean owner?",
      "colour is not a valid argument; expected one of owner, kind, tags, size, verification, metadata, url, adopt",
    ]));

  it("checkArguments refuses an argument of another dialect by name; rules count it as omitted, and null clears nothing", () => {
    const rows = { area: text({ optional: true }), region: text({ only: "hashicorp", cleared: "" }) };
    const between = ["area", "region"];
    const one: Rule = {
      between,
      check: (values) =>
        between.every((each) => values[each] === undefined) && { argument: "area", reason: "is required" },
    };
    const located = defineResource(provisioningService, new Fields(rows, snakeCase))("test:Located", {
      ...{ rules: [one], create: unused, read: unused, update: unused, delete: unused },
    });
    const problems = (inputs: JsonObject, dialect: Dialect): string[] =>
      checkArguments(inDialect(located, dialect), z, dialect, inputs).failures.map(
        ({ property, reason }) => `${property} ${reason}`,
      );
    assert.deepEqual(problems({ region: "eu" }, "hashicorp"), []);
    assert.deepEqual(problems({ area: "a", region: "eu" }, "documented"), [
      "region only exists in the hashicorp dialect, and this service has the documented one",
    ]);
    assert.deepEqual(problems({}, "documented"), ["area is required"]);
    assert.deepEqual(problems({ area: "a", region: null }, "documented"), []);
  });

  it("checkArguments passes what is not known yet and still checks the rest", () => {
    assert.deepEqual(failures({ ...valid, owner: unknown, tags: [unknown, "NO"], verification: unknown }), [
      "tags[1] must be lower-case letters",
    ]);
    assert.deepEqual(failures({ ...valid, size: unknown, tags: unknown }), []);
  });

  it("checkArguments applies rules between arguments only when all of them are known and right", () => {
    assert.deepEqual(failures({ owner: "a", kind: "web" }), ["url is required when kind is web"]);
    assert.deepEqual(failures({ owner: "a", kind: "web", url: null }), ["url is required when kind is web"]);
    assert.deepEqual(failures({ owner: "a", kind: "web", url: unknown }), []);
    assert.deepEqual(failures({ owner: "a", kind: unknown }), []);
    assert.deepEqual(failures({ owner: "a", kind: "web", url: 5 }), ["url must be a string, not a number"]);
  });

  it("checkArguments tells the rules in which dialect the service speaks", () => {
    const rule: Rule = {
      between: ["kind"],
      check: (_values, dialect) =>
        dialect === "hashicorp" && { argument: "kind", reason: "is unknown there" },
    };
    const count = (dialect: Dialect): number =>
      checkArguments({ ...definition, rules: [rule] }, z, dialect, valid).failures.length;
    assert.deepEqual([count("documented"), count("hashicorp")], [0, 1]);
  });

  const cautious: AnyResourceDefinition = {
    ...definition,
    arguments: {
      ...definition.arguments,
      tags: {
        check: (tags, dialect) =>
          dialect === "documented" &&
          Array.isArray(tags) &&
          tags.length === 0 && { warning: "is empty: nothing will find it" },
      },
    },
    rules: [
      ...(definition.rules ?? []),
      {
        between: ["kind", "size"],
        check: ({ kind, size }) =>
          kind === "mail" &&
          size !== undefined && {
            argument: "size",
            reason: "has no effect when kind is mail",
            warning: true,
          },
      },
    ],
  };
  const judge = (inputs: JsonObject, dialect: Dialect = "documented") =>
    checkArguments(cautious, z, dialect, inputs);

  it("the warnings of check refuse nothing, whether of one argument or between several", () => {
    const found = judge({ owner: "a", kind: "mail", tags: [], size: 3 });
    assert.deepEqual(found, {
      failures: [],
      warnings: ["tags is empty: nothing will find it", "size has no effect when kind is mail"],
    });
    assert.deepEqual(judge(valid), { failures: [], warnings: [] });
  });

  it("the warnings of check are shown with refusals", () =>
    assert.deepEqual(judge({ owner: "a", kind: "web", tags: [] }), {
      failures: [{ property: "url", reason: "is required when kind is web" }],
      warnings: ["tags is empty: nothing will find it"],
    }));

  it("the warnings of check say nothing of what is null, not known yet, refused or not given", () => {
    for (const tags of [null, unknown, [unknown], ["NO"], "x"]) {
      assert.deepEqual(judge({ ...valid, tags }).warnings, [], JSON.stringify(tags));
    }
    assert.deepEqual(judge({ owner: "a", kind: unknown, size: 3 }).warnings, []);
    assert.deepEqual(judge({ owner: "a", kind: "mail", size: unknown }).warnings, []);
  });

  it("the warnings of check know the dialect", () =>
    assert.deepEqual(judge({ ...valid, tags: [] }, "hashicorp").warnings, []));

  it("the warnings of check say the same only once", () => {
    const twice = { ...cautious, rules: [...(cautious.rules ?? []), ...(cautious.rules ?? [])] };
    const { warnings } = checkArguments(twice, z, "documented", { owner: "a", kind: "mail", size: 3 });
    assert.deepEqual(warnings, ["size has no effect when kind is mail"]);
  });
});

describe("clearRemoved", () => {
  const schema = definition.schema(z, "documented");
  const clear = (olds: JsonObject, news: JsonObject): JsonObject =>
    clearRemoved(definition, "documented", schema, olds, news);

  it("clearRemoved turns an argument that left the program into null, and leaves it null", () => {
    assert.deepEqual(clear({ owner: "a", size: 5 }, { owner: "a" }), { owner: "a", size: null });
    assert.deepEqual(clear({ owner: "a", size: null }, { owner: "a" }), { owner: "a", size: null });
    assert.deepEqual(clear({ owner: "a", size: null }, { owner: "a", size: 7 }), { owner: "a", size: 7 });
  });

  it("clearRemoved turns an argument that left the program into its default", () => {
    const mount = { replaces: true, default: { documented: "ldap", hashicorp: "openldap" } };
    const mounted = { mount: z.string().default("ldap") };
    const inputs = (olds: JsonObject, news: JsonObject): JsonObject =>
      clearRemoved({ ...definition, arguments: { mount } }, "documented", mounted, olds, news);
    assert.deepEqual(inputs({ mount: "teams/ldap" }, {}), { mount: "ldap" });
    assert.deepEqual(inputs({ mount: "ldap" }, { mount: null }), { mount: "ldap" });
    assert.deepEqual(inputs({ mount: "ldap" }, { mount: "teams/ldap" }), { mount: "teams/ldap" });
    assert.deepEqual(inputs({}, {}), {}, "what was never given is not added");
  });

  it("clearRemoved adds nothing else", () => {
    assert.deepEqual(clear({}, { owner: "a" }), { owner: "a" });
    assert.deepEqual(clear({ adopt: true, retired: 1 }, { owner: "a" }), { owner: "a" });
  });

  it("clearRemoved leaves a required argument missing, so that the check says so", () =>
    assert.deepEqual(clear({ owner: "a" }, {}), {}));
});

describe("desiredArguments", () => {
  it("desiredArguments replaces null by what clears the field and leaves out what was not given", () =>
    assert.deepEqual(
      desiredArguments(definition, z, "documented", { owner: "a", kind: "mail", tags: null, size: null }),
      { owner: "a", kind: "mail", tags: [], size: null },
    ));

  it("desiredArguments uses a schema's own default if nothing is given, and for null", () => {
    const schema = (validation: Validation) => ({ mount: validation.string().default("ldap") });
    const mounted = { ...definition, schema, arguments: { mount: {} } };
    assert.deepEqual(desiredArguments(mounted, z, "documented", {}), { mount: "ldap" });
    assert.deepEqual(desiredArguments(mounted, z, "documented", { mount: null }), { mount: "ldap" });
    assert.deepEqual(desiredArguments(mounted, z, "documented", { mount: "teams" }), { mount: "teams" });
  });
});
