import assert from "node:assert/strict";
import * as library from "../../sdk/index";
import { classOf, collectDefinitions } from "../../sdk/resource/definition";

/** A class as modules export it, with or without a definition. */
function exportedClass(type?: string): () => void {
  const exported = (): void => undefined;
  return type === undefined ? exported : Object.assign(exported, { definition: { type } });
}

const Project = exportedClass("provisioning:Project");
const Role = exportedClass("secrets/directory:Role");
const Provider = exportedClass();

describe("collectDefinitions", () => {
  it("finds the classes of a module and of the namespaces in it, by their types", () => {
    const module = {
      Provider,
      Project,
      secrets: { directory: { Role, readRole: (): undefined => undefined }, version: 1 },
      nothing: null,
      list: [Project],
    };
    assert.deepEqual(
      [...collectDefinitions(module)],
      [
        ["provisioning:Project", { type: "provisioning:Project" }],
        ["secrets/directory:Role", { type: "secrets/directory:Role" }],
      ],
    );
  });

  it("finds nothing where there is nothing", () => {
    assert.equal(collectDefinitions({}).size, 0);
  });
});

describe("classOf", () => {
  const load = (module: string): object => require(`../../sdk/${module}`) as object;

  it("finds every class of the library in the module of its name", () => {
    for (const [type, definition] of collectDefinitions(library)) {
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
