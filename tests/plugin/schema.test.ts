import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { generateSchema, schemaFile } from "../../scripts/plugin-schema/schema";
import * as library from "../../sdk";
import { collectDefinitions } from "../../sdk/resource/registry";

interface ResourceSpec {
  readonly properties: Readonly<Record<string, { readonly secret?: boolean }>>;
  readonly inputProperties: Readonly<
    Record<string, { readonly secret?: boolean; readonly willReplaceOnChanges?: boolean }>
  >;
}

describe("the plugin's schema", function () {
  this.timeout(120_000);
  let text: string;
  let resources: Readonly<Record<string, ResourceSpec>>;

  before(() => {
    text = generateSchema();
    ({ resources } = JSON.parse(text) as { resources: Readonly<Record<string, ResourceSpec>> });
  });

  it("is what the library says now", () => {
    assert.equal(text, readFileSync(schemaFile, "utf8"), "It is stale: run `npm run schema`.");
  });

  it("has every class with every argument and output, and what they are to the lifecycle", () => {
    const definitions = collectDefinitions(library);
    assert.deepEqual(
      Object.keys(resources).toSorted(),
      [...definitions.keys()].map((type) => `trivium:${type}`).toSorted(),
    );
    for (const [type, definition] of definitions) {
      const { inputProperties, properties } = resources[`trivium:${type}`] ?? assert.fail(type);
      assert.deepEqual(Object.keys(inputProperties).toSorted(), Object.keys(definition.arguments).toSorted());
      for (const [name, { secret = false, replaces = false }] of Object.entries(definition.arguments)) {
        const spec = inputProperties[name];
        assert.deepEqual(
          [spec?.secret ?? false, spec?.willReplaceOnChanges ?? false],
          [secret, replaces],
          `${type} ${name}`,
        );
      }
      for (const [name, { secret = false }] of Object.entries(definition.outputs)) {
        assert.equal(properties[name]?.secret ?? false, secret, `${type} ${name}`);
      }
    }
  });
});
