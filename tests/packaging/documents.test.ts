import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
  let directory: string;

  beforeEach(() => {
    directory = temporaryDirectory("publish");
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  /**
   * Runs what npm runs before it publishes, for a package with these links in its description.
   *
   * @param schemaVersion of the plugin's schema
   */
  function prepublish(
    links: Readonly<Record<string, unknown>>,
    schemaVersion = "1.0.0",
  ): { succeeded: boolean; text: string } {
    const { scripts } = JSON.parse(readFileSync(join(repository, "sdk", "package.json"), "utf8")) as {
      readonly scripts: Readonly<Record<string, string>>;
    };
    const sdk = join(directory, "sdk");
    mkdirSync(join(sdk, "plugin"), { recursive: true });
    writeFileSync(
      join(sdk, "plugin", "schema.json"),
      JSON.stringify({ version: schemaVersion, repository: "https://git.example.com/acme/pulumi-trivium" }),
    );
    cpSync(
      join(repository, "scripts", "check-publishable.mjs"),
      join(directory, "scripts", "check-publishable.mjs"),
    );
    const { prepublishOnly } = scripts;
    writeFileSync(
      join(sdk, "package.json"),
      JSON.stringify({ name: "published", version: "1.0.0", scripts: { prepublishOnly }, ...links }),
    );
    try {
      execFileSync("npm", ["run", "prepublishOnly"], { cwd: sdk, stdio: ["ignore", "pipe", "pipe"] });
      return { succeeded: true, text: "" };
    } catch (error) {
      return { succeeded: false, text: String((error as { readonly stderr: Buffer }).stderr) };
    }
  }

  const links = {
    homepage: "https://docs.example.com/trivium",
    repository: { type: "git", url: "git+https://git.example.com/acme/pulumi-trivium.git" },
    bugs: { url: "https://git.example.com/acme/pulumi-trivium/issues" },
  };

  it("npm publish is refused as long as the package does not say where it lives", () => {
    const { succeeded, text } = prepublish({ bugs: links.bugs, repository: { type: "git", url: "" } });
    assert.equal(succeeded, false);
    assert.match(text, /no https address in homepage, repository\. /);
    assert.match(text, /contributing\/releasing\.md/);
  });

  it("npm publish is not refused when it does", () => {
    const { succeeded, text } = prepublish(links);
    assert.ok(succeeded, text);
  });

  it("npm publish is refused when the plugin's schema is of another version", () => {
    const { succeeded, text } = prepublish(links, "0.9.0");
    assert.equal(succeeded, false);
    assert.match(text, /npm run schema/);
  });

  it("npm publish asks for what contributing/releasing.md shows", () => {
    const [, example = ""] =
      /## Before the first release[^]*?```json\n([^]*?)```/.exec(
        readFileSync(join(repository, "contributing", "releasing.md"), "utf8"),
      ) ?? [];
    const { succeeded, text } = prepublish(JSON.parse(example) as Record<string, unknown>);
    assert.ok(succeeded, text);
  });
});
