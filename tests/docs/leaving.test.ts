import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as library from "../../sdk";
import { className, collectClasses } from "../../sdk/resource/definition";
import { repository } from "../support/packed-library";

const page = readFileSync(join(repository, "docs", "leaving.md"), "utf8");

describe("docs/leaving.md", () => {
  it("the page describes for every class, and no others, how to move away and what is lost", () => {
    const rows = [...page.matchAll(/^\| `((?:provisioning|secrets|scheduler)\.[\w.]+)` .*\|$/gm)];
    const classes = [...collectClasses(library).values()].map(({ definition }) => className(definition));
    assert.deepEqual(rows.map(([, name]) => name).sort(), classes.sort());
    for (const [row] of rows) {
      const [, , , , lost = ""] = row.split("|").map((cell) => cell.trim());
      assert.notEqual(lost, "", row);
    }
  });

  it("each import ID on the page is one that the bridged provider documents", () => {
    const tokens = [...page.matchAll(/`vault:([\w/]+):(\w+)`/g)];
    assert.ok(tokens.length >= 10);
    for (const [, module = "", name = ""] of tokens) {
      const file = module.startsWith("index/") ? module.slice("index/".length) : module;
      const types = readFileSync(
        join(repository, "node_modules", "@pulumi", "vault", `${file}.d.ts`),
        "utf8",
      );
      assert.match(types, new RegExp(`pulumi import vault:${module}:${name} `));
    }
  });
});
