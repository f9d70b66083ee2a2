import assert from "node:assert/strict";
import { caseInsensitive } from "../../sdk/resource/fields/kinds";
import { equivalent } from "../../sdk/resource/fields/field";
import {
  type AnyResourceDefinition,
  collectClasses,
  inDialect,
  outputNames,
} from "../../sdk/resource/definition";

const definition = {
  arguments: {
    name: { replaces: true, canonical: { hashicorp: caseInsensitive } },
    size: { only: "hashicorp" },
  },
  outputs: { age: { only: { dialect: "hashicorp", since: "Product 2.0" } }, owner: {} },
} as unknown as AnyResourceDefinition;

it("inDialect leaves only the fields of the dialect, and compares an argument as its product does", () => {
  assert.deepEqual(outputNames(inDialect(definition, "documented")), ["name", "owner"]);
  const ofProduct = inDialect(definition, "hashicorp");
  assert.deepEqual(outputNames(ofProduct), outputNames(definition));
  assert.equal(ofProduct.arguments.name?.replaces, true);
  assert.equal(equivalent(inDialect(definition, "documented").arguments.name ?? {}, "A", "a"), false);
  assert.equal(equivalent(ofProduct.arguments.name, "A", "a"), true);
});

it("collectClasses finds the classes of a module and of the namespaces in it, by their types", () => {
  const classOf = (type: string) => Object.assign((): void => undefined, { definition: { type } });
  const [Project, Role] = [classOf("provisioning:Project"), classOf("secrets/directory:Role")];
  const secrets = { directory: { Role, readRole: (): undefined => undefined }, version: 1 };
  const module = { Provider: (): void => undefined, Project, secrets, nothing: null, list: [Project] };
  const found = Object.fromEntries(collectClasses(module));
  assert.deepEqual(found, { "provisioning:Project": Project, "secrets/directory:Role": Role });
});
