import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(__dirname, "..", "..");

/** Each table and the folder of the client that speaks to its service. */
const tables = [
  { file: "contributing/requirements/provisioning-service.md", client: "sdk/provisioning" },
  { file: "contributing/requirements/secrets-service.md", client: "sdk/secrets" },
  { file: "contributing/requirements/scheduler-events.md", client: "sdk/scheduler" },
];

const none = (found: readonly unknown[]): void => assert.deepEqual(found, []);

describe("the tables of requirements", () => {
  for (const { file, client } of tables) {
    const requirements = readTable(file);

    it(`${file} names files and tests that exist, once for each requirement`, () => {
      const names = requirements.map(({ what }) => what);
      assert.ok(names.length > 10, "the table is read");
      assert.deepEqual(names, [...new Set(names)]);
      const tests = requirements.flatMap(({ tested }) => tested);
      const files = requirements.flatMap(({ implemented, tested }) => [
        ...implemented,
        ...tested.map(({ file }) => file),
      ]);
      none(requirements.filter(({ implemented, tested }) => implemented.length * tested.length === 0));
      none(files.filter((path) => !existsSync(join(root, path))));
      none(tests.filter((test) => !titlesIn(test.file).has(test.title)));
    });

    it(`${file} lists exactly the endpoints that the client uses`, () => {
      const endpoints = requirements.flatMap(({ what }) => endpointIn(what) ?? []).map(shapeOf);
      assert.deepEqual([...new Set(endpoints)].toSorted(), [...pathsOf(client)].toSorted());
    });
  }
});

function readTable(file: string) {
  return readFileSync(join(root, file), "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| ") && !/^\| (?:-+|Requirement|Endpoint) /.test(line))
    .map((line) => {
      const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
      const [, what = "", implemented = "", tested = ""] = cells;
      return {
        what,
        implemented: [...implemented.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path),
        tested: tested.split("<br>").flatMap((test) => {
          const [, path = "", title = ""] = /^`([^`]+)`: (.+)$/.exec(test) ?? [];
          return test === "" ? [] : [{ file: path, title }];
        }),
      };
    });
}

/** The path of the endpoint that a requirement begins with, such as `GET /projects/:project_id`. */
function endpointIn(what: string): string | undefined {
  return /^`(?:GET|POST|PUT|PATCH|DELETE) ([^` ]+)/.exec(what)?.[1];
}

/** A path with a `*` for each value in it. */
function shapeOf(path: string): string {
  return path.replace(/:\w+/g, "*");
}

/** The shapes of all paths in a folder's sources; those without a fixed part name objects, not endpoints. */
function pathsOf(folder: string): Set<string> {
  const sources = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    // Probes also ask what only products have, which no service's document asks for.
    .filter((name) => name.endsWith(".ts") && name !== "probe.ts")
    .map((name) => readFileSync(join(root, folder, name), "utf8"));
  const shapes = sources
    .flatMap((text) => [...text.matchAll(/\bpath`([^`]+)`/g)])
    .map(([, template = ""]) => template.replace(/\$\{[^}]*\}/g, "*"));
  return new Set(shapes.filter((shape) => /[a-z]/.test(shape)));
}

/** What tests and groups of tests of a file are called; templates as they are written. */
function titlesIn(file: string): Set<string> {
  const text = existsSync(join(root, file)) ? readFileSync(join(root, file), "utf8") : "";
  const titles = text.matchAll(/\b(?:describe|it)\(\s*(["'`])((?:\\.|(?!\1).)*)\1/gs);
  return new Set([...titles].map(([, , title = ""]) => title.replace(/\\(.)/gs, "$1")));
}
