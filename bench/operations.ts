import type { Requests } from "./service";
import { type Bench, type Command, type Contents, isBridgedThere, type Side, sides } from "./stack";
import { markdownTable } from "./table";
import { divide, median, spreadOf, takeTurns } from "./turns";

const operations = {
  up: "up",
  again: "up without changes",
  refresh: "refresh",
  destroy: "destroy",
} as const satisfies Partial<Record<Command, string>>;

type Operation = keyof typeof operations;

const operationNames = Object.keys(operations) as Operation[];

type Taken = Readonly<Record<Operation, { readonly duration: number; readonly requests: Requests }>>;

/** Two rounds where a turn takes minutes, else three: with two sides, each begins equally often. */
const plans: readonly Contents[] = [
  ...[false, true].flatMap((savedOnce) =>
    [1, 50, 200, 1_000, ...(savedOnce ? [3_000] : [])].map((count): Contents => ({
      count,
      resourceClass: "TotpMethod",
      savedOnce,
    })),
  ),
  ...[50, 200].map((count): Contents => ({ count, resourceClass: "Project" })),
];

type Limits = Readonly<Partial<Record<Operation, number>>>;

interface Comparison {
  readonly of: Side;
  readonly beside: Side;
  readonly goals: (contents: Contents) => Limits;
}

const comparisons: readonly Comparison[] = [
  { of: "library", beside: "thin", goals: ({ savedOnce }) => every(savedOnce ? 1.1 : 1.05) },
  { of: "plugin", beside: "thin", goals: () => every(0.95) },
  {
    of: "plugin",
    beside: "bridged",
    goals: ({ count, savedOnce }) =>
      count === 1 ? { up: 1, refresh: 1.3, destroy: 1.3 } : every(count >= 1_000 && !savedOnce ? 0.9 : 1),
  },
  {
    of: "library",
    beside: "bridged",
    goals: ({ count, savedOnce }): Limits => (count === 1_000 && !savedOnce ? { up: 0.9 } : {}),
  },
];

export const operationMeasurements: ReadonlyMap<
  string,
  (bench: Bench, rounds?: number) => Promise<readonly (readonly string[])[]>
> = new Map(
  plans.map((plan) => [
    `operations of ${titleOf(plan)}`,
    (bench: Bench, rounds = plan.count < 1_000 ? 3 : 2) => measure(bench, plan, rounds),
  ]),
);

export function operationsTable(rows: readonly (readonly string[])[]): string {
  return markdownTable([
    ["time of operations", ...Object.values(operations), "requests for each resource"],
    ...rows,
  ]);
}

async function measure(
  bench: Bench,
  plan: Contents,
  rounds: number,
): Promise<readonly (readonly string[])[]> {
  const isProject = plan.resourceClass === "Project";
  if (isProject && bench.service.server !== undefined) {
    return [];
  }
  const compared = (Object.keys(sides) as Side[]).filter(
    (side) => side !== "bridged" || (!isProject && isBridgedThere()),
  );
  const turns = Object.fromEntries(
    compared.map((side) => [side, () => turn(bench, side, plan)] as const),
  ) as Record<Side, () => Promise<Taken>>;
  const taken = await takeTurns(turns, rounds);
  return comparisons
    .filter(({ of, beside }) => compared.includes(of) && compared.includes(beside))
    .map(({ of, beside, goals }) => {
      const limits = goals(plan);
      return [
        `${titleOf(plan)}: ${sides[of].title} beside ${sides[beside].title}`,
        ...operationNames.map((name) => cellOf(name, taken[of], taken[beside], limits[name])),
        requestsBeside(taken[of], taken[beside], plan.count),
      ];
    });
}

async function turn(bench: Bench, side: Side, contents: Contents): Promise<Taken> {
  const run = await (await bench.stack(side)).begin(contents);
  const taken: Partial<Record<Operation, { duration: number; requests: Requests }>> = {};
  for (const operation of operationNames) {
    const duration = await run(operation);
    taken[operation] = { duration, requests: bench.service.requests() };
  }
  return taken as Taken;
}

/** Such as `1.03 x (0.98 to 1.10), 2.4 beside 2.3 s`; with the goal if it was missed. */
function cellOf(
  operation: Operation,
  of: readonly Taken[],
  beside: readonly Taken[],
  limit = Number.POSITIVE_INFINITY,
): string {
  const durationsOf = (taken: readonly Taken[]): number[] => taken.map((each) => each[operation].duration);
  const seconds = (taken: readonly Taken[]): string => (median(durationsOf(taken)) / 1_000).toFixed(1);
  const ratios = spreadOf(durationsOf(of), durationsOf(beside), divide);
  const [ratio, least, most] = [ratios.median, ratios.least, ratios.most].map((value) => value.toFixed(2));
  const goal = Number(ratio) > limit ? `; goal ${limit.toFixed(2)}` : "";
  return `${ratio} x (${least} to ${most}), ${seconds(of)} beside ${seconds(beside)} s${goal}`;
}

/** Shows whether both sides did the same work: otherwise their times cannot be compared. */
export function requestsBeside(of: readonly Taken[], beside: readonly Taken[], count: number): string {
  const [same, different]: [string[], string[]] = [[], []];
  for (const operation of operationNames) {
    const [own, other] = [of, beside].map((taken) =>
      inWords(
        taken.map((each) => each[operation].requests),
        count,
      ),
    );
    if (own !== other) {
      different.push(`${operations[operation]} ${own} beside ${other}`);
    } else if (own !== "0") {
      same.push(`${operations[operation]} ${own}`);
    }
  }
  const parts = { both: same, "not the same": different };
  return Object.entries(parts)
    .filter(([, described]) => described.length > 0)
    .map(([title, described]) => `${title}: ${described.join(", ")}`)
    .join("; ");
}

function inWords(rounds: readonly Requests[], count: number): string {
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

function every(limit: number): Limits {
  return Object.fromEntries(operationNames.map((operation) => [operation, limit]));
}
