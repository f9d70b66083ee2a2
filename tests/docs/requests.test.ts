import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Dialect } from "../../sdk/base/settings";
import { resourceCases } from "../cases";
import { given, type ResourceCase, updateOf } from "../cases/support/case";
import { emulatedServices } from "../cases/support/emulated-services";
import { FakeEngine } from "../support/fake-engine";
import type { Properties } from "../support/provider-process";
import { configurationWith } from "../support/proxy";
import { definitions } from "../support/services";
import { useEmulator } from "../support/use-emulator";

const operations = ["create", "refresh", "update", "delete"] as const;
const page = join(__dirname, "..", "..", "docs", "reference", "requests.md");

/** How many requests an operation needs, and how many the library sends; none where there is no such operation. */
function cellOf(text: string): Readonly<Record<Dialect, readonly number[]>> {
  const [documented = "", hashicorp = documented] = text.split("; hashicorp ");
  const numbers = (pair: string) => [...pair.matchAll(/\d+/g)].map(Number);
  assert.match(text, /^(?:-|\d+ \/ \d+(?:; hashicorp \d+ \/ \d+)?)$/);
  return { documented: numbers(documented), hashicorp: numbers(hashicorp) };
}

/** By class: a cell for each operation, and why the library sends more than necessary. */
function documentedRows() {
  const [, table = ""] =
    /<!-- requests -->([^]*?)<!-- end of requests -->/.exec(readFileSync(page, "utf8")) ?? [];
  const rows = table.trim().split("\n").slice(2);
  return new Map(
    rows.map((line) => {
      const [, name = "", ...texts] = line.split("|").map((cell) => cell.trim());
      const cells = texts.slice(0, operations.length).map(cellOf);
      return [name.replaceAll("`", ""), { cells, reason: texts[operations.length] }];
    }),
  );
}

describe("the table of requests in the reference", () => {
  const emulators = { documented: useEmulator(), hashicorp: useEmulator({ dialect: "hashicorp" }) };

  /** The methods of the requests that each operation sends when nothing happens. */
  async function requestsOf(resourceCase: ResourceCase, dialect: Dialect) {
    const emulator = emulators[dialect];
    const context = await resourceCase.prepare(emulatedServices(emulator, { dialect }));
    try {
      await resourceCase.populate?.(emulator, context);
      const during = async (work: () => Promise<unknown>): Promise<readonly string[]> => {
        emulator.journal.clear();
        await work();
        return emulator.journal.requests().map(({ method }) => method);
      };
      const managed = new FakeEngine(definitions.get(resourceCase.type), emulator, {
        ...configurationWith(() => ({ Dialect: dialect })),
        // A connection of its own: others have lists that would serve it.
        "trivium:provisioningHeaders": JSON.stringify({ "x-row": randomUUID() }),
      });
      const args = given({ ...resourceCase.valid(context), ...resourceCase.withoutWaiting }) as Properties;
      const change = updateOf(resourceCase)?.(context);
      const update = async () =>
        assert.equal(await managed.up(given({ ...args, ...change }) as Properties), "updated");
      return {
        create: await during(() => managed.up(args)),
        refresh: await during(() => managed.refresh()),
        update: change && (await during(update)),
        delete: await during(() => managed.destroy()),
      };
    } finally {
      await context.close();
    }
  }

  const rows = documentedRows();
  const nameOf = (type: string): string => type.replace(/[/:]/g, ".");

  it("the table of requests contains every class", () =>
    assert.deepEqual([...rows.keys()].sort(), [...resourceCases.keys()].map(nameOf).sort()));

  for (const [type, resourceCase] of resourceCases) {
    it(`the table of requests counts the requests of ${type}, and explains those that are not necessary`, async () => {
      const { cells, reason } = rows.get(nameOf(type)) ?? assert.fail("there is no row");
      for (const dialect of resourceCase.dialects) {
        const sent = await requestsOf(resourceCase, dialect);
        operations.forEach((operation, index) => {
          const methods = sent[operation];
          const shown = `${operation} in the ${dialect} dialect sends ${methods?.join(", ") ?? "nothing"}`;
          assert.equal(cells[index]?.[dialect][1], methods?.length, shown);
        });
      }
      const pairs = cells.flatMap((cell) => resourceCase.dialects.map((dialect) => cell[dialect]));
      assert.ok(pairs.every(([necessary = 0, ours = 0]) => necessary <= ours));
      assert.equal(
        reason === "",
        pairs.every(([necessary, ours]) => necessary === ours),
      );
    });
  }
});
