import { roles, watchMemory } from "./memory";
import type { Measured, Measurement, Operation } from "./results";
import type { Requests } from "./service";
import { type Bench, type Command, type Contents, isBridgedInstalled, type Side, sides } from "./stack";
import { markdownTable } from "./table";
import { divide, median, spreadOf, takeTurns } from "./turns";

export const operations = {
  up: "up",
  again: "up without changes",
  refresh: "refresh",
  destroy: "destroy",
} as const satisfies Record<Operation, string> & Partial<Record<Command, string>>;

const operationNames = Object.keys(operations) as Operation[];

const plans: readonly Contents[] = [
  ...[false, true].flatMap((savedOnce) =>
    [1, 50, 200, 1_000, ...(savedOnce ? [3_000, 10_000] : [])].map((count): Contents => ({
      count,
      resourceClass: "TotpMethod",
      savedOnce,
    })),
  ),
  ...[50, 200].map((count): Contents => ({ count, resourceClass: "Project" })),
];

/** How long an operation on several resources is to take with the plugin, if the bridged provider takes 1. */
const goalsOfMany: Readonly<Record<Operation, number>> = { up: 0.95, again: 0.95, refresh: 0.8, destroy: 1 };

/** Each side with what it is compared with, and the goal. */
const comparisons: readonly (readonly [
  side: Side,
  baseline: Side,
  goal: (count: number, operation: Operation) => number,
])[] = [
  ["plugin", "bridged", (count, operation) => (count === 1 ? 1.05 : goalsOfMany[operation])],
  ["library", "bridged", () => Number.POSITIVE_INFINITY],
  ["plugin", "thin", () => Number.POSITIVE_INFINITY],
  // A refresh of many reads lists, where the thinnest provider reads each resource.
  ["library", "thin", (count, operation) => (count > 1 && operation === "refresh" ? 1 : 1.05)],
];

const defaultRounds = 5;

export const operationMeasurements: ReadonlyMap<
  string,
  (bench: Bench, rounds?: number) => Promise<Measured | undefined>
> = new Map(
  plans.map((plan) => [
    `operations of ${titleOf(plan)}`,
    (bench: Bench, rounds = defaultRounds) => measure(bench, plan, rounds),
  ]),
);

/** From as many resources on as memory and time for each of them matter. */
const many = 1_000;

/** Whether a resource among many takes longer than one among few, and what processes need for them. */
export function scaleTable(measured: readonly Measured[]): string | undefined {
  const lines = measured
    .filter(({ count }) => count >= many)
    .flatMap((plan) =>
      (Object.keys(plan.sides) as Side[]).map((side) => {
        const rounds = plan.sides[side] ?? [];
        const times = operationNames.map((name) =>
          (median(rounds.map((round) => round[name].duration)) / plan.count).toFixed(1),
        );
        const peaks = roles.map((role) => {
          const seen = rounds.flatMap((round) =>
            operationNames.flatMap((name) => round[name].memory?.[role] ?? []),
          );
          return seen.length === 0 ? "" : `${Math.max(...seen)} MB`;
        });
        const shares = rounds.flatMap((round) =>
          operationNames.flatMap((name) => {
            const { duration, serviceTime } = round[name];
            return serviceTime === undefined ? [] : [serviceTime / duration];
          }),
        );
        const share = shares.length === 0 ? "" : `${Math.round(100 * Math.max(...shares))}%`;
        return [`${titleOf(plan)}: ${sides[side].title}`, ...times, ...peaks, share];
      }),
    );
  const head = [
    "ms for each resource; most memory",
    ...Object.values(operations),
    ...roles,
    "CPU of the service",
  ];
  return lines.length === 0 ? undefined : markdownTable([head, ...lines]);
}

export function operationsTable(measured: readonly Measured[]): string {
  return markdownTable([
    ["time of operations", ...Object.values(operations), "requests for each resource"],
    ...measured.flatMap(rowsOf),
  ]);
}

function rowsOf({ sides: results, ...contents }: Measured): readonly (readonly string[])[] {
  return comparisons.flatMap(([side, baseline, goal]) => {
    const [own, others] = [results[side], results[baseline]];
    return own === undefined || others === undefined
      ? []
      : [
          [
            `${titleOf(contents)}: ${sides[side].title} vs. ${sides[baseline].title}`,
            ...operationNames.map((name) => cellOf(name, own, others, goal(contents.count, name))),
            requestsBeside(own, others, contents.count),
          ],
        ];
  });
}

async function measure(bench: Bench, plan: Contents, rounds: number): Promise<Measured | undefined> {
  const isProject = plan.resourceClass === "Project";
  if (isProject && bench.service.server !== undefined) {
    return undefined;
  }
  const compared = (Object.keys(sides) as Side[]).filter(
    (side) => side !== "bridged" || (!isProject && isBridgedInstalled()),
  );
  const turns = Object.fromEntries(compared.map((side) => [side, () => turn(bench, side, plan)] as const));
  return { ...plan, sides: await takeTurns(turns, rounds) };
}

async function turn(bench: Bench, side: Side, contents: Contents): Promise<Measurement> {
  const run = await (await bench.stack(side)).begin(contents);
  const measurement: Partial<Record<Operation, Measurement[Operation]>> = {};
  for (const operation of operationNames) {
    const ended = contents.count < many ? undefined : await watchProcesses(bench);
    const duration = Math.round(await run(operation));
    measurement[operation] = { duration, requests: bench.service.requests(), ...(await ended?.()) };
  }
  return measurement as Measurement;
}

/** @returns a function that ends the watch */
async function watchProcesses({ service }: Bench) {
  const memory = watchMemory(service.process);
  const before = await service.processorTime();
  return async () => ({
    serviceTime: Math.round((await service.processorTime()) - before),
    memory: await memory(),
  });
}

/** Such as `1.03 x (0.98 to 1.10), 2.4 vs. 2.3 s`; with the goal if it was missed. */
function cellOf(
  operation: Operation,
  own: readonly Measurement[],
  baseline: readonly Measurement[],
  limit: number,
): string {
  const durationsOf = (rounds: readonly Measurement[]): number[] =>
    rounds.map((each) => each[operation].duration);
  const seconds = (rounds: readonly Measurement[]): string =>
    (median(durationsOf(rounds)) / 1_000).toFixed(1);
  const ratios = spreadOf(durationsOf(own), durationsOf(baseline), divide);
  const [ratio, least, most] = [ratios.median, ratios.least, ratios.most].map((value) => value.toFixed(2));
  const goal = Number(ratio) > limit ? `; goal ${limit.toFixed(2)}` : "";
  return `${ratio} x (${least} to ${most}), ${seconds(own)} vs. ${seconds(baseline)} s${goal}`;
}

/** Shows whether both sides did the same work: otherwise their times cannot be compared. */
export function requestsBeside(
  own: readonly Measurement[],
  baseline: readonly Measurement[],
  count: number,
): string {
  const [same, different]: [string[], string[]] = [[], []];
  for (const operation of operationNames) {
    const [ownCounts, baselineCounts] = [own, baseline].map((rounds) =>
      requestsText(
        rounds.map((each) => each[operation].requests),
        count,
      ),
    );
    if (ownCounts !== baselineCounts) {
      different.push(`${operations[operation]} ${ownCounts} vs. ${baselineCounts}`);
    } else if (ownCounts !== "0") {
      same.push(`${operations[operation]} ${ownCounts}`);
    }
  }
  const parts = { both: same, "not the same": different };
  return Object.entries(parts)
    .filter(([, described]) => described.length > 0)
    .map(([title, described]) => `${title}: ${described.join(", ")}`)
    .join("; ");
}

function requestsText(rounds: readonly Requests[], count: number): string {
  const methods = [...new Set(rounds.flatMap((requests) => Object.keys(requests)))].sort();
  const each = methods.map((method) => {
    const sum = rounds.reduce((total, requests) => total + (requests[method] ?? 0), 0);
    return `${Number((sum / rounds.length / count).toFixed(2))} ${method}`;
  });
  return each.length === 0 ? "0" : each.join(" + ");
}

function titleOf({ resourceClass, count, savedOnce }: Contents): string {
  const title = resourceClass === "TotpMethod" ? "TOTP method" : "project";
  return `${count.toLocaleString("en")} ${title}${count === 1 ? "" : "s"}${savedOnce === true ? ", saved once" : ""}`;
}
