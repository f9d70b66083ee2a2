import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Dialect } from "../../sdk/base/settings";
import { resourceCases } from "../cases";
import { dialectsOf, given, type ResourceCase, updateOf } from "../cases/support/case";
import { emulatedServices } from "../cases/support/emulated-services";
import { FakeEngine } from "../support/fake-engine";
import type { Properties } from "../support/provider-process";
import { definitions } from "../support/services";
import { useEmulator } from "../support/use-emulator";

const operations = ["create", "refresh", "update", "delete"] as const;
type Requests = Readonly<Record<(typeof operations)[number], readonly string[] | undefined>>;

const page = join(__dirname, "..", "..", "docs", "performance.md");

/** How many requests an operation needs, and how many the library sends; none where there is no such operation. */
type Cell = Readonly<Record<Dialect, readonly [necessary: number, ours: number] | undefined>>;

const cellForm = /^(\d+) \/ (\d+)(?:; hashicorp (\d+) \/ (\d+))?$/;

function cellOf(text: string): Cell {
  if (text === "-") {
    return { documented: undefined, hashicorp: undefined };
  }
  const [, ...digits] = cellForm.exec(text) ?? assert.fail(`not a cell: ${text}`);
  const [first = 0, second = 0, third = first, fourth = second] = digits
    .filter((each: string | undefined) => each !== undefined)
    .map(Number);
  return { documented: [first, second], hashicorp: [third, fourth] };
}

/** By class: a cell for each operation, and why the library sends more than necessary. */
function documentedRows(): ReadonlyMap<string, { readonly cells: readonly Cell[]; readonly reason: string }> {
  const text = readFileSync(page, "utf8");
  const [, table = ""] = /<!-- requests -->([^]*?)<!-- end of requests -->/.exec(text) ?? [];
  const rows = table.trim().split("\n").slice(2);
  return new Map(
    rows.map((line) => {
      const [name = "", ...cells] = line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim());
      return [
        name.replaceAll("`", ""),
        { cells: cells.slice(0, operations.length).map(cellOf), reason: cells.at(-1) ?? "" },
      ];
    }),
  );
}

describe("the table of requests in docs/performance.md", () => {
  const emulators = {
    documented: useEmulator({ dialect: "documented" }),
    hashicorp: useEmulator({ dialect: "hashicorp" }),
  };

  /** What each operation sends when nothing happens. */
  async function requestsOf(resourceCase: ResourceCase, dialect: Dialect): Promise<Requests> {
    const emulator = emulators[dialect];
    const definition = definitions.get(resourceCase.type) ?? assert.fail("no such class");
    const services = emulatedServices(emulator, { dialect });
    const context = await resourceCase.prepare(services);
    try {
      await resourceCase.populate?.(emulator, context);
      const during = async (work: () => Promise<unknown>): Promise<readonly string[]> => {
        emulator.journal.clear();
        await work();
        return emulator.journal.requests().map(({ method }) => method);
      };
      const managed = new FakeEngine(definition, emulator, {
        // A connection of its own: others have lists that would serve it.
        "trivium:provisioningHeaders": JSON.stringify({ "x-row": randomUUID() }),
        "trivium:provisioningDialect": dialect,
        "trivium:secretsDialect": dialect,
        "trivium:schedulerDialect": dialect,
      });
      const args = given({ ...resourceCase.valid(context), ...resourceCase.whenFailing }) as Properties;
      const change = updateOf(resourceCase);
      const changed = change && (given({ ...args, ...change(context) }) as Properties);
      return {
        create: await during(() => managed.up(args)),
        refresh: await during(() => managed.refresh()),
        update: changed && (await during(async () => assert.equal(await managed.up(changed), "updated"))),
        delete: await during(() => managed.destroy()),
      };
    } finally {
      await context.close();
    }
  }

  const rows = documentedRows();

  it("the table of requests has every class", () =>
    assert.deepEqual(
      [...rows.keys()].sort(),
      [...resourceCases.keys()].map((type) => type.replace(/[/:]/g, ".")).sort(),
    ));

  for (const [type, resourceCase] of resourceCases) {
    it(`the table of requests counts what ${type} sends, and says why where that is more than necessary`, async () => {
      const { cells, reason } = rows.get(type.replace(/[/:]/g, ".")) ?? assert.fail("there is no row");
      for (const dialect of dialectsOf(resourceCase)) {
        const sent = await requestsOf(resourceCase, dialect);
        operations.forEach((operation, index) => {
          const methods = sent[operation];
          assert.equal(
            cells[index]?.[dialect]?.[1],
            methods?.length,
            `${operation} in the ${dialect} dialect sends ${methods?.join(", ") ?? "nothing"}`,
          );
        });
      }
      const pairs = cells.flatMap((cell) =>
        dialectsOf(resourceCase).flatMap((dialect) => [cell[dialect] ?? []]),
      );
      assert.ok(pairs.every(([necessary = 0, ours = 0]) => necessary <= ours));
      const found = reason === "";
      assert.equal(
        found,
        pairs.every(([necessary, ours]) => necessary === ours),
      );
    });
  }
});
