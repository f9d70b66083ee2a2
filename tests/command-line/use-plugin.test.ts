import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { namesPlugin } from "../../sdk/base/project-file";
import {
  usesPlugin,
  withoutAdapter,
  withoutPlugin,
  withPlugin,
} from "../../sdk/command-line/adapter/project-file";
import { temporaryDirectory } from "../support/packed-library";
import { run } from "./binary";

const path = "node_modules/pulumi-trivium/plugin";

const minimal = "name: shop\nruntime: nodejs\n";

const written = `\
name: shop
runtime: nodejs
plugins:
  providers:
    - name: trivium
      path: node_modules/pulumi-trivium/plugin
config:
  trivium:adapter: plugin
`;

const whole = `\
# Our shop.
name: shop   # as the bill says
runtime:
    name: nodejs
    options: { typescript: false }

config:
    # Where we are.
    region: eu

    aws:region: eu-central-1
plugins:
    # Ours.
    providers:
    - name: other
      path: ../other # next door

backend:
    url: file://~
`;

const wholeWritten = whole
  .replace("config:\n", "config:\n    trivium:adapter: plugin\n")
  .replace("providers:\n", `providers:\n    - name: trivium\n      path: ${path}\n`);

describe("the plugin in Pulumi.yaml", () => {
  for (const [title, before, after] of [
    ["a minimal file", minimal, written],
    ["a file with comments, other plugins and other configuration", whole, wholeWritten],
    ["a file with Windows line endings", minimal.replaceAll("\n", "\r\n"), written.replaceAll("\n", "\r\n")],
    ["a file without a final newline", minimal.trimEnd(), written.trimEnd()],
  ] as const) {
    it(`the plugin's entry is added to ${title}, and removed again`, () => {
      assert.equal(withPlugin(before, path), after);
      assert.deepEqual([usesPlugin(before), usesPlugin(after)], [false, true]);
      const unused = withoutAdapter(after);
      assert.deepEqual([usesPlugin(unused), namesPlugin(unused)], [false, true]);
      assert.equal(withoutPlugin(unused), before);
      assert.equal(namesPlugin(before), false);
    });
  }

  it("the plugin's entry in Pulumi.yaml is not duplicated, and its path is updated", () => {
    assert.equal(withPlugin(withPlugin(whole, "../elsewhere"), path), wholeWritten);
    assert.equal(withoutPlugin(whole), whole);
  });

  it("the plugin's entry in Pulumi.yaml is found in every form that YAML and JSON allow", () => {
    for (const entry of [
      `- name: trivium # ours\n      path: ${path}`,
      `- path: ${path}\n      name: trivium`,
      `- { name: trivium, path: ${path} }`,
      `- "name": "trivium"\n      path: ${path}`,
    ]) {
      const text = `name: trivium\nplugins:\n  providers:\n    ${entry}\n    - name: other\n      path: ../other\n`;
      assert.equal(namesPlugin(text), true, text);
      const without = withoutPlugin(text);
      assert.equal(
        without,
        "name: trivium\nplugins:\n  providers:\n    - name: other\n      path: ../other\n",
      );
      assert.equal(namesPlugin(without), false);
    }
  });

  it("a plugin that pulumi package add has named under packages is not named again, and is taken out from there", () => {
    const others = "name: trivium\npackages:\n  other: ./other\n";
    for (const entry of [
      `  trivium: ${path}\n`,
      `  "trivium":\n    source: ${path}\n`,
      `  # ours\n  trivium: ${path} # here\n`,
    ]) {
      const text = others + entry;
      assert.equal(namesPlugin(text), true, text);
      const used = withPlugin(text, path);
      assert.equal(used, `${text}config:\n  trivium:adapter: plugin\n`);
      const unused = withoutAdapter(used);
      assert.equal(unused, text);
      assert.equal(namesPlugin(withoutPlugin(unused)), false);
    }
    const json = JSON.stringify({ name: "shop", packages: { trivium: { source: path } } });
    assert.equal(namesPlugin(json), true);
    const config = { "trivium:adapter": "plugin" };
    assert.deepEqual(JSON.parse(withPlugin(json, path)), { ...(JSON.parse(json) as object), config });
    assert.equal(withoutPlugin(json), JSON.stringify({ name: "shop" }));
    for (const text of [
      others,
      "name: trivium\npackages: {}\nconfig:\n  trivium: x\n",
      "packages:\n  other: ./trivium\nruntime:\n  trivium: 1\n",
    ]) {
      assert.deepEqual([namesPlugin(text), withoutPlugin(text)], [false, text]);
    }
    assert.equal(namesPlugin(`packages: { other: ./x, trivium: ${path} }\n`), true);
  });

  for (const [title, indentation, end] of [
    ["two spaces", 2, "\n"],
    ["tabs", "\t", "\n"],
    ["four spaces and no final newline", 4, ""],
  ] as const) {
    it(`the plugin's entry is added to a Pulumi.json with ${title}, and removed again`, () => {
      const json = (value: object): string => JSON.stringify(value, undefined, indentation) + end;
      const other = { name: "other", path: "../other" };
      const project = { name: "shop", runtime: "nodejs", plugins: { providers: [other] } };
      const text = json(project);
      const changed = json({
        ...project,
        plugins: { providers: [{ name: "trivium", path }, other] },
        config: { "trivium:adapter": "plugin" },
      });
      assert.equal(withPlugin(text, path), changed);
      assert.equal(withPlugin(changed, path), changed);
      assert.deepEqual([usesPlugin(text), usesPlugin(changed)], [false, true]);
      assert.deepEqual([namesPlugin(text), namesPlugin(changed)], [false, true]);
      const unused = withoutAdapter(changed);
      assert.deepEqual([usesPlugin(unused), namesPlugin(unused)], [false, true]);
      assert.equal(withoutPlugin(unused), text);
      const bare = json({ name: "shop", runtime: "nodejs" });
      assert.equal(withoutPlugin(withoutAdapter(withPlugin(bare, path))), bare);
    });
  }

  it("the value of the adapter setting is found in each form that Pulumi.json allows", () => {
    const using = (setting: unknown) =>
      usesPlugin(JSON.stringify({ config: { "trivium:adapter": setting } }));
    assert.deepEqual(["plugin", { value: "plugin" }, "dynamic", {}, null].map(using), [
      true,
      true,
      false,
      false,
      false,
    ]);
    assert.equal(usesPlugin(minimal + "config:\n  trivium:adapter:\n    value: dynamic\n"), false);
  });

  it("the plugin's entry is left to the user in a file that is no longer JSON", () => {
    const reason = "was not changed: it begins like JSON, but is not valid JSON\\.";
    assert.throws(() => withPlugin("{ name: shop }", path), new RegExp(reason));
  });

  it("the plugin's entry in Pulumi.yaml is left to the user if a block is written on one line", () => {
    for (const [name, value] of [
      ["plugins", "{ providers: [] }"],
      ["config", "{}"],
    ] as const) {
      const reason = `was not changed: \`${name}\` in line 2 has its value on the same line\\.`;
      assert.throws(() => withPlugin(`name: shop\n${name}: ${value}\n`, path), new RegExp(reason));
    }
  });
});

describe("npx pulumi-trivium use-plugin and use-dynamic", function () {
  this.timeout(60_000);
  const directory = temporaryDirectory("use-plugin");
  const file = join(directory, "Pulumi.yaml");

  before(() => {
    mkdirSync(join(directory, path), { recursive: true });
    mkdirSync(join(directory, "src"));
  });

  after(() => rmSync(directory, { recursive: true, force: true }));

  /** Runs a command in a project. @returns also what Pulumi.yaml is afterwards */
  const runWith = async (text: string, name: string, environment = {}, place = directory) => {
    writeFileSync(file, text);
    const { ended, printed } = run(name.split(" "), environment, place);
    return { status: await ended, ...printed, after: readFileSync(file, "utf8") };
  };

  it("use-plugin changes the project file of the working directory, or explains why it cannot", async () => {
    const { status, error, after } = await runWith(minimal, "use-plugin", {}, join(directory, "src"));
    assert.deepEqual([status, error, after], [0, "", written]);
    const text = "name: shop\nconfig: {}\n";
    const refused = await runWith(text, "use-plugin");
    assert.deepEqual([refused.status, refused.after], [1, text]);
    assert.match(refused.error, /was not changed: `config` in line 2/);
  });

  for (const [title, main, installed] of [
    ["a directory", "infra/", "infra"],
    ["a file", '"./infra/index.ts" # the program', "infra"],
    ["a directory beside the project", "'../infra'", "../infra"],
    ["a directory without packages of its own", "src", "."],
  ] as const) {
    it(`use-plugin finds the library next to the program if main is ${title}`, async () => {
      const place = join(directory, "with-main", "shop");
      rmSync(dirname(place), { recursive: true, force: true });
      for (const each of [join(installed, path), "infra", "src", "below"]) {
        mkdirSync(join(place, each), { recursive: true });
      }
      writeFileSync(join(place, "infra", "index.ts"), "");
      writeFileSync(join(place, "Pulumi.yaml"), `${minimal}main: ${main}\n`);
      const { ended, printed } = run(["use-plugin"], {}, join(place, "below"));
      assert.deepEqual([await ended, printed.error], [0, ""]);
      const after = readFileSync(join(place, "Pulumi.yaml"), "utf8");
      assert.match(after, new RegExp(`path: ${join(installed, path)}\n`));
    });
  }

  it("use-plugin, use-dynamic and doctor read the project file that the CLI reads", async () => {
    const place = join(directory, "json");
    mkdirSync(join(place, path), { recursive: true });
    const files = ["Pulumi.json", "Pulumi.yaml", "Pulumi.yml"].map((name) => join(place, name));
    const [json = "", ...others] = files;
    const project = { name: "shop", runtime: "nodejs" };
    writeFileSync(json, `\uFEFF${JSON.stringify(project, undefined, 2)}`);
    others.forEach((other) => writeFileSync(other, minimal));
    const environment = { PATH: dirname(process.execPath), SCHEDULER_ADDR: "http://127.0.0.1:1" };
    const runHere = async (command: string) => {
      const { ended, printed } = run(command.split(" "), environment, place);
      await ended;
      return printed.out;
    };
    assert.match(await runHere("use-plugin"), /manages this project's resources \(see Pulumi\.json\)/);
    const after = readFileSync(json, "utf8");
    assert.deepEqual([usesPlugin(after), namesPlugin(after)], [true, true]);
    assert.match(await runHere("doctor scheduler"), /The provider plugin manages the resources\./);
    assert.match(await runHere("use-dynamic"), /Pulumi\.json still lists the plugin/);
    assert.match(await runHere("doctor scheduler"), /Pulumi\.json still lists the provider plugin/);
    others.forEach((other) => assert.equal(readFileSync(other, "utf8"), minimal));
    writeFileSync(json, JSON.stringify({ ...project, config: { "trivium:adapter": "plugin" } }));
    assert.match(await runHere("doctor scheduler"), /Pulumi\.json does not list it/);
    writeFileSync(json, JSON.stringify({ ...project, plugins: [] }));
    assert.match(await runHere("doctor scheduler"), /^Settings|scheduler/i);
  });

  it("use-dynamic keeps the plugin if the CLI cannot show whether a stack needs it, and reports that, as does doctor", async () => {
    const environment = { PATH: dirname(process.execPath) };
    const unused = written.replace("config:\n  trivium:adapter: plugin\n", "");
    const { status, out, after } = await runWith(written, "use-dynamic", environment);
    assert.deepEqual([status, after], [0, unused]);
    assert.match(out, /still lists the plugin: .* The list of the project's stacks could not be read/);
    assert.match(out, /preview shows an update for each resource .* pulumi up does not send requests/);
    const doctor = await runWith(unused, "doctor", environment);
    assert.match(
      doctor.out,
      /still lists the provider plugin: it is required as long as .* could not be read/,
    );
  });

  it("use-dynamic changes nothing in a project that does not list the plugin", async () => {
    const { status, error, after } = await runWith(minimal, "use-dynamic");
    assert.deepEqual([status, error, after], [0, "", minimal]);
  });

  const nothing = /^(?!.*The provider plugin manages the resources\.)/s;
  const unnamed = /Pulumi\.yaml does not list it.*run npx pulumi-trivium use-plugin\./;
  for (const [title, text, said, problems] of [
    ["names the plugin and uses it", written, /The provider plugin manages the resources\./, "1 problem"],
    ["has no plugins", minimal, nothing, "1 problem"],
    ["has an empty list of plugins", "name: shop\nplugins: {}\n", nothing, "1 problem"],
    [
      "uses a plugin without naming it",
      `${minimal}config:\n  trivium:adapter: plugin\n`,
      unnamed,
      "2 problems",
    ],
  ] as const) {
    it(`doctor reports which adapter manages the resources of a project whose Pulumi.yaml ${title}`, async () => {
      const environment = { SCHEDULER_ADDR: "http://127.0.0.1:1" };
      const { out, error } = await runWith(text, "doctor scheduler", environment);
      assert.equal(error, `${problems}.\n`);
      assert.match(out, said);
    });
  }
});
