import { readFileSync } from "node:fs";
import { join } from "node:path";
import { format, resolveConfig } from "prettier";
import { operations, requestsBeside } from "../../bench/operations";
import { readResults, quietUpTo, type Measured, type Operation, type Results } from "../../bench/results";
import type { Side } from "../../bench/stack";
import { median } from "../../bench/turns";
import { repository } from "./library";

const page = join(repository, "docs", "performance.md");
const evidence = join(repository, "bench", "README.md");
const marked = /(?<=<!-- results -->\n)[^]*(?=<!-- end of results -->)/;

/** In the order of a cell of the table. */
const lines: Readonly<Record<Side, string>> = {
  plugin: "plugin",
  library: "dynamic resources",
  bridged: "bridged provider",
  thin: "thinnest provider",
};

const sides = Object.keys(lines) as Side[];

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

/** The runs beside the bridged provider of the newest day and Node.js, as one: a run may measure a part. */
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

/** What a user needs: the times of a state that is saved as usual. */
function pageSection(results: Results): string {
  const { date, node, service } = results;
  return [
    `Seconds on ${date}, with ${service}, and Node.js ${node}: **plugin** / dynamic resources / bridged provider.`,
    tableOf(shownOf(results).filter(({ savedOnce }) => savedOnce !== true)),
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
  ].join("\n\n");
}

function requestsOf({ count, sides: { plugin = [], bridged = [] } }: Measured): string {
  return `Requests for each of ${count.toLocaleString("en")} methods, plugin and bridged provider: ${requestsBeside(plugin, bridged, count)}.`;
}

function tableRow({ count, savedOnce, ...measured }: Measured): string {
  const cells = (Object.keys(operations) as Operation[]).map((operation) => {
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

function secondsOf(rounds: Measured["sides"][Side] & object, operation: Operation): number {
  return median(rounds.map((round) => round[operation].duration)) / 1_000;
}

const width = 720;
const height = 360;
const plot = { left: 52, right: 560, top: 46, bottom: 308 };
const colors: Readonly<Record<Side, readonly [light: string, dark: string]>> = {
  plugin: ["#1a7f37", "#3fb950"],
  library: ["#2f5fd0", "#6f9cff"],
  bridged: ["#bc4c00", "#f0883e"],
  thin: ["#6e7781", "#9aa4af"],
};
const seconds = [1, 2, 5, 10, 20, 50, 100];

/** `pulumi up` over the number of resources, both logarithmic, a line for each side. */
function performanceChart(results: Results): string {
  const measured = shownOf(results).filter(({ savedOnce }) => savedOnce !== true);
  const counts = measured.map(({ count }) => count);
  const curves = sides.map((side) => ({
    side,
    points: measured.flatMap(({ count, sides: { [side]: rounds } }) =>
      rounds === undefined ? [] : [{ count, duration: secondsOf(rounds, "up") }],
    ),
  }));
  const durations = curves.flatMap(({ points }) => points.map(({ duration }) => duration));
  const [least, most] = [Math.min(...durations), Math.max(...durations)];
  const from = seconds.findLast((tick) => tick <= least) ?? least;
  const to = seconds.find((tick) => tick >= most) ?? most;
  const scale = (value: number, low: number, high: number): number =>
    Math.log(value / low) / Math.log(high / low || Math.E);
  const x = (count: number): number =>
    plot.left + scale(count, counts[0] ?? 1, counts.at(-1) ?? 1) * (plot.right - plot.left);
  const y = (duration: number): number => plot.bottom - scale(duration, from, to) * (plot.bottom - plot.top);
  const ends = curves
    .flatMap(({ side, points }) => points.slice(-1).map((end) => ({ side, ...end, place: y(end.duration) })))
    .toSorted((one, other) => one.place - other.place);
  for (const [index, end] of ends.entries()) {
    end.place = Math.max(end.place, (ends[index - 1]?.place ?? 0) + 18);
  }
  const style = (dark: 0 | 1): string =>
    sides
      .map(
        (side) =>
          `.${side} { stroke: ${colors[side][dark]}; } .name.${side} { fill: ${colors[side][dark]}; stroke: none; }`,
      )
      .join("\n      ");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title description" font-family="system-ui, 'Segoe UI', Helvetica, Arial, sans-serif" font-size="13">
  <title id="title">Time of pulumi up over the number of resources</title>
  <desc id="description">${ends.map(({ side, count, duration }) => `${lines[side]}: ${duration.toFixed(1)} s for ${count.toLocaleString("en")} resources`).join("; ")}. Measured on ${results.date} with Node.js ${results.node}.</desc>
  <style>
    .line { fill: none; stroke-width: 2.5; stroke-linejoin: round; }
    .name { font-weight: 600; }
    .grid { stroke: #d0d7de; stroke-width: 1; }
    .text { fill: #57606a; }
    .head { fill: #1f2328; font-weight: 600; font-size: 14px; }
      ${style(0)}
    @media (prefers-color-scheme: dark) {
      .grid { stroke: #30363d; }
      .text { fill: #9aa4af; }
      .head { fill: #e6edf3; }
      ${style(1)}
    }
  </style>
  <text class="head" x="${plot.left}" y="22">pulumi up of new TOTP methods, in seconds (both axes logarithmic)</text>
${seconds
  .filter((tick) => tick >= from && tick <= to)
  .map(
    (tick) =>
      `  <line class="grid" x1="${plot.left}" x2="${plot.right}" y1="${at(y(tick))}" y2="${at(y(tick))}" /><text class="text" x="${plot.left - 8}" y="${at(y(tick) + 4)}" text-anchor="end">${tick} s</text>`,
  )
  .join("\n")}
${counts
  .map(
    (count) =>
      `  <text class="text" x="${at(x(count))}" y="${plot.bottom + 22}" text-anchor="middle">${count.toLocaleString("en")}</text>`,
  )
  .join("\n")}
  <text class="text" x="${(plot.left + plot.right) / 2}" y="${plot.bottom + 44}" text-anchor="middle">resources</text>
${curves
  .map(
    ({ side, points }) =>
      `  <polyline class="line ${side}" points="${points.map(({ count, duration }) => `${at(x(count))},${at(y(duration))}`).join(" ")}" />`,
  )
  .join("\n")}
${ends
  .map(
    ({ side, place }) =>
      `  <text class="name ${side}" x="${plot.right + 10}" y="${at(place + 4)}">${lines[side]}</text>`,
  )
  .join("\n")}
</svg>
`;
}

function at(place: number): string {
  return place.toFixed(1);
}
