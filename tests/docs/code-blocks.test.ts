import assert from "node:assert/strict";
import { join } from "node:path";
import ts from "typescript";
import { type CodeBlock, codeBlocksOf, documents, moduleOf } from "../../scripts/docs/code-blocks";
import { compilerOptions, repository } from "../../scripts/docs/library";

describe("code in README.md and docs", function () {
  this.timeout(120_000);
  const blocks = documents().flatMap((document) => codeBlocksOf(document));
  let problems: (block: CodeBlock) => readonly string[];

  before(() => {
    problems = compile(blocks);
  });

  it("is found", () => {
    const found = new Set(blocks.map(({ document }) => document));
    assert.ok(found.has("README.md"));
    assert.ok(found.has(join("docs", "reference", "provisioning", "project.md")));
  });

  for (const block of blocks) {
    it(`compiles: ${block.document}:${block.line}`, () => {
      assert.deepEqual(problems(block), []);
    });
  }

  it("would not compile if it were wrong", () => {
    const wrong = {
      document: "README.md",
      line: 1,
      code: "new trivium.provisioning.Project('p', { nome: 'x' });",
    };
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
