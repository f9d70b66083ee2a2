import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { repository, temporaryDirectory } from "../support/packed-library";
import { packedPackage } from "./support/package";

/** The text of a document without its blocks of code, in which brackets are no links. */
function proseOf(text: string): string {
  return text
    .replace(/^( *)(`{3,})[^]*?^\1\2$/gm, "")
    .replace(/`[^`\n]*`/g, (code) => code.replace(/[[\]]/g, ""));
}

/** Where the links and pictures of a document lead. */
function linksIn(text: string): readonly string[] {
  return [...proseOf(text).matchAll(/\]\(([^()\s]+)\)/g)].map(([, target = ""]) => target);
}

/** What a heading is called in an address, on the site and in a repository's viewer. */
function anchorsIn(text: string): ReadonlySet<string> {
  const headings = [...proseOf(text).matchAll(/^#{1,6} +(.+)$/gm)].map(([, heading = ""]) =>
    heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .replaceAll("`", "")
      .toLowerCase(),
  );
  const inViewers = headings.map((heading) =>
    heading.replace(/[^\p{L}\p{N}\s_-]/gu, "").replaceAll(" ", "-"),
  );
  const onTheSite = headings.map((heading) =>
    heading
      .replace(/[\s~`!@#$%^&*()\-_+=[\]{}|\\;:"'<>,.?/]+/g, "-")
      .replace(/^-+|-+$/g, "")
      .replace(/^(\d)/, "_$1"),
  );
  return new Set(inViewers.filter((anchor) => onTheSite.includes(anchor)));
}

/** The links of the documents in a directory that lead nowhere. */
function brokenLinks(directory: string): readonly string[] {
  const documents = readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".md"),
  );
  const textOf = (name: string): string => readFileSync(join(directory, name), "utf8");
  const leadsSomewhere = (name: string, link: string): boolean => {
    if (/^https:\/\//.test(link)) {
      return true;
    }
    const [path = "", anchor] = link.split("#");
    const target = path === "" ? name : posix.normalize(posix.join(posix.dirname(name), path));
    return (
      !target.startsWith("..") &&
      existsSync(join(directory, target)) &&
      (anchor === undefined || anchorsIn(textOf(target)).has(anchor))
    );
  };
  return documents.flatMap((name) =>
    linksIn(textOf(name))
      .filter((link) => !leadsSomewhere(name, link))
      .map((link) => `${name}: ${link}`),
  );
}

describe("the documents in the package", function () {
  this.timeout("2m");

  it("the documents in the package link to nothing but each other, to headings that exist, and to the web", () => {
    const { directory } = packedPackage();
    assert.ok(linksIn(readFileSync(join(directory, "README.md"), "utf8")).length > 20);
    assert.deepEqual(brokenLinks(directory), []);
  });

  it("broken links in the documents would be found", () => {
    const directory = temporaryDirectory("documents");
    writeFileSync(
      join(directory, "a.md"),
      "# One `two`\n[fine](b.md#three) [fine](#one-two) [x](c.md) [x](../a.md) [x](b.md#four) [x](http://a)\n",
    );
    writeFileSync(join(directory, "b.md"), "## Three\n\n```\n# Four\n[no link](d.md)\n```\n");
    const broken = brokenLinks(directory);
    rmSync(directory, { recursive: true });
    assert.deepEqual(
      broken,
      ["c.md", "../a.md", "b.md#four", "http://a"].map((link) => `a.md: ${link}`),
    );
  });
});

describe("npm publish", function () {
  this.timeout("1m");
  const directory = temporaryDirectory("publish");
  after(() => rmSync(directory, { recursive: true, force: true }));

  const read = (path: string): string => readFileSync(join(repository, path), "utf8");
  const repositoryUrl = "https://git.example.com/acme/pulumi-trivium";
  const links = {
    homepage: "https://docs.example.com/trivium",
    repository: { type: "git", url: `git+${repositoryUrl}.git` },
    bugs: { url: `${repositoryUrl}/issues` },
  };
  const [, shown = ""] =
    /## Before the first release[^]*?```json\n([^]*?)```/.exec(read("contributing/releasing.md")) ?? [];

  for (const [what, description, schemaVersion, refusal] of [
    [
      "refuses a package that does not say where it lives",
      { bugs: links.bugs, repository: { type: "git", url: "" } },
      "1.0.0",
      /no https address in homepage, repository\. [^]*contributing\/releasing\.md/,
    ],
    ["refuses a package whose plugin has a schema of another version", links, "0.9.0", /npm run schema/],
    ["takes a package that says where it lives", links, "1.0.0"],
    ["takes the package that contributing/releasing.md shows", JSON.parse(shown) as object, "1.0.0"],
  ] as const) {
    it(`what npm runs before it publishes ${what}`, () => {
      const { scripts } = JSON.parse(read("sdk/package.json")) as { scripts: Record<string, string> };
      const { prepublishOnly } = scripts;
      const manifest = { name: "published", version: "1.0.0", scripts: { prepublishOnly }, ...description };
      for (const [file, text] of Object.entries({
        "sdk/plugin/schema.json": JSON.stringify({ version: schemaVersion, repository: repositoryUrl }),
        "sdk/package.json": JSON.stringify(manifest),
        "scripts/check-publishable.mjs": read("scripts/check-publishable.mjs"),
      })) {
        mkdirSync(join(directory, file, ".."), { recursive: true });
        writeFileSync(join(directory, file), text);
      }
      const run = () =>
        execFileSync("npm", ["run", "prepublishOnly"], { cwd: join(directory, "sdk"), stdio: "pipe" });
      if (refusal === undefined) {
        assert.doesNotThrow(run);
      } else {
        assert.throws(run, refusal);
      }
    });
  }
});
