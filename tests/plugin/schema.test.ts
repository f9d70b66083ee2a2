import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { generateSchema, schemaFile } from "../../scripts/plugin-schema/schema";
import * as library from "../../sdk";
import { configurationKey, serviceNames, settingsOf } from "../../sdk/base/settings";
import type { JsonObject } from "../../sdk/base/json";
import { repository } from "../support/packed-library";
import { collectClasses, definitionIn } from "../../sdk/resource/definition";

interface PropertySpec {
  readonly secret?: boolean;
  readonly description?: string;
  readonly willReplaceOnChanges?: boolean;
}
type ResourceSpec = Readonly<
  Record<"properties" | "inputProperties", Readonly<Record<string, PropertySpec>>>
>;

describe("the plugin's schema", function () {
  this.timeout(120_000);
  let text: string;
  let resources: Readonly<Record<string, ResourceSpec>>;
  let config: { readonly variables: Readonly<Record<string, { readonly secret?: boolean }>> };

  before(() => {
    text = generateSchema();
    ({ resources, config } = JSON.parse(text) as { resources: typeof resources; config: typeof config });
  });

  it("the plugin's schema has the version, the license, the publisher and the repository of the package", () => {
    const readObject = (file: string): JsonObject => JSON.parse(readFileSync(file, "utf8")) as JsonObject;
    const manifest = readObject(join(repository, "sdk", "package.json"));
    const schema = readObject(schemaFile);
    const found = [schema.version, schema.license, schema.publisher, schema.homepage];
    assert.deepEqual(found, [manifest.version, manifest.license, manifest.author, manifest.homepage]);
    const { repository: source } = manifest as { readonly repository?: { readonly url: string } };
    assert.equal(schema.repository, source?.url.replace(/^git\+|\.git$/g, ""));
  });

  it("the plugin's schema has every setting, including the one for all services, under its name in stack configuration", () => {
    const keys = serviceNames.flatMap((service) => [
      ...settingsOf(service).map(([name, { secret = false }]) => [configurationKey(service, name), secret]),
    ]);
    const variables = Object.entries(config.variables);
    const found = variables.map(([name, { secret = false }]) => [`trivium:${name}`, secret]);
    assert.deepEqual(found, [...keys, ["trivium:dialect", false]]);
  });

  it("the plugin's schema matches the library", () =>
    assert.equal(text, readFileSync(schemaFile, "utf8"), "It is stale: run `npm run schema`."));

  it("the plugin's schema has every class with every argument and output, and their roles in the lifecycle", () => {
    const classes = collectClasses(library);
    const actual = Object.keys(resources).toSorted();
    assert.deepEqual(actual, [...classes.keys()].map((type) => `trivium:${type}`).toSorted());
    for (const [type, { definition }] of classes) {
      const { inputProperties, properties } = resources[`trivium:${type}`] ?? assert.fail(type);
      assert.deepEqual(Object.keys(inputProperties).toSorted(), Object.keys(definition.arguments).toSorted());
      for (const [name, { secret = false, replaces = false }] of Object.entries(definition.arguments)) {
        const { secret: isSecret = false, willReplaceOnChanges = false } = inputProperties[name] ?? {};
        const found = [isSecret, willReplaceOnChanges];
        assert.deepEqual(found, [secret, replaces === true], `${type} ${name}`);
      }
      for (const [name, { secret = false }] of Object.entries(definition.outputs)) {
        assert.equal(properties[name]?.secret ?? false, secret, `${type} ${name}`);
      }
      const resolved = definitionIn(definition, "hashicorp");
      const all = { ...resolved.arguments, ...resolved.outputs };
      for (const [name, { only: dialect }] of Object.entries({
        ...definition.arguments,
        ...definition.outputs,
      })) {
        const { since = "" } = all[name] ?? {};
        const said = { ...inputProperties, ...properties }[name]?.description?.replace(/\s+/g, " ") ?? "";
        const mark = dialect && `Only in the ${dialect} dialect${since && `: ${since}`}.`;
        const isMarked = mark === undefined ? !/Only in the \w+ dialect/.test(said) : said.includes(mark);
        assert.ok(isMarked, `The comment of ${type} ${name} has to say what its row says: ${mark}`);
      }
    }
  });
});
