import assert from "node:assert/strict";
import {
  collectClasses,
  definitionIn,
  defineResource,
  notTogether,
  outputNames,
} from "../../sdk/resource/definition";
import { equivalent, Fields, output, snakeCase } from "../../sdk/resource/fields/field";
import { caseInsensitive, integer, text, textComparedBy } from "../../sdk/resource/fields/kinds";
import { secretsService } from "../../sdk/secrets/service";

const rows = {
  name: textComparedBy({ hashicorp: caseInsensitive })({ replaces: true }),
  size: integer({ only: "hashicorp" }),
  age: output(integer({ only: { dialect: "hashicorp", since: "Product 2.0" } })),
  owner: output(text()),
};
const unused = (): Promise<never> => Promise.reject(new Error("not part of a definition"));
const definition = defineResource(secretsService, new Fields(rows, snakeCase))("test:Thing", {
  create: unused,
  read: unused,
  update: unused,
  delete: unused,
});

it("a definition in a dialect has only the fields of the dialect, and compares an argument as its product does", () => {
  const documented = definitionIn(definition, "documented");
  assert.deepEqual(outputNames(documented), ["name", "owner"]);
  const ofProduct = definitionIn(definition, "hashicorp");
  assert.deepEqual(outputNames(ofProduct), outputNames(definition));
  assert.equal(ofProduct.arguments.name?.replaces, true);
  assert.equal(equivalent(documented.arguments.name ?? {}, "A", "a"), false);
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

/** Never called: the compiler reads it. */
export function definitionsThatDoNotCompile(): void {
  const own = { name: text(), replica: text({ optional: true }) };
  const define = defineResource(secretsService, new Fields(own, snakeCase));
  const behavior = { create: unused, read: unused, delete: unused };
  define("secrets:A", { ...behavior, rules: [notTogether("name", "replica")] });
  // @ts-expect-error no argument has this name
  define("secrets:A", { ...behavior, rules: [notTogether("name", "replika")] });
  define("secrets:A", {
    ...behavior,
    rules: [
      {
        // @ts-expect-error no argument has this name
        between: ["nmae"],
        check: () => undefined,
      },
    ],
  });
  // @ts-expect-error there is no such option of a row
  text({ optionl: true });
  // @ts-expect-error there is no such member of a definition
  define("secrets:A", { ...behavior, updatesWholeObjekt: true });
  define("secrets:A", {
    ...behavior,
    // @ts-expect-error the class has no such argument
    update: (_step, _id, _desired, changed) => Promise.resolve({ name: String(changed.has("nmae")) }),
  });
}
