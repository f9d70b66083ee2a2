import { readFileSync } from "node:fs";
import { join } from "node:path";
import { format, resolveConfig } from "prettier";
import { operations, requestsBeside, scaleTable } from "../../bench/operations";
import { readResults, quietUpTo, type Measured, type Operation, type Results } from "../../bench/results";
import type { Side } from "../../bench/stack";
import { median } from "../../bench/turns";
import { repository } from "./library";

const page = join(repository, "docs", "performance.md");
const evidence = join(repository, "bench", "README.md");
const marked = /(?<=<!-- results -->\n)[^]*(?=<!-- end of results -->)/;

const lines = { plugin: "plugin", library: "dynamic resources", bridged: "bridged provider" } as const;

const operationNames = Object.keys(operations) as Operation[];
/** Resources in the page's table of requests. */
const exampleCount = 200;
/** Resources that show whether anything grows faster than their number. */
const largestCount = 10_000;

/** @returns texts by file: the pages with the newest results, and their chart */
export async function performanceFiles(): Promise<ReadonlyMap<string, string>> {
  const results = shownResults();
  const withSection = async (file: string, section: string): Promise<[string, string]> => {
    const text = readFileSync(file, "utf8").replace(marked, () => `\n${section}\n\n`);
    return [file, await format(text, { ...(await resolveConfig(file)), parser: "markdown" })];
  };
  return new Map([
    await withSection(page, pageSection(results)),
    await withSection(evidence, evidenceSection(results)),
    [join(repository, "docs", "images", "performance.svg"), performanceChart(results)],
  ]);
}

/** The newest runs beside the bridged provider, on one day and one version of Node.js, as one: a run can measure a part. */
function shownResults(): Results {
  const shown = readResults().filter(({ operations: measured }) =>
    measured.some(({ sides: { bridged } }) => bridged !== undefined),
  );
  const newest = shown.at(-1);
  if (newest === undefined) {
    throw new Error("bench/results has no operations of the bridged provider.");
  }
  const same = shown.filter(({ date, node }) => date === newest.date && node === newest.node);
  return {
    ...newest,
    command: same.map(({ command }) => command).join("`, `"),
    busy: same.flatMap(({ busy }) => busy),
    operations: same.flatMap(({ operations: measured }) => measured),
  };
}

/** What a user needs beside the chart. */
function pageSection(results: Results): string {
  const { date, node, service } = results;
  const compared = savedAsUsual(results).filter(({ sides: { bridged } }) => bridged !== undefined);
  const example = compared.find(({ count }) => count === exampleCount) ?? compared.at(-1);
  const requests = (["plugin", "bridged"] as const).map((side) => {
    const [round] = example?.sides[side] ?? [];
    const cells = operationNames.map((name) =>
      Object.values(round?.[name].requests ?? {}).reduce((sum, each) => sum + each, 0),
    );
    return `| ${lines[side]} | ${cells.join(" | ")} |`;
  });
  const titles = Object.values(operations).join(" | ");
  return [
    `Measured on ${date} with ${service} and Node.js ${node}. Requests for ${example?.count ?? 0} TOTP methods:`,
    [`| | ${titles} |`, `| --- ${"| ---: ".repeat(operationNames.length)}|`, ...requests].join("\n"),
  ].join("\n\n");
}

function tableOf(rows: readonly Measured[]): string {
  return [
    `| TOTP methods | ${Object.values(operations).join(" | ")} |`,
    `| ---: | ${Object.values(operations)
      .map(() => "---")
      .join(" | ")} |`,
    ...rows.map(tableRow),
  ].join("\n");
}

function evidenceSection(results: Results): string {
  const { date, command, node, pulumi, machine, service, busy } = results;
  const quiet = busy.every((share) => share <= quietUpTo) ? "quiet" : "not quiet";
  const shown = shownOf(results);
  const bySteps = (savedOnce: boolean): readonly Measured[] =>
    shown.filter((measured) => (measured.savedOnce ?? false) === savedOnce);
  return [
    `${date}, \`${command}\`, ${service}, Node.js ${node}, Pulumi ${pulumi}, ${machine}, ${quiet}. Seconds, medians: **plugin** / dynamic resources / bridged provider.`,
    tableOf([false, true].flatMap(bySteps)),
    ...bySteps(false).slice(-2, -1).map(requestsOf),
    scaleSection(),
  ].join("\n\n");
}

/** The newest run with as many resources, which only the emulator has. */
function scaleSection(): string {
  const run = readResults().findLast(({ operations: measured }) =>
    measured.some(({ count }) => count === largestCount),
  );
  if (run === undefined) {
    throw new Error(`bench/results has no operations of ${largestCount} resources.`);
  }
  const { date, command, service, node, operations: measured } = run;
  return `${date}, \`${command}\`, ${service}, Node.js ${node}:\n\n${scaleTable(measured) ?? ""}`;
}

function requestsOf({ count, sides: { plugin = [], bridged = [] } }: Measured): string {
  return `Requests for each of ${count.toLocaleString("en")} methods, plugin and bridged provider: ${requestsBeside(plugin, bridged, count)}.`;
}

function tableRow({ count, savedOnce, ...measured }: Measured): string {
  const cells = operationNames.map((operation) => {
    const [plugin, ...others] = (["plugin", "library", "bridged"] as const).map((side) =>
      secondsOf(measured.sides[side] ?? [], operation).toFixed(1),
    );
    return [`**${plugin ?? ""}**`, ...others].join(" / ");
  });
  return `| ${count.toLocaleString("en")}${savedOnce === true ? ", state saved once" : ""} | ${cells.join(" | ")} |`;
}

function shownOf({ operations: measured }: Results): readonly Measured[] {
  return measured
    .filter(({ resourceClass }) => resourceClass === "TotpMethod")
    .toSorted((one, other) => one.count - other.count);
}

function savedAsUsual(results: Results): readonly Measured[] {
  return shownOf(results).filter(({ savedOnce }) => savedOnce !== true);
}

function secondsOf(rounds: Measured["sides"][Side] & object, operation: Operation): number {
  return median(rounds.map((round) => round[operation].duration)) / 1_000;
}

const width = 720;
const panel = { width: 340, left: 58, right: 300, top: 76, row: 38, gap: 30 };
const bar = 13;
const shownSides = ["plugin", "library"] as const;
const colors: Readonly<Record<(typeof shownSides)[number], readonly [light: string, dark: string]>> = {
  plugin: ["#1a7f37", "#3fb950"],
  library: ["#2f5fd0", "#6f9cff"],
};
/** Half the time to somewhat more than twice the time. */
const [least, most] = [0.5, 2.25];
const ticks = [0.5, 1, 2];

/** The time beside the bridged provider, as bars to the left of 1 (faster) or to the right (slower). */
function performanceChart(results: Results): string {
  const measured = savedAsUsual(results).filter(({ sides: { bridged } }) => bridged !== undefined);
  const panels = operationNames.map((operation) => ({
    operation,
    rows: measured.map(({ count, sides: measuredSides }) => ({
      count,
      ratios: shownSides.map((side) => ({
        side,
        ratio:
          secondsOf(measuredSides[side] ?? [], operation) / secondsOf(measuredSides.bridged ?? [], operation),
      })),
    })),
  }));
  const panelHeight = measured.length * panel.row + panel.gap;
  const height = panel.top + 2 * (panelHeight + 24) + 6;
  const x = (ratio: number): number =>
    panel.left + (Math.log(ratio / least) / Math.log(most / least)) * (panel.right - panel.left);
  const drawn = panels.map(({ operation, rows }, index) => {
    const [left, top] = [
      (index % 2) * panel.width + 10,
      panel.top + Math.floor(index / 2) * (panelHeight + 24),
    ];
    const bottom = top + measured.length * panel.row;
    const text = (at: number, y: number, words: string, more = ""): string =>
      `  <text class="text" x="${place(left + at)}" y="${place(y)}"${more}>${words}</text>`;
    const grid = ticks.flatMap((tick) => [
      `  <line class="${tick === 1 ? "one" : "grid"}" x1="${place(left + x(tick))}" x2="${place(left + x(tick))}" y1="${top}" y2="${bottom}" />`,
      text(x(tick), bottom + 16, String(tick), ' text-anchor="middle"'),
    ]);
    const bars = rows.flatMap(({ count, ratios }, row) => [
      text(panel.left - 8, top + row * panel.row + 23, count.toLocaleString("en"), ' text-anchor="end"'),
      ...ratios.flatMap(({ side, ratio }, line) => {
        const [from, to] = [x(Math.min(1, ratio)), x(Math.min(most, Math.max(1, ratio)))];
        const y = top + row * panel.row + 5 + line * (bar + 1);
        return [
          `  <rect class="${side}" x="${place(left + from)}" y="${y}" width="${place(Math.max(1, to - from))}" height="${bar}" />`,
          text(Math.max(to, x(1)) + 5, y + 11, ratio.toFixed(2)),
        ];
      }),
    ]);
    return [
      `  <text class="head" x="${left + panel.left}" y="${top - 8}">${operations[operation]}</text>`,
      ...grid,
      ...bars,
    ].join("\n");
  });
  const said = panels.map(({ operation, rows }) => {
    const each = rows.map(
      ({ count, ratios }) =>
        `${count.toLocaleString("en")}: ${ratios.map(({ ratio }) => ratio.toFixed(2)).join(" and ")}`,
    );
    return `${operations[operation]}: ${each.join(", ")}`;
  });
  const style = (dark: 0 | 1): string =>
    shownSides.map((side) => `.${side} { fill: ${colors[side][dark]}; }`).join("\n      ");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title description" font-family="system-ui, 'Segoe UI', Helvetica, Arial, sans-serif" font-size="12">
  <title id="title">Time compared with the bridged provider, by operation and number of resources</title>
  <desc id="description">Plugin and dynamic resources. ${said.join(". ")}. Measured on ${results.date} with Node.js ${results.node}.</desc>
  <style>
    .grid { stroke: #d0d7de; stroke-width: 1; }
    .one { stroke: #57606a; stroke-width: 1.5; }
    .text { fill: #57606a; }
    .head { fill: #1f2328; font-weight: 600; font-size: 14px; }
      ${style(0)}
    @media (prefers-color-scheme: dark) {
      .grid { stroke: #30363d; }
      .one { stroke: #9aa4af; }
      .text { fill: #9aa4af; }
      .head { fill: #e6edf3; }
      ${style(1)}
    }
  </style>
  <text class="head" x="12" y="20">Time compared with the bridged provider = 1, by number of resources</text>
${shownSides
  .map(
    (side, index) =>
      `  <rect class="${side}" x="${12 + index * 90}" y="30" width="12" height="12" /><text class="text" x="${30 + index * 90}" y="40">${lines[side]}</text>`,
  )
  .join("\n")}
  <text class="text" x="${12 + 2 * 90 + 60}" y="40">to the left of 1: faster; to the right: slower</text>
${drawn.join("\n")}
</svg>
`;
}

function place(at: number): string {
  return at.toFixed(1);
}
