import assert from "node:assert/strict";
import { collectDefinitions } from "../../sdk/resource/registry";

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
