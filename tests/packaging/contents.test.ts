import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import ts from "typescript";
import { reachableDeclarations, repository } from "../support/packed-library";
import { type Package, packedPackage, typedEntries } from "./support/package";

describe("the contents of the package", function () {
  this.timeout("2m");
  let subject: Package;
  let files: readonly string[];

  before(() => {
    subject = packedPackage();
    files = readdirSync(subject.directory, { recursive: true, encoding: "utf8" })
      .filter((name) => statSync(join(subject.directory, name)).isFile())
      .toSorted();
  });

  it("the contents of the package are the compiled code, its types, the command, and what a user reads; nothing else", () => {
    const others = files.filter((name) => !/^dist\/[\w/-]+\.(?:js|d\.ts)$/.test(name));
    const guides = readdirSync(join(repository, "docs"), { recursive: true, encoding: "utf8" })
      .filter((name) => /^(?!index\.md|\.vitepress|public).*\.(?:md|svg)$/.test(name))
      .map((name) => `docs/${name}`);
    assert.ok(guides.includes("docs/getting-started.md"));
    assert.deepEqual(others, [
      "CHANGELOG.md",
      "LICENSE",
      "README.md",
      "SECURITY.md",
      "bin/pulumi-trivium.mjs",
      "dist/THIRD-PARTY-NOTICES.txt",
      ...guides.toSorted(),
      "package.json",
      "plugin/pulumi-resource-",
      "plugin/pulumi-resource-trivium",
      "plugin/pulumi-resource-trivium.cmd",
      "plugin/schema.json",
    ]);
  });

  it("the contents of the package are of this build: each module of the sources with its types, and no deleted one", () => {
    const sources = readdirSync(join(repository, "sdk"), { recursive: true, encoding: "utf8" })
      .filter((name) => /^(?!dist\/|node_modules\/).*\.ts$/.test(name))
      .map((name) => name.replace(/\.ts$/, ""));
    const compiled = sources.flatMap((name) => [`dist/${name}.d.ts`, `dist/${name}.js`]);
    assert.ok(compiled.length > 400, String(compiled.length));
    const actual = files.filter((name) => /^dist\/.*\.(?:js|d\.ts)$/.test(name));
    assert.deepEqual(actual, compiled.toSorted());
  });

  it("the contents of the package are the documents of the repository", () => {
    for (const name of ["CHANGELOG.md", "LICENSE", "README.md", "SECURITY.md", "docs/getting-started.md"]) {
      const [packed, own] = [subject.directory, repository].map((place) => readFileSync(join(place, name)));
      assert.deepEqual(packed, own, name);
    }
  });

  it("the contents of the package name each package of others that is bundled, with its licence", () => {
    const bundled = ["dist/dynamic.js", "dist/plugin/main.js"].flatMap((name) =>
      [
        ...readFileSync(join(subject.directory, name), "utf8").matchAll(
          /"[^"\s]*node_modules\/([^"\s]+)"\(/g,
        ),
      ].map(([, path = ""]) => path.split("/", path.startsWith("@") ? 2 : 1).join("/")),
    );
    assert.ok(["zod", "@grpc/grpc-js", "google-protobuf"].every((name) => bundled.includes(name)));
    const notices = readFileSync(join(subject.directory, "dist/THIRD-PARTY-NOTICES.txt"), "utf8");
    for (const name of new Set(bundled)) {
      const directory = join(repository, "node_modules", name);
      const file = readdirSync(directory).find((each) => /^licen[cs]e(?:\.\w+)?$/i.test(each)) ?? "LICENSE";
      const license = readFileSync(join(directory, file), "utf8");
      assert.match(notices, new RegExp(`^${name} \\d`, "m"));
      assert.ok(notices.includes(license.trim()), name);
    }
  });

  it("the contents of the package have everything that its description names, and a command line that starts by itself", () => {
    const { bin, exports } = subject.manifest;
    const targets = Object.values(exports).flatMap((target) =>
      typeof target === "string" ? [target] : [target.types, target.default],
    );
    const programs = Object.values(bin);
    for (const target of [...targets, ...programs]) {
      assert.ok(files.includes(target.replace("./", "")), target);
    }
    for (const program of programs) {
      assert.match(readFileSync(join(subject.directory, program), "utf8"), /^#!\/usr\/bin\/env node\n/);
    }
  });

  it("the contents of the package tell nobody where they were built, and point to no source maps", () => {
    for (const name of files) {
      const text = readFileSync(join(subject.directory, name), "utf8");
      assert.ok(!text.includes(repository), `${name} names ${repository}`);
      assert.doesNotMatch(text, /^\/\/# sourceMappingURL=/m, name);
    }
  });
});

describe("the exports of the package", function () {
  this.timeout("2m");

  it("the exports of the package have nothing that publint finds fault with", async () => {
    const { publint } = await import("publint");
    const { formatMessage } = await import("publint/utils");
    const { buffer, byteOffset, byteLength } = readFileSync(packedPackage().tarball);
    const { messages, pkg } = await publint({
      pack: { tarball: buffer.slice(byteOffset, byteOffset + byteLength) },
      strict: true,
    });
    assert.equal(pkg.name, "pulumi-trivium");
    assert.deepEqual(
      messages.map((message) => formatMessage(message, pkg)),
      [],
    );
  });

  it("the exports of the package lead to their types from CommonJS, from ES modules, for bundlers and for old compilers", async () => {
    const { checkPackage, createPackageFromTarballData } = await import("@arethetypeswrong/core");
    const { manifest, tarball } = packedPackage();
    const analysis = await checkPackage(createPackageFromTarballData(readFileSync(tarball)));
    assert.ok(analysis.types !== false, "the package has types");
    assert.deepEqual(Object.keys(analysis.entrypoints).toSorted(), Object.keys(manifest.exports).toSorted());
    for (const [entry, { resolutions }] of Object.entries(analysis.entrypoints)) {
      const target = manifest.exports[entry];
      const file = typeof target === "string" ? target : target?.types;
      for (const [kind, { resolution }] of Object.entries(resolutions)) {
        assert.equal(
          resolution?.fileName,
          file?.replace(".", "/node_modules/pulumi-trivium"),
          `${entry} as ${kind}`,
        );
      }
    }
    assert.deepEqual(analysis.problems, []);
  });
});

/** What programs need for the types of an entry: of other packages only the SDK, which they have anyway. */
const needed: Readonly<Record<string, readonly string[]>> = {
  "pulumi-trivium": ["@pulumi/pulumi"],
  "pulumi-trivium/dynamic": ["@pulumi/pulumi"],
  "pulumi-trivium/testing": ["Node.js"],
  "pulumi-trivium/webhook": [],
};

describe("the public types of the package", function () {
  this.timeout("2m");

  it("the public types of the package are those of four entries", () =>
    assert.deepEqual([...typedEntries(packedPackage()).keys()].toSorted(), Object.keys(needed)));

  for (const [entry, packages] of Object.entries(needed)) {
    it(`the public types of ${entry} need the types of ${packages.join() || "no other package"}`, () => {
      const types = typedEntries(packedPackage()).get(entry) ?? assert.fail("It has no types.");
      const modules = [...reachableDeclarations(types).values()].flat();
      const others = modules.filter((module) => !module.startsWith("."));
      const found = new Set(others.map((module) => (isBuiltin(module) ? "Node.js" : module)));
      assert.deepEqual([...found], packages);
    });
  }
});

// The comments of rows, which editors show for what follows from them.
describe("an editor shows of the package", function () {
  this.timeout("2m");
  const program = `
import * as pulumi from "@pulumi/pulumi";
import * as trivium from "./unpacked/dist/index";
const { mfa, directory } = trivium.secrets;
const method = new mfa.TotpMethod("codes", { issuer: "Acme", /*argument*/period: 30, algorithm: "SHA1" });
export const seconds = method./*output*/period;
export const found = mfa.getTotpMethod({ /*of a function*/id: "x" }).then((method) => method./*result*/period);
directory.getStaticCredentials({ roleName: "x" }).then((role) => role./*secret*/password);
new mfa.TotpMethod("more", { /*completion*/ });
mfa.TotpMethod./*reading*/get("existing", "id");
`;
  const file = () => join(packedPackage().directory, "..", "program.ts");
  let service: ts.LanguageService;

  before(() => {
    service = ts.createLanguageService({
      getCompilationSettings: () => ({ strict: true, module: ts.ModuleKind.Node16, types: [] }),
      getCurrentDirectory: () => repository,
      getDefaultLibFileName: ts.getDefaultLibFilePath,
      getScriptFileNames: () => [file()],
      getScriptVersion: () => "1",
      getScriptSnapshot: (name) => {
        const text = name === file() ? program : ts.sys.readFile(name);
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
      },
      fileExists: (name) => ts.sys.fileExists(name),
      readFile: (name) => ts.sys.readFile(name),
    });
  });
  after(() => service.dispose());

  const at = (place: string): number => program.indexOf(`/*${place}*/`) + `/*${place}*/`.length;
  const shown = (
    info: Pick<ts.QuickInfo, "displayParts" | "documentation" | "tags"> | undefined,
  ): readonly (string | undefined)[] => [
    ts.displayPartsToString(info?.displayParts),
    ts.displayPartsToString(info?.documentation).split("\n")[0],
    ts.displayPartsToString(info?.tags?.find(({ name }) => name === "default")?.text),
  ];
  const validity =
    'How long a code is valid; must be positive: whole seconds, or a duration such as `"30s"`; the output is in seconds.';
  const hovers: Readonly<Record<string, readonly string[]>> = {
    argument: ["(property) period?: pulumi.Input<string | number | null | undefined>", validity, "30"],
    output: ["(property) period: pulumi.OutputInstance<number>", validity, "30"],
    "of a function": ["(property) id: string", "The method's id.", ""],
    result: ["(property) period: number", validity, "30"],
    secret: [
      "(property) password: string | undefined",
      "The current password; `undefined` before the first rotation, when the service does not know it.",
      "",
    ],
  };
  for (const [place, expected] of Object.entries(hovers)) {
    it(`an editor shows for ${place}: the text, the default and the type of its row`, () =>
      assert.deepEqual(shown(service.getQuickInfoAtPosition(file(), at(place))), expected));
  }

  it("an editor shows the arguments to complete, required ones first, each with the text of its row", () => {
    const entries = service.getCompletionsAtPosition(file(), at("completion"), {})?.entries ?? [];
    const [first] = entries.toSorted((one, other) => (one.sortText < other.sortText ? -1 : 1));
    assert.deepEqual([first?.name, entries.length], ["issuer", 11]);
    const details = service.getCompletionEntryDetails(
      file(),
      at("completion"),
      "period",
      {},
      undefined,
      {},
      undefined,
    );
    assert.deepEqual(shown(details), hovers.argument);
  });

  it("an editor shows what get returns, and none of a class that cannot be read", () => {
    const [display] = shown(service.getQuickInfoAtPosition(file(), at("reading")));
    assert.match(display ?? "", /\): trivium\.secrets\.mfa\.TotpMethod$/);
    const text = readFileSync(
      join(packedPackage().directory, "dist/secrets/directory/library-checkout.d.ts"),
      "utf8",
    );
    assert.match(text, /class LibraryCheckout extends TriviumResource</);
  });
});
