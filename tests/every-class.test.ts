import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as library from "../sdk/index";
import { isRemote } from "../sdk/resource/fields/field";
import { type AnyResourceDefinition, className, collectClasses } from "../sdk/resource/definition";
import { resourceCases } from "./cases";
import { allFieldsOf } from "./cases/support/case";
import { repository } from "./support/packed-library";

const names = (path: string, text: string): boolean =>
  readFileSync(join(repository, path), "utf8").includes(text);
const shortName = (type: string): string => type.replace(/^.*:/, "");

/** Whether a refresh can find that an argument was changed in the service, so that an update can put it back. */
function canDrift(definition: AnyResourceDefinition): boolean {
  return Object.entries(allFieldsOf(definition)).some(
    ([name, field]) =>
      name in definition.arguments && isRemote(field) && field.replaces !== true && field.told !== "never",
  );
}

/** Their responses only have what names the object, or the values that a rotation follows. */
const withoutDrift: readonly string[] = [
  "provisioning:ProjectWorkspaces",
  "secrets/directory:RootRotation",
  "secrets/directory:StaticRoleRotation",
];

/** The places where every class must have something, and what to do there. */
const places: readonly (readonly [task: string, has: (definition: AnyResourceDefinition) => boolean])[] = [
  ["say in tests/cases/<service>/<class>.ts what it is tried with", ({ type }) => resourceCases.has(type)],
  [
    "give its case a drift, which is reverted alone and together with another change",
    (definition) =>
      resourceCases.get(definition.type)?.drift !== undefined ||
      withoutDrift.includes(definition.type) ||
      !canDrift(definition),
  ],
  [
    "run `npm run api` for sdk/api/index.api.md",
    ({ type }) => names("sdk/api/index.api.md", `class ${shortName(type)} `),
  ],
  [
    "run `npm run docs` for its page below docs/reference",
    (definition) => names("docs/reference/index.md", `[\`${className(definition)}\`]`),
  ],
  ...["README.md", "docs/leaving.md", "scripts/docs/pages/requests.md"].map(
    (page) =>
      [
        `add a row to the table of ${page}`,
        (definition: AnyResourceDefinition) => names(page, `| \`${className(definition)}\``),
      ] as const,
  ),
  [
    "name in scripts/docs/pages/related.json what it is used together with",
    (definition) => names("scripts/docs/pages/related.json", `"${className(definition)}"`),
  ],
  [
    "run `npm run schema` for sdk/plugin/schema.json",
    ({ type }) => names("sdk/plugin/schema.json", `"trivium:${type}": {`),
  ],
  [
    "run `npm run permissions` for the requests of the policy command",
    ({ type }) => names("sdk/command-line/policy/recorded-requests.json", `"${type}"`),
  ],
];

// The list for somebody who adds a resource, in one place and within seconds.
describe("every class of resources", () => {
  const unknown = {
    type: "provisioning:Unheard",
    arguments: { label: {} },
    fields: { in: () => ({ arguments: { label: {} }, outputs: {} }) },
    outputs: {},
  } as unknown as AnyResourceDefinition;

  for (const [task, has] of places) {
    it(`every class has its place: ${task}`, () => {
      const lacking = [...collectClasses(library).values()]
        .map(({ definition }) => definition)
        .filter((definition) => !has(definition));
      assert.deepEqual(lacking.map(className), [], `Something is missing for a class: ${task}.`);
      assert.equal(has(unknown), false);
    });
  }

  it("the page about adding a resource names every place that a class must have", () => {
    const named = places.flatMap(([task]) => [
      ...task.matchAll(/npm run \w+|\b(?:README\.md|(?:docs|scripts)\/[\w/]+\.\w+)/g),
    ]);
    const missing = named.filter(([place]) => !names("contributing/add-a-resource.md", place));
    assert.ok(named.length >= places.length - 2);
    assert.deepEqual(missing, []);
  });
});
