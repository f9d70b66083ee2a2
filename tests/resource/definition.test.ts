import { secretsService } from "../../sdk/secrets/service";
import assert from "node:assert/strict";
import { caseInsensitive } from "../../sdk/resource/fields/kinds";
import { equivalent } from "../../sdk/resource/fields/field";
import { type AnyResourceDefinition, inDialect } from "../../sdk/resource/definition";

const unused = (): Promise<never> => Promise.reject(new Error("not called"));
const definition: AnyResourceDefinition = {
  type: "test:Thing",
  service: secretsService,
  schema: () => ({}),
  arguments: { name: { replaces: true, canonicalIn: { hashicorp: caseInsensitive } }, size: {} },
  outputs: {},
  create: unused,
  read: unused,
  update: unused,
  delete: unused,
};

describe("inDialect", () => {
  it("compares an argument as the dialect's product does", () => {
    const same = (dialect: "documented" | "hashicorp"): boolean =>
      equivalent(inDialect(definition, dialect).arguments.name ?? {}, "A", "a");
    assert.deepEqual([same("documented"), same("hashicorp")], [false, true]);
    assert.equal(inDialect(definition, "hashicorp").arguments.name?.replaces, true);
  });

  it("is built once, and is the definition itself where nothing differs", () => {
    assert.equal(inDialect(definition, "documented"), definition);
    assert.equal(inDialect(definition, "hashicorp"), inDialect(definition, "hashicorp"));
  });
});
