import assert from "node:assert/strict";
import { ProgramDirectory } from "../engine/support/program-directory";

describe("the example of components, as it is", function () {
  this.timeout(120_000);

  let example: ProgramDirectory;
  before(() => (example = ProgramDirectory.ofExample("components")));
  after(() => example.remove());

  it("the example of components passes its own tests", async () => {
    const { succeeded, text } = await example.run(["npm", "test"]);
    assert.ok(succeeded, text);
    assert.match(text, /\b1[0-9] passing/);
  });

  it("the example of components compiles to a package that contains only what programs need", async () => {
    const { succeeded, text } = await example.run(["npm", "pack", "--json", "--silent"]);
    assert.ok(succeeded, text);
    const [packed] = JSON.parse(text) as { readonly files: readonly { readonly path: string }[] }[];
    const paths = packed?.files.map(({ path }) => path).toSorted();
    const names = ["directory-engine", "index", "landing-zone", "scheduler-engine"];
    const compiled = names.flatMap((name) => [`dist/${name}.d.ts`, `dist/${name}.js`]);
    assert.deepEqual(paths, ["README.md", ...compiled, "package.json"].toSorted());
  });
});
