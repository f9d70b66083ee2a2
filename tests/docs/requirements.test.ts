import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fingerprintsOf, quotesIn, unknownQuotes } from "../../scripts/document-fingerprints";

const root = join(__dirname, "..", "..");

/** Each table and the folder of the client that speaks to its service. */
const tables = [
  { file: "contributing/requirements/provisioning-service.md", client: "sdk/provisioning" },
  { file: "contributing/requirements/secrets-service.md", client: "sdk/secrets" },
  { file: "contributing/requirements/scheduler-events.md", client: "sdk/scheduler" },
];

/** One line of a table. */
interface Requirement {
  readonly what: string;
  readonly implemented: readonly string[];
  readonly tested: readonly { readonly file: string; readonly title: string }[];
}

describe("the tables of requirements", () => {
  for (const { file, client } of tables) {
    describe(file, () => {
      const requirements = readTable(file);
      const endpoints = requirements.flatMap(({ what }) => endpointIn(what) ?? []);
      const fingerprints = readFingerprints(file);

      it("names files that exist", () => {
        const named = requirements.flatMap(({ implemented, tested }) => [
          ...implemented,
          ...tested.map((test) => test.file),
        ]);
        assert.deepEqual(
          named.filter((path) => !existsSync(join(root, path))),
          [],
        );
      });

      it("says of every requirement where it is implemented, and by which test it is shown", () => {
        const lacking = requirements.filter(
          ({ implemented, tested }) => implemented.length === 0 || tested.length === 0,
        );
        assert.deepEqual(
          lacking.map(({ what }) => what),
          [],
        );
        assert.ok(requirements.length > 10, "the table is read");
      });

      it("names tests by titles that they have", () => {
        const missing = requirements
          .flatMap(({ tested }) => tested)
          .filter((test) => !titlesIn(test.file).has(test.title));
        assert.deepEqual(missing, []);
      });

      it("names each requirement once", () => {
        const names = requirements.map(({ what }) => what);
        assert.deepEqual(
          names.filter((name, index) => names.indexOf(name) !== index),
          [],
        );
      });

      it("quotes only what is in the document", () => {
        const invented = requirements.flatMap(({ what }) => unknownQuotes(what, fingerprints));
        assert.deepEqual(invented, []);
      });

      it("would not pass with a quote that lacks a word", () => {
        const quotes = requirements.flatMap(({ what }) => quotesIn(what));
        const shortened = quotes
          .filter((quote) => quote.split(" ").length > 3)
          .map((quote) => `"${quote.replace(/ [^ ]+$/, "")}"`);
        assert.ok(shortened.length > 0, "the quotes are found");
        assert.deepEqual(
          shortened.filter((quote) => unknownQuotes(quote, fingerprints).length === 0),
          [],
        );
      });

      it("has every endpoint that the client knows", () => {
        const shapes = new Set(endpoints.map(shapeOf));
        const unlisted = [...pathsOf(client)].filter((path) => !shapes.has(path));
        assert.deepEqual(unlisted, []);
      });

      it("has no endpoint that the client does not know", () => {
        const known = pathsOf(client);
        assert.deepEqual(
          endpoints.filter((endpoint) => !known.has(shapeOf(endpoint))),
          [],
        );
      });
    });
  }

  it("are read as they are written", () => {
    assert.deepEqual(
      readRow("| `GET /a/:b` | `sdk/a.ts`<br>`sdk/b.ts` | `tests/a.test.ts`: does `this` \\| that |"),
      {
        what: "`GET /a/:b`",
        implemented: ["sdk/a.ts", "sdk/b.ts"],
        tested: [{ file: "tests/a.test.ts", title: "does `this` | that" }],
      },
    );
  });
});

describe("quotes of a document", () => {
  const document = [
    "# Baskets",
    "A basket holds 12 eggs; brown ones (`egg: brown`) come first. `GET /eggs` lists them.",
    "| size | Default: `1.5`, at least 1. |",
  ].join("\n");
  const fingerprints = new Set(fingerprintsOf(document));

  for (const quote of [
    "A basket holds 12 eggs",
    "a basket holds 12  eggs; brown ones",
    "`egg: brown`",
    "GET /eggs lists them.",
    "`1.5`, at least 1",
  ]) {
    it(`are whole parts of its sentences: ${quote}`, () => {
      assert.deepEqual(unknownQuotes(`A rule: "${quote}"`, fingerprints), []);
    });
  }

  for (const quote of [
    "A basket holds 13 eggs",
    "A basket holds 12 eggs, brown ones",
    "holds 12 eggs",
    "egg",
    "brown ones; a basket always holds 12 eggs",
    "",
  ]) {
    it(`are not anything else: ${JSON.stringify(quote)}`, () => {
      assert.deepEqual(unknownQuotes(`A rule: "${quote}"`, fingerprints), [quote]);
    });
  }

  it("are not the products' words, nor texts in code", () => {
    assert.deepEqual(
      quotesIn('`"a"` may be: "one `b` two"; the products: "three"; the products only: "four", "five `"'),
      ["one `b` two", "five `"],
    );
  });

  it("cannot be read from the fingerprints, which are short and in no order of the document", () => {
    for (const { file } of tables) {
      const kept = [...readFingerprints(file)];
      assert.ok(kept.length > 100, file);
      assert.deepEqual(kept, kept.toSorted());
      assert.deepEqual(
        kept.filter((fingerprint) => !/^[0-9a-f]{8}$/.test(fingerprint)),
        [],
      );
    }
  });
});

/** The fingerprints of the document that a table is about. */
function readFingerprints(file: string): ReadonlySet<string> {
  const name = basename(file, ".md");
  const text = readFileSync(join(root, "tests", "fixtures", "documents", `${name}.txt`), "utf8");
  return new Set(text.trimEnd().split("\n"));
}

function readTable(file: string): Requirement[] {
  return readFileSync(join(root, file), "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| ") && !/^\| (?:-+|Requirement|Endpoint) /.test(line))
    .map(readRow);
}

function readRow(line: string): Requirement {
  const [, what = "", implemented = "", tested = ""] = line
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));
  return {
    what,
    implemented: [...implemented.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path),
    tested: tested
      .split("<br>")
      .filter((test) => test !== "")
      .map((test) => {
        const [, file = "", title = ""] = /^`([^`]+)`: (.+)$/.exec(test) ?? [];
        return { file, title };
      }),
  };
}

/** The path of the endpoint that a requirement begins with, such as `GET /projects/:project_id`. */
function endpointIn(what: string): string | undefined {
  return /^`(?:GET|POST|PATCH|DELETE) ([^` ]+)/.exec(what)?.[1];
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
