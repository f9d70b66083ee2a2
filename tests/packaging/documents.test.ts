import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
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
});
