import { secretsService } from "../../sdk/secrets/service";
import assert from "node:assert/strict";
import { caseInsensitive } from "../../sdk/resource/fields/kinds";
import { equivalent } from "../../sdk/resource/fields/field";
import {
  type AnyResourceDefinition,
  collectClasses,
  inDialect,
  outputNames,
} from "../../sdk/resource/definition";

const unused = (): Promise<never> => Promise.reject(new Error("not called"));
const definition: AnyResourceDefinition = {
  type: "test:Thing",
  service: secretsService,
  schema: () => ({}),
  arguments: {
    name: { replaces: true, canonical: { hashicorp: caseInsensitive } },
    size: { only: "hashicorp" },
  },
  outputs: { age: { only: { dialect: "hashicorp", since: "Product 2.0" } }, owner: {} },
  create: unused,
  read: unused,
  update: unused,
  delete: unused,
};

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

/** A class as modules export it, with or without a definition. */
function exportedClass(type?: string): () => void {
  const exported = (): void => undefined;
  return type === undefined ? exported : Object.assign(exported, { definition: { type } });
}

const Project = exportedClass("provisioning:Project");
const Role = exportedClass("secrets/directory:Role");
const Provider = exportedClass();

describe("collectClasses", () => {
  it("collectClasses finds the classes of a module and of the namespaces in it, by their types", () => {
    const module = {
      Provider,
      Project,
      secrets: { directory: { Role, readRole: (): undefined => undefined }, version: 1 },
      nothing: null,
      list: [Project],
    };
    const found = [...collectClasses(module)];
    assert.deepEqual(found, [
      ["provisioning:Project", Project],
      ["secrets/directory:Role", Role],
    ]);
  });

  it("collectClasses finds nothing where there is nothing", () => assert.equal(collectClasses({}).size, 0));
});
