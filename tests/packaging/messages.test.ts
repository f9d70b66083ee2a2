import assert from "node:assert/strict";
import { join } from "node:path";
import ts from "typescript";
import * as library from "../../sdk/index";
import { className, collectClasses, shortName } from "../../sdk/resource/definition";
import { repository } from "../support/packed-library";

const path = join(repository, "tests/packaging/a-program.ts");

/** As an editor asks it, about a program that is not written to a file. */
function serviceFor(program: string): ts.LanguageService {
  const { config } = ts.readConfigFile(join(repository, "tsconfig.json"), (name) =>
    ts.sys.readFile(name),
  ) as {
    readonly config: object;
  };
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, repository);
  const textOf = (name: string): string | undefined => (name === path ? program : ts.sys.readFile(name));
  return ts.createLanguageService({
    getScriptFileNames: () => [path],
    getScriptVersion: () => "1",
    getScriptSnapshot(name) {
      const text = textOf(name);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => repository,
    getCompilationSettings: () => ({ ...options, noEmit: true, incremental: false }),
    getDefaultLibFileName: (used) => ts.getDefaultLibFilePath(used),
    fileExists: (name) => name === path || ts.sys.fileExists(name),
    readFile: textOf,
    readDirectory: (...found) => ts.sys.readDirectory(...found),
    directoryExists: (name) => ts.sys.directoryExists(name),
    getDirectories: (name) => ts.sys.getDirectories(name),
  });
}

describe("the types of arguments in an editor", () => {
  const classes = [...collectClasses(library).values()].map(({ definition }) => definition);
  const names = classes.map((definition) => `${shortName(definition).replace(/^.*:/, "")}Args`);
  const lines = classes.map((each) => `new trivium.${className(each)}("it", { unheard: 1 });`);
  const start = 'import * as trivium from "../../sdk/index";\n';
  let service: ts.LanguageService;

  before(function () {
    this.timeout(120_000);
    service = serviceFor(start + lines.join("\n"));
  });
  after(() => service.dispose());

  it("the compiler shows the arguments of each class under the name that programs import, not as the types they consist of", function () {
    this.timeout(120_000);
    const messages = service
      .getSemanticDiagnostics(path)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
    assert.equal(messages.length, classes.length);
    for (const [index, message] of messages.entries()) {
      assert.ok(message.includes(`'${names[index]}'`), message);
      assert.ok(!/\b(?:Row|\w*ArgsOf|RequiredArgs)</.test(message), message);
    }
  });

  it("an editor shows the arguments of each class under the name that programs import", function () {
    this.timeout(120_000);
    for (const [index, definition] of classes.entries()) {
      const at = start.length + lines.slice(0, index).join("\n").length + (index === 0 ? 0 : 1);
      const shown = service.getQuickInfoAtPosition(
        path,
        at + "new trivium.".length + className(definition).lastIndexOf(".") + 2,
      );
      const text = ts.displayPartsToString(shown?.displayParts);
      assert.match(text, new RegExp(`args\\??: [\\w.]*\\b${names[index]}\\b`), text);
    }
  });
});
