import { readFileSync } from "node:fs";
import { join } from "node:path";
import { format, resolveConfig } from "prettier";
import * as library from "../../sdk";
import { className, collectClasses } from "../../sdk/resource/definition";
import type { Adapter } from "../../tests/engine/support/adapter";
import { type LiveResult, readLiveResults } from "../../tests/live/live-results";
import { repository } from "./library";

const page = join(repository, "docs", "compatibility.md");
const marked = /(?<=<!-- proven -->\n)[^]*(?=<!-- end of proven -->)/;

/** @returns the page by file, with the newest results of the live tests */
export async function provenFiles(): Promise<ReadonlyMap<string, string>> {
  const text = readFileSync(page, "utf8").replace(marked, () => `\n${provenTable(readLiveResults())}\n\n`);
  return new Map([[page, await format(text, { ...(await resolveConfig(page)), parser: "markdown" })]]);
}

/** Replaces what docs/compatibility.md has between its two comments. */
function provenTable(results: readonly LiveResult[]): string {
  const names = [...collectClasses(library).values()].map(({ definition }) => className(definition));
  const rows = names.map((name) => {
    const own = results.filter((result) => result.class === name);
    const cell = (adapter: Adapter): string => {
      const found = own.filter((result) => result.adapter === adapter);
      const texts = found.map(({ products, date }) => `${products.join(", ")} (${date})`);
      return texts.length === 0 ? "emulator only" : texts.join("<br>");
    };
    return `| \`${name}\` | ${cell("dynamic")} | ${cell("plugin")} |`;
  });
  return ["| class | dynamic resources | plugin |", "| --- | --- | --- |", ...rows].join("\n");
}
