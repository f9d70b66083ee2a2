import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The table of the tiers, which is a module of another kind. */
interface Tiers {
  readonly rows: readonly { readonly name: string; readonly paths: readonly string[] }[];
  readonly tiers: Readonly<Record<string, { readonly rows: readonly string[] }>>;
  byRow(files: readonly string[]): Map<string, string[]>;
}

describe("the tiers of the tests", () => {
  let table: Tiers;
  const files = readdirSync(__dirname, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".test.ts"),
  );

  before(async () => {
    table = (await import(join(__dirname, "tiers.mjs"))) as Tiers;
  });

  it("the tiers contain every file once: npm test, the additional files of npm run test:rest, and the rows of test:plugin and test:live", () => {
    const { tiers } = table;
    const { change = assert.fail(), rest = assert.fail(), all = assert.fail() } = tiers;
    const found = table.byRow(files);
    const filesOf = (rows: readonly string[]) => rows.flatMap((row) => found.get(row) ?? []);
    const nightly = filesOf(["plugin", "live"]);
    assert.deepEqual([...filesOf(change.rows), ...filesOf(rest.rows), ...nightly].sort(), [...files].sort());
    assert.deepEqual([...filesOf(all.rows), ...nightly].sort(), [...files].sort());
  });

  it("the tiers name files and directories that exist", () => {
    const missing = table.rows
      .flatMap(({ paths }) => paths)
      .filter((path) => !files.some((file) => file.startsWith(path)));
    assert.deepEqual(missing, []);
  });

  it("the examples in contributing/tests.md name existing files", () => {
    const page = readFileSync(join(__dirname, "..", "contributing", "tests.md"), "utf8");
    for (const file of ["support/fake-engine.test.ts", "engine/shared-stack.test.ts"]) {
      assert.ok(
        page.includes(`\`\`\`typescript\n${readFileSync(join(__dirname, file), "utf8")}\`\`\``),
        file,
      );
    }
  });
});
