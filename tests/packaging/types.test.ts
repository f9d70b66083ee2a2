import assert from "node:assert/strict";
import { isBuiltin } from "node:module";
import { relative } from "node:path";
import { reachableDeclarations } from "../support/declarations";
import { packedPackage, typedEntries } from "./support/package";

/** The packages whose types a program has to have for those of an entry: none but the SDK, which it has anyway. */
const needed: ReadonlyMap<string, readonly string[]> = new Map([
  ["pulumi-trivium", ["@pulumi/pulumi"]],
  ["pulumi-trivium/dynamic", ["@pulumi/pulumi"]],
  ["pulumi-trivium/testing", []],
  ["pulumi-trivium/webhook", []],
]);

describe("the public types of the package", function () {
  this.timeout("2m");

  it("are those of four entries", () => {
    assert.deepEqual([...typedEntries(packedPackage()).keys()].toSorted(), [...needed.keys()]);
  });

  for (const [entry, packages] of needed) {
    it(`need for ${entry} the types of ${packages.join(", ") || "no other package"}`, () => {
      const { foreign } = typesOf(entry);
      assert.deepEqual([...new Set(foreign.map(({ module }) => module))], packages, JSON.stringify(foreign));
    });
  }

  for (const entry of ["pulumi-trivium", "pulumi-trivium/dynamic", "pulumi-trivium/webhook"]) {
    it(`need for ${entry} no types of Node.js`, () => {
      assert.deepEqual(typesOf(entry).builtin, []);
    });
  }
});

interface Mention {
  readonly module: string;
  readonly file: string;
}

/** What the declarations behind an entry name outside the package, and where. */
function typesOf(entry: string): { readonly foreign: Mention[]; readonly builtin: Mention[] } {
  const subject = packedPackage();
  const types = typedEntries(subject).get(entry) ?? assert.fail(`no types of ${entry}`);
  const mentions = [...reachableDeclarations(types)].flatMap(([file, modules]) =>
    modules
      .filter((module) => !module.startsWith("."))
      .map((module): Mention => ({ module, file: relative(subject.directory, file) })),
  );
  return {
    foreign: mentions.filter(({ module }) => !isBuiltin(module)),
    builtin: mentions.filter(({ module }) => isBuiltin(module)),
  };
}
