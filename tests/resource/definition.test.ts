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

describe("inDialect", () => {
  it("inDialect compares an argument as the dialect's product does", () => {
    const same = (dialect: "documented" | "hashicorp"): boolean =>
      equivalent(inDialect(definition, dialect).arguments.name ?? {}, "A", "a");
    assert.deepEqual([same("documented"), same("hashicorp")], [false, true]);
    assert.equal(inDialect(definition, "hashicorp").arguments.name?.replaces, true);
  });

  it("inDialect leaves only the fields of the dialect", () => {
    assert.deepEqual(outputNames(inDialect(definition, "documented")), ["name", "owner"]);
    assert.deepEqual(outputNames(inDialect(definition, "hashicorp")), outputNames(definition));
  });
});

describe("collectClasses", () => {
  it("collectClasses finds the classes of a module and of the namespaces in it, by their types", () => {
    const classOf = (type: string) => Object.assign((): void => undefined, { definition: { type } });
    const [Project, Role] = [classOf("provisioning:Project"), classOf("secrets/directory:Role")];
    const secrets = { directory: { Role, readRole: (): undefined => undefined }, version: 1 };
    const module = { Provider: (): void => undefined, Project, secrets, nothing: null, list: [Project] };
    const found = [...collectClasses(module)];
    assert.deepEqual(found, [
      ["provisioning:Project", Project],
      ["secrets/directory:Role", Role],
    ]);
    assert.equal(collectClasses({}).size, 0);
  });
});
