import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  namesPlugin,
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
    [
      "a file with the line ends of Windows",
      minimal.replaceAll("\n", "\r\n"),
      written.replaceAll("\n", "\r\n"),
    ],
    ["a file without a last line end", minimal.trimEnd(), written.trimEnd()],
  ] as const) {
    it(`the plugin's entry in Pulumi.yaml is written into ${title}, and taken out again`, () => {
      assert.equal(withPlugin(before, path), after);
      assert.deepEqual([usesPlugin(before), usesPlugin(after)], [false, true]);
      const unused = withoutAdapter(after);
      assert.deepEqual([usesPlugin(unused), namesPlugin(unused)], [false, true]);
      assert.equal(withoutPlugin(unused), before);
      assert.equal(namesPlugin(before), false);
    });
  }

  it("the plugin's entry in Pulumi.yaml is there once, however often it is written, and where it is by now", () => {
    assert.equal(withPlugin(withPlugin(whole, "../elsewhere"), path), wholeWritten);
    assert.equal(withoutPlugin(whole), whole);
  });

  it("the plugin's entry in Pulumi.yaml is left to the user if a block is on one line", () => {
    for (const [block, reason] of [
      ["plugins: { providers: [] }", /was not changed: `plugins` in line 2 has its value on the same line\./],
      ["config: {}", /was not changed: `config` in line 2 has its value on the same line\./],
    ] as const) {
      assert.throws(() => withPlugin(`name: shop\n${block}\n`, path), reason);
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

  it("use-plugin and use-dynamic change the file of the project that the working directory belongs to", async () => {
    writeFileSync(file, minimal);
    const used = run(["use-plugin"], {}, join(directory, "src"));
    assert.equal(await used.ended, 0, used.printed.error);
    assert.equal(readFileSync(file, "utf8"), written);
  });

  it("use-plugin and use-dynamic keep the plugin if no CLI can tell whether a stack needs it, and say so", async () => {
    writeFileSync(file, written);
    const environment = { PATH: dirname(process.execPath) };
    const left = run(["use-dynamic"], environment, directory);
    assert.equal(await left.ended, 0, left.printed.error);
    assert.equal(readFileSync(file, "utf8"), written.replace("config:\n  trivium:adapter: plugin\n", ""));
    assert.match(
      left.printed.out,
      /still names the plugin: .* The list of the project's stacks could not be read/,
    );
    assert.match(left.printed.out, /preview shows an update of each resource .* pulumi up sends no request/);
    const doctor = run(["doctor"], environment, directory);
    await doctor.ended;
    assert.match(
      doctor.printed.out,
      /still names the provider plugin: it is required as long as .* could not be read/,
    );
  });

  it("use-plugin and use-dynamic change nothing for a project that does not name the plugin", async () => {
    writeFileSync(file, minimal);
    const left = run(["use-dynamic"], {}, directory);
    assert.equal(await left.ended, 0, left.printed.error);
    assert.equal(readFileSync(file, "utf8"), minimal);
  });

  it("use-plugin and use-dynamic are what doctor uses", async () => {
    for (const [text, isSaid] of [
      [written, true],
      [minimal, false],
      ["name: shop\nplugins: {}\n", false],
    ] as const) {
      writeFileSync(file, text);
      const doctor = run(["doctor"], {}, directory);
      await doctor.ended;
      assert.equal(doctor.printed.out.includes("The provider plugin manages the resources."), isSaid);
      assert.match(doctor.printed.error, /^No service is configured/);
    }
  });

  it("use-plugin and use-dynamic say that Pulumi.yaml does not name the plugin that it uses, which is a problem", async () => {
    writeFileSync(file, `${minimal}config:\n  trivium:adapter: plugin\n`);
    const doctor = run(["doctor", "scheduler"], { SCHEDULER_ADDR: "http://127.0.0.1:1" }, directory);
    assert.equal(await doctor.ended, 1);
    assert.match(doctor.printed.out, /Pulumi\.yaml does not name it.*run npx pulumi-trivium use-plugin\./);
    assert.equal(doctor.printed.error, "2 problems.\n");
  });

  it("use-plugin and use-dynamic say what is in the way, and change nothing", async () => {
    writeFileSync(file, "name: shop\nconfig: {}\n");
    const used = run(["use-plugin"], {}, directory);
    assert.equal(await used.ended, 1);
    assert.match(used.printed.error, /was not changed: `config` in line 2/);
    assert.equal(readFileSync(file, "utf8"), "name: shop\nconfig: {}\n");
  });
});
