import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { type CodeBlock, codeBlocksOf, documents, moduleOf } from "../../scripts/docs/code-blocks";
import { compilerOptions } from "../../scripts/docs/library";
import { repository } from "../support/packed-library";

const read = (path: string): string => readFileSync(join(repository, path), "utf8");

describe("README.md", () => {
  it("README.md is short, names the products at its beginning, and links every guide", () => {
    const text = read("README.md").trimEnd();
    const lines = text.split("\n");
    assert.ok(lines.length <= 180, `${lines.length} lines`);
    const beginning = lines.slice(0, 12).join("\n");
    const products = ["HCP Terraform", "Terraform Enterprise", "Vault", "OpenBao", "Nomad"];
    assert.deepEqual(
      [],
      products.filter((product) => !beginning.includes(product)),
    );
    const guides = readdirSync(join(repository, "docs")).filter((name) => /^(?!index).*\.md$/.test(name));
    assert.ok(guides.length > 0);
    assert.deepEqual(
      [],
      guides.filter((name) => !text.includes(`](docs/${name})`)),
    );
  });
});

describe("CHANGELOG.md", () => {
  it("CHANGELOG.md describes an unreleased version in at most 1,200 words", () => {
    const text = read("CHANGELOG.md");
    assert.ok(text.split(/\s+/).length <= 1_200, "Fold each line into the section that it belongs to.");
    assert.doesNotMatch(text, /\bBefore,/);
  });
});

describe("the pictures of the documentation", () => {
  const pictures = readdirSync(join(repository, "docs", "images"));

  it("the pictures of the documentation name functions, classes and hidden outputs that the library has", () => {
    const names = pictures.flatMap((name) =>
      [...read(`docs/images/${name}`).matchAll(/monospace">(\w+)</g)].map(([, code = ""]) => code),
    );
    assert.ok(names.length > 15);
    const library = readdirSync(join(repository, "sdk"), { recursive: true, encoding: "utf8" })
      .filter((path) => /^(?!node_modules|dist).*\.ts$/.test(path))
      .map((path) => read(join("sdk", path)))
      .join("\n");
    const missing = names.filter((name) =>
      name.startsWith("__")
        ? !library.includes(`"${name}"`)
        : !new RegExp(`\\bexport (?:async )?(?:function|class|const) ${name}\\b`).test(library),
    );
    assert.deepEqual(missing, []);
  });

  it("each picture of the documentation is on a page, with a text for readers who cannot see it", () => {
    const texts = [...documents(), "contributing/how-it-works.md"].map(read).join("\n");
    for (const name of pictures) {
      const shown = new RegExp(`!\\[[^\\]]{40,}\\]\\([^)]*images/${name.replace(".", "\\.")}\\)`);
      assert.match(texts, shown, name);
    }
  });
});

describe("code in README.md and docs", function () {
  this.timeout(120_000);
  const blocks = documents().flatMap((document) => codeBlocksOf(document));
  let problems: (block: CodeBlock) => readonly string[];

  before(() => {
    problems = compile(blocks);
  });

  for (const block of blocks) {
    it(`the block of code compiles: ${block.document}:${block.line}`, () =>
      assert.deepEqual(problems(block), []));
  }

  it("a block of code would not compile if it were wrong", () => {
    assert.ok(blocks.some(({ document }) => document === "docs/reference/provisioning/project.md"));
    const code = "new trivium.provisioning.Project('p', { nome: 'x' });";
    const wrong = { document: "README.md", line: 1, code };
    assert.match(compile([wrong])(wrong).join(), /nome/);
  });
});

/** Compiles blocks of code against the library as it is published. */
function compile(all: readonly CodeBlock[]): (block: CodeBlock) => readonly string[] {
  // Beside the examples, where the library is found as in a user's project.
  const modules = new Map(
    all.map((block, index) => [join(repository, "examples", `block-${index}.ts`), moduleOf(block)]),
  );
  const options: ts.CompilerOptions = { ...compilerOptions(), types: ["node"] };
  const files = ts.createCompilerHost(options);
  const host: ts.CompilerHost = {
    ...files,
    fileExists: (path) => modules.has(path) || files.fileExists(path),
    readFile: (path) => modules.get(path) ?? files.readFile(path),
    getSourceFile(path, language, ...rest) {
      const text = modules.get(path);
      return text === undefined
        ? files.getSourceFile(path, language, ...rest)
        : ts.createSourceFile(path, text, language, true);
    },
  };
  const program = ts.createProgram([...modules.keys()], options, host);
  const paths = [...modules.keys()];
  return (block) => {
    const source = program.getSourceFile(paths[all.indexOf(block)] ?? "");
    assert.ok(source);
    return ts.getPreEmitDiagnostics(program, source).map((diagnostic) => {
      const { line } = source.getLineAndCharacterOfPosition(diagnostic.start ?? 0);
      const text = ts.flattenDiagnosticMessageText(diagnostic.messageText, " ");
      return `${block.document}:${block.line + line}: ${text}`;
    });
  };
}
