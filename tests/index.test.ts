import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import * as library from "../sdk";
import type * as sources from "../sdk/index";
import { isObject } from "../sdk/base/json";
import { collectClasses } from "../sdk/resource/definition";
import { reachableDeclarations, repository } from "./support/packed-library";

const compiled = join(repository, "sdk", "dist");

/** Never called: the compiler reads it. */
export function programsThatDoNotCompile({ provisioning, secrets }: typeof sources): void {
  // @ts-expect-error the service has no such algorithm
  new secrets.mfa.TotpMethod("a", { issuer: "Acme", algorithm: "MD5" });
  const notification = { workspaceId: "ws-1", name: "a", url: "https://hooks.example.com" };
  // @ts-expect-error there is no such destination
  new provisioning.NotificationConfiguration("b", { ...notification, destinationType: "telegraph" });
  new provisioning.NotificationConfiguration("c", {
    ...notification,
    destinationType: "generic",
    // @ts-expect-error there is no such event
    triggers: ["run:exploded"],
  });
  // @ts-expect-error there is no such kind of directory
  new secrets.directory.Config("d", { binddn: "cn=a", url: "ldap://a", schema: "novell" });
  // @ts-expect-error there is no such kind of token
  new secrets.scheduler.Role("e", { name: "a", type: "admin" });
  // @ts-expect-error it filters by another right
  void provisioning.listProjects({ organization: "acme", permissions: ["delete"] });
  // The products' words, and those of a newer service.
  for (const destinationType of ["slack", "microsoft-teams"] as const) {
    new provisioning.NotificationConfiguration("f", {
      ...notification,
      destinationType,
      triggers: ["assessment:check_failure", "run:paused" as sources.provisioning.NotificationTrigger],
    });
  }
}

describe("the library", () => {
  it("the library exports every class under the name and namespace in its type", () => {
    for (const [type, { definition }] of collectClasses(library)) {
      const [place = "", name = ""] = type.split(":");
      const names = [...place.split("/"), name];
      assert.equal(definition.service.name, names[0], type);
      const part = (module: unknown, each: string) => (isObject(module) ? module[each] : undefined);
      assert.notEqual(names.reduce<unknown>(part, library), undefined, type);
    }
  });

  it("the library loads only itself and what the SDK has already loaded", () => {
    const script = `
        require("@pulumi/pulumi");
        const before = new Set(Object.keys(require.cache));
        require("pulumi-trivium");
        console.log(JSON.stringify(Object.keys(require.cache).filter((file) => !before.has(file))));`;
    const printed = execFileSync(process.execPath, ["--eval", script], { cwd: repository, encoding: "utf8" });
    const loaded = JSON.parse(printed) as string[];
    const own = loaded.filter((file) => file.startsWith(compiled));
    assert.ok(own.includes(join(compiled, "index.js")));
    const found = loaded.filter((file) => !own.includes(file));
    assert.deepEqual(found, []);
    assert.ok(!own.some((file) => file.startsWith(join(compiled, "testing"))), "nor the emulator");
  });

  const files = reachableDeclarations(join(compiled, "index.d.ts"));
  const textOf = (file: string): string => readFileSync(file, "utf8");

  it("the public types refer only to the SDK: a program compiles without the types of the library's dependencies", () => {
    const foreign = new Set([...files.values()].flat().filter((name) => !name.startsWith(".")));
    assert.deepEqual([...foreign], ["@pulumi/pulumi"]);
    assert.ok(files.size > 5, "they are in several files");
  });

  it("the public types are found by programs with the compiler options of `pulumi new`, which do not support `exports`", () => {
    const { exports, typesVersions } = JSON.parse(textOf(join(repository, "sdk", "package.json"))) as {
      readonly exports: Readonly<Record<string, { readonly types?: string }>>;
      readonly typesVersions: unknown;
    };
    const entries = Object.entries(exports).filter(([entry, { types }]) => entry !== "." && types);
    const found = entries.map(([entry, { types }]) => [entry.slice("./".length), [types]] as const);
    assert.deepEqual(typesVersions, { "*": Object.fromEntries(found) });
  });

  it("the public types explain every resource class with an example", () => {
    const declared = [...files.keys()].map(textOf).join("\n");
    const names = [...collectClasses(library).keys()].map((type) => type.split(":")[1] ?? "");
    for (const name of [...names, "Provider"]) {
      const comment = `(/\\*\\*(?:(?!\\*/)[^])*\\*/)\\s*export declare class ${name} extends`;
      const text = new RegExp(comment).exec(declared)?.[1] ?? assert.fail(`index.d.ts leads to no ${name}`);
      const [, example = ""] = /## Example Usage[^]*```typescript\n([^]*?)```/.exec(text) ?? [];
      assert.match(example, new RegExp(`new trivium\\.(?:\\w+\\.)*${name}\\(`), `an example of ${name}`);
      assert.match(example, /import \* as trivium from "pulumi-trivium";/, `a complete example of ${name}`);
    }
  });

  it("the public types have a comment for every argument of every class", () => {
    let explained = 0;
    for (const file of files.keys()) {
      for (const [, name = "", body = ""] of textOf(file).matchAll(
        /(?:interface (?=\w+Args )|declare const )(\w+)(?:: | [^{\n]*)\{\n((?: .*\n|\n)*)\}/g,
      )) {
        if (name.endsWith("Args") || body.includes("Row<")) {
          const members = [...body.matchAll(/^ {4}(?:readonly )?(\w+)\??:/gm)].map(([, member]) => member);
          const told = [...body.matchAll(/\*\/\n {4}(?:readonly )?(\w+)\??:/g)].map(([, member]) => member);
          assert.deepEqual(told, members, `${name} in ${relative(compiled, file)}`);
          explained += told.length;
        }
      }
    }
    assert.ok(explained > 200, String(explained));
  });
});
