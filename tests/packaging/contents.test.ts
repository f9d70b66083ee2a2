import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join, posix } from "node:path";
import ts from "typescript";
import { reachableDeclarations, repository } from "../support/packed-library";
import { packedPackage } from "./support/package";

interface BillOfMaterials {
  readonly metadata: { readonly component: { readonly version: string } };
  readonly components: readonly {
    readonly group?: string;
    readonly name: string;
    readonly version: string;
    readonly licenses: readonly unknown[];
    readonly properties: readonly { readonly name: string; readonly value: string }[];
  }[];
}

describe("the contents of the package", function () {
  this.timeout("2m");
  let subject: ReturnType<typeof packedPackage>;
  let files: readonly string[];

  before(() => {
    subject = packedPackage();
    files = filesIn(subject.directory).filter((name) => statSync(join(subject.directory, name)).isFile());
  });
  const read = (name: string): string => readFileSync(join(subject.directory, name), "utf8");

  it("the contents of the package are the compiled code, its types, the command, and what a user reads; nothing else", () => {
    const documents = ["CHANGELOG.md", "LICENSE", "README.md", "SECURITY.md"];
    const guides = filesIn(join(repository, "docs"))
      .filter((name) => /^(?!index\.md|\.vitepress|public).*\.(?:md|svg)$/.test(name))
      .map((name) => `docs/${name}`);
    assert.ok(guides.includes("docs/getting-started.md"));
    assert.deepEqual(
      files.filter((name) => !/^dist\/[\w/-]+\.(?:js|d\.ts)$/.test(name)),
      [
        ...documents,
        "bin/pulumi-trivium.mjs",
        "dist/THIRD-PARTY-NOTICES.txt",
        "dist/bom.cdx.json",
        "dist/command-line/policy/recorded-requests.json",
        "dist/webhook.mjs",
        ...guides,
        "package.json",
        "plugin/pulumi-resource-",
        "plugin/pulumi-resource-trivium",
        "plugin/pulumi-resource-trivium.cmd",
        "plugin/schema.json",
      ],
    );
    for (const name of [...documents, "docs/getting-started.md"]) {
      assert.equal(read(name), readFileSync(join(repository, name), "utf8"), name);
    }
  });

  it("the contents of the package are from this build: each module of the sources with its types, and no deleted ones", () => {
    const sources = filesIn(join(repository, "sdk"))
      .filter((name) => /^(?!dist\/|node_modules\/).*\.ts$/.test(name))
      .map((name) => name.replace(/\.ts$/, ""));
    const compiled = sources.flatMap((name) => [`dist/${name}.d.ts`, `dist/${name}.js`]);
    assert.ok(compiled.length > 400, String(compiled.length));
    const actual = files.filter((name) => /^dist\/.*\.(?:js|d\.ts)$/.test(name));
    assert.deepEqual(actual, compiled.toSorted());
  });

  /** As the bundler names the modules. */
  const bundledIn = (name: string): ReadonlySet<string> =>
    new Set(
      [...read(name).matchAll(/"[^"\s]*node_modules\/((?:@[^/\s"]+\/)?[^/\s"]+)[^"\s]*"\(/g)].map(
        ([, module = ""]) => module,
      ),
    );
  const bundles = ["dist/dynamic.js", "dist/plugin/main.js"] as const;

  it("the contents of the package name each bundled third-party package, with its license", () => {
    const bundled = bundles.flatMap((name) => [...bundledIn(name)]);
    assert.ok(["zod", "@grpc/grpc-js", "google-protobuf"].every((name) => bundled.includes(name)));
    const notices = read("dist/THIRD-PARTY-NOTICES.txt");
    for (const name of new Set(bundled)) {
      const directory = join(repository, "node_modules", name);
      const file = readdirSync(directory).find((each) => /^licen[cs]e(?:\.\w+)?$/i.test(each)) ?? "LICENSE";
      assert.match(notices, new RegExp(`^${name} \\d`, "m"));
      assert.ok(notices.includes(readFileSync(join(directory, file), "utf8").trim()), name);
    }
  });

  it("the contents of the package include a CycloneDX document that lists what each bundle contains, with the installed versions", async () => {
    const text = read("dist/bom.cdx.json");
    const { Spec, Validation } = await import("@cyclonedx/cyclonedx-library");
    const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
    assert.equal(await validator.validate(text), null);
    const { metadata, components } = JSON.parse(text) as BillOfMaterials;
    assert.equal(metadata.component.version, subject.manifest.version);
    const found = components.map(({ group, name, version, licenses, properties }) => {
      const full = group === undefined ? name : `${group}/${name}`;
      const file = join(repository, "node_modules", full, "package.json");
      const installed = JSON.parse(readFileSync(file, "utf8")) as { readonly version: string };
      assert.equal(version, installed.version, full);
      assert.ok(licenses.length > 0, full);
      const places = properties.flatMap((each) =>
        each.name === "pulumi-trivium:bundle" ? [each.value] : [],
      );
      return [full, places] as const;
    });
    for (const bundle of bundles) {
      const listed = found.flatMap(([name, places]) => (places.includes(bundle) ? [name] : []));
      const missing = [...bundledIn(bundle)].filter((name) => !listed.includes(name));
      assert.deepEqual(missing, [], bundle);
      assert.ok(listed.includes("undici"), bundle);
    }
  });

  it("the contents of the package include a command line that starts on its own", () => {
    for (const program of Object.values(subject.manifest.bin)) {
      assert.match(read(program), /^#!\/usr\/bin\/env node\n/);
    }
  });

  for (const entry of ["pulumi-trivium", "pulumi-trivium/testing"]) {
    it(`the package is its own default import from ${entry}, in CommonJS and in ES modules`, () => {
      const run = (...words: readonly string[]) =>
        execFileSync(process.execPath, words, { cwd: repository, encoding: "utf8" });
      const names = "console.log(Object.keys(library).join());";
      const required = `const found = require("${entry}"); const library = found.__esModule ? found.default : found;`;
      const all = run("-e", `const library = require("${entry}"); ${names}`);
      assert.equal(run("-e", `${required} ${names}`), all);
      const imported = `import library from "${entry}"; ${names}`;
      assert.equal(run("--input-type=module", "-e", imported), all);
    });
  }

  it("the contents of the package do not reveal where they were built, and do not refer to source maps", () => {
    for (const name of files) {
      assert.ok(!read(name).includes(repository), `${name} names ${repository}`);
      assert.doesNotMatch(read(name), /^\/\/# sourceMappingURL=/m, name);
    }
  });

  it("the documents in the package link only to each other, to existing headings, and to the web", () => {
    assert.ok(linksIn(read("README.md")).length > 20);
    const broken = files
      .filter((name) => name.endsWith(".md"))
      .flatMap((name) =>
        linksIn(read(name))
          .filter((link) => !leadsSomewhere(name, link))
          .map((link) => `${name}: ${link}`),
      );
    assert.deepEqual(broken, []);
  });
  const leadsSomewhere = (name: string, link: string): boolean => {
    const [path = "", anchor] = link.split("#");
    const target = path === "" ? name : posix.normalize(posix.join(posix.dirname(name), path));
    const isThere = files.includes(target) && (anchor === undefined || anchorsIn(read(target)).has(anchor));
    return isThere || /^https:\/\//.test(link);
  };

  it("the exports of the package pass publint", async () => {
    const { publint } = await import("publint");
    const { formatMessage } = await import("publint/utils");
    const { buffer, byteOffset, byteLength } = readFileSync(subject.tarball);
    const tarball = buffer.slice(byteOffset, byteOffset + byteLength);
    const { messages, pkg } = await publint({ pack: { tarball }, strict: true });
    const found = messages.map((message) => formatMessage(message, pkg));
    assert.deepEqual([pkg.name, found], ["pulumi-trivium", []]);
  });

  it("the exports of the package resolve to their types in CommonJS, in ES modules, for bundlers and for old compilers", async () => {
    const { checkPackage, createPackageFromTarballData } = await import("@arethetypeswrong/core");
    const analysis = await checkPackage(createPackageFromTarballData(readFileSync(subject.tarball)));
    assert.ok(analysis.types !== false, "the package has types");
    const { exports } = subject.manifest;
    assert.deepEqual(Object.keys(analysis.entrypoints).toSorted(), Object.keys(exports).toSorted());
    for (const [entry, { resolutions }] of Object.entries(analysis.entrypoints)) {
      const target = exports[entry];
      const file = (typeof target === "string" ? target : target?.types) ?? "";
      const expected = file.replace(".", "/node_modules/pulumi-trivium");
      for (const [kind, { resolution }] of Object.entries(resolutions)) {
        assert.equal(resolution?.fileName, expected, `${entry} as ${kind}`);
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

  it("the public types of the package need only the types of the SDK and Node.js", () => {
    const { directory, manifest } = packedPackage();
    const found = Object.entries(manifest.exports).flatMap(([entry, target]) => {
      if (typeof target === "string") {
        return [];
      }
      const modules = [...reachableDeclarations(join(directory, target.types)).values()].flat();
      const others = modules.filter((module) => !module.startsWith("."));
      const packages = new Set(others.map((module) => (isBuiltin(module) ? "Node.js" : module)));
      return [[join("pulumi-trivium", entry), [...packages]]];
    });
    assert.deepEqual(Object.fromEntries(found), needed);
  });
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
    'How long a code is valid: whole seconds, or a duration such as `"30s"`. Must be positive.';
  const hovers: Readonly<Record<string, readonly string[]>> = {
    argument: ["(property) period?: pulumi.Input<string | number | null | undefined>", validity, "30"],
    output: ["(property) period: pulumi.OutputInstance<number>", validity, "30"],
    "of a function": ["(property) id: string", "The method's ID.", ""],
    result: ["(property) period: number", validity, "30"],
    secret: [
      "(property) password: string | undefined",
      "The current password; `undefined` before the first rotation, when the service does not know it.",
      "",
    ],
  };
  for (const [place, expected] of Object.entries(hovers)) {
    it(`an editor shows the text, the default and the type of the row for ${place}`, () =>
      assert.deepEqual(shown(service.getQuickInfoAtPosition(file(), at(place))), expected));
  }

  it("an editor shows arguments for completion, required ones first, each with the text of its row", () => {
    const place = at("completion");
    const entries = service.getCompletionsAtPosition(file(), place, {})?.entries ?? [];
    const [first] = entries.toSorted((one, other) => (one.sortText < other.sortText ? -1 : 1));
    assert.deepEqual([first?.name, entries.length], ["issuer", 11]);
    const none = [{}, undefined, {}, undefined] as const;
    assert.deepEqual(
      shown(service.getCompletionEntryDetails(file(), place, "period", ...none)),
      hovers.argument,
    );
  });

  it("an editor shows the result of get, and no get for a class that cannot be read", () => {
    const [display = ""] = shown(service.getQuickInfoAtPosition(file(), at("reading")));
    assert.match(display, /\): trivium\.secrets\.mfa\.TotpMethod$/);
    const declaration = join(packedPackage().directory, "dist/secrets/directory/library-checkout.d.ts");
    assert.match(readFileSync(declaration, "utf8"), /class LibraryCheckout extends TriviumResource</);
  });
});

function filesIn(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" }).toSorted();
}

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
