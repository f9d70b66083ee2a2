import { secretsService } from "../../sdk/secrets/service";
import assert from "node:assert/strict";
import { caseInsensitive } from "../../sdk/resource/fields/kinds";
import { equivalent } from "../../sdk/resource/fields/field";
import * as library from "../../sdk/index";
import {
  type AnyResourceDefinition,
  classOf,
  collectClasses,
  inDialect,
} from "../../sdk/resource/definition";

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

  it("is the definition itself where nothing differs", () => {
    assert.equal(inDialect(definition, "documented"), definition);
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
  it("finds the classes of a module and of the namespaces in it, by their types", () => {
    const module = {
      Provider,
      Project,
      secrets: { directory: { Role, readRole: (): undefined => undefined }, version: 1 },
      nothing: null,
      list: [Project],
    };
    assert.deepEqual(
      [...collectClasses(module)],
      [
        ["provisioning:Project", Project],
        ["secrets/directory:Role", Role],
      ],
    );
  });

  it("finds nothing where there is nothing", () => {
    assert.equal(collectClasses({}).size, 0);
  });
});

describe("classOf", () => {
  const load = (module: string): object => require(`../../sdk/${module}`) as object;

  it("finds every class of the library in the module of its name", () => {
    for (const [type, { definition }] of collectClasses(library)) {
      assert.equal(classOf(type, load)?.definition, definition, type);
    }
  });

  it("loads nothing but that module", () => {
    const loaded: string[] = [];
    classOf("secrets/mfa:TotpMethod", (module) => {
      loaded.push(module);
      return {};
    });
    assert.deepEqual(loaded, ["secrets/mfa/totp-method"]);
  });

  for (const type of ["provisioning:Nothing", "secrets/nothing:Project", "../resource:Base", "Project", ""]) {
    it(`finds nothing for ${JSON.stringify(type)}`, () => {
      const loadAsBuilt = (module: string): object => {
        try {
          return load(module);
        } catch (error) {
          // The message of a module beside the loader, as dynamic.ts is.
          throw Object.assign(new Error(`Cannot find module './${module}'`), {
            code: (error as { code?: unknown }).code,
          });
        }
      };
      assert.equal(classOf(type, loadAsBuilt), undefined);
    });
  }

  it("does not confuse a missing package with a missing class", () => {
    const missing = Object.assign(new Error("Cannot find module 'zod'"), { code: "MODULE_NOT_FOUND" });
    assert.throws(
      () =>
        classOf("provisioning:Project", () => {
          throw missing;
        }),
      missing,
    );
  });
});
