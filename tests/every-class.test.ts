import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as library from "../sdk";
import type { AnyResourceDefinition } from "../sdk/resource/definition";
import { className, collectDefinitions } from "../sdk/resource/registry";
import { resourceCases } from "./cases";
import { repository } from "./support/packed-library";

/** A place that has to have something of every class of resources. */
interface Place {
  /** What to do there, with the class's name behind it. */
  readonly task: string;
  has(definition: AnyResourceDefinition): boolean;
}

function textOf(...path: readonly string[]): string {
  return readFileSync(join(repository, ...path), "utf8");
}

/** Whether a refresh can find that an argument was changed in the service, so that an update can put it back. */
function canDrift({ arguments: known }: AnyResourceDefinition): boolean {
  return Object.values(known).some(
    ({ role = "remote", replaces = false, writeOnly = false }) =>
      role === "remote" && !replaces && !writeOnly,
  );
}

/** What these have that an answer tells is what names the object, or the values that a rotation follows. */
const withoutDrift: readonly string[] = [
  "provisioning:ProjectWorkspaces",
  "secrets/directory:RootRotation",
  "secrets/directory:StaticRoleRotation",
];

const shortName = ({ type }: AnyResourceDefinition): string => type.replace(/^.*:/, "");

const places: readonly Place[] = [
  {
    task: "say in tests/cases/<service>/<class>.ts what it is tried with",
    has: ({ type }) => resourceCases.has(type),
  },
  {
    task: "give its case a drift, which is repaired by itself and beside another change",
    has: (definition) =>
      resourceCases.get(definition.type)?.drift !== undefined ||
      withoutDrift.includes(definition.type) ||
      !canDrift(definition),
  },
  {
    task: "run `npm run api` for sdk/api/index.api.md",
    has: (definition) => textOf("sdk", "api", "index.api.md").includes(`class ${shortName(definition)} `),
  },
  {
    task: "run `npm run docs` for its page below docs/reference",
    has: (definition) => textOf("docs", "reference", "index.md").includes(`[\`${className(definition)}\`]`),
  },
  {
    task: "add a row to the table of README.md",
    has: (definition) => textOf("README.md").includes(`| \`${className(definition)}\``),
  },
];

// The list that somebody who adds a resource works off, in one place and within seconds.
describe("every class of resources", () => {
  const definitions = [...collectDefinitions(library).values()];

  for (const place of places) {
    it(`has its place: ${place.task}`, () => {
      assert.deepEqual(
        definitions.filter((definition) => !place.has(definition)).map(className),
        [],
        `Something is missing for a class: ${place.task}.`,
      );
    });
  }

  it("is not found anywhere when it is new", () => {
    const unknown = {
      type: "provisioning:Unheard",
      arguments: { label: {} },
    } as unknown as AnyResourceDefinition;
    assert.deepEqual(
      places.filter((place) => place.has(unknown)),
      [],
    );
  });
});
