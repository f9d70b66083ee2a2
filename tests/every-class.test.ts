import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as library from "../sdk";
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

/** What has to have something of every class, and what to do there. */
const places: readonly [task: string, has: (definition: AnyResourceDefinition) => boolean][] = [
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
  [
    "add a row to the table of README.md",
    (definition) => names("README.md", `| \`${className(definition)}\``),
  ],
];

// The list that somebody who adds a resource works off, in one place and within seconds.
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
});
