import type { Requests } from "./service";
import { type Bench, type Command, type Contents, isBridgedThere, type Side, sides } from "./stack";
import { type Goal, isReached, layOut } from "./table";
import { divide, median, spreadOf, takeTurns } from "./turns";

/** The operations, in the order in which each stack sees them, and what columns call them. */
const operations = {
  up: "up",
  again: "up without changes",
  refresh: "refresh",
  destroy: "destroy",
} as const satisfies Partial<Record<Command, string>>;

type Operation = keyof typeof operations;

const operationNames = Object.keys(operations) as Operation[];

/** What a turn took. */
type Taken = Readonly<Record<Operation, { readonly duration: number; readonly requests: Requests }>>;

interface Plan extends Contents {
  /** An even number gives each side as many first turns as the other one, of two. */
  readonly rounds: number;
  readonly sides: readonly Side[];
}

const allSides: readonly Side[] = ["library", "plugin", "thin", "bridged"];
const dynamicSides: readonly Side[] = ["library", "plugin", "thin"];

const sizes: readonly { readonly count: number; readonly rounds: number }[] = [
  { count: 1, rounds: 3 },
  { count: 50, rounds: 3 },
  { count: 200, rounds: 3 },
  { count: 1_000, rounds: 2 },
];

const plans: readonly Plan[] = [
  ...[false, true].flatMap((savedOnce) =>
    sizes.map((size): Plan => ({ ...size, resourceClass: "TotpMethod", savedOnce, sides: allSides })),
  ),
  ...[50, 200].map((count): Plan => ({ count, rounds: 3, resourceClass: "Project", sides: dynamicSides })),
];

interface Comparison {
  readonly of: Side;
  readonly beside: Side;
  /** At most how much more time each operation may take. */
  readonly goals: (contents: Contents) => Readonly<Partial<Record<Operation, number>>>;
}

const comparisons: readonly Comparison[] = [
  {
    of: "library",
    beside: "thin",
    goals: ({ count, savedOnce = false }) => every(count > 200 || savedOnce ? 1.1 : 1.05),
  },
  { of: "plugin", beside: "thin", goals: () => every(0.95) },
  {
    of: "plugin",
    beside: "bridged",
    goals({ count, savedOnce = false }) {
      if (count === 1) {
        return { up: 1, refresh: 1.3, destroy: 1.3 };
      }
      return every(count >= 1_000 && !savedOnce ? 0.9 : 1);
    },
  },
  {
    of: "library",
    beside: "bridged",
    goals: ({ count, savedOnce = false }): Partial<Record<Operation, number>> =>
      count === 1_000 && !savedOnce ? { up: 0.9 } : {},
  },
];

/** Two sides beside each other. */
export interface ComparedRow {
  readonly what: string;
  readonly cells: readonly string[];
  /** What each side requested. */
  readonly requests: string;
}

/** What can be measured, by names. */
export const operationMeasurements: ReadonlyMap<
  string,
  (bench: Bench, rounds?: number) => Promise<readonly ComparedRow[]>
> = new Map(
  plans.map((plan) => [
    `operations of ${titleOf(plan)}`,
    (bench: Bench, rounds = plan.rounds) => measure(bench, { ...plan, rounds }),
  ]),
);

/** The rows as a table. */
export function operationsTable(rows: readonly ComparedRow[]): string {
  const head = ["time of operations", ...Object.values(operations), "requests for each resource"];
  return layOut([head, ...rows.map(({ what, cells, requests }) => [what, ...cells, requests])]);
}

async function measure(bench: Bench, plan: Plan): Promise<readonly ComparedRow[]> {
  const isReal = bench.service.server !== undefined;
  if (isReal && plan.resourceClass !== "TotpMethod") {
    return [];
  }
  const compared = plan.sides.filter((side) => side !== "bridged" || isBridgedThere());
  const wanted = comparisons.filter(({ of, beside }) => compared.includes(of) && compared.includes(beside));
  if (wanted.length === 0) {
    return [];
  }
  const turns = Object.fromEntries(compared.map((side) => [side, () => turn(bench, side, plan)])) as Record<
    Side,
    () => Promise<Taken>
  >;
  const taken = await takeTurns(turns, plan.rounds);
  return wanted.map(({ of, beside, goals }): ComparedRow => {
    const limits = goals(plan);
    return {
      what: `${titleOf(plan)}: ${sides[of].title} beside ${sides[beside].title}`,
      cells: operationNames.map((operation) =>
        cellOf(operation, taken[of], taken[beside], limits[operation]),
      ),
      requests: requestsBeside(taken[of], taken[beside], plan.count),
    };
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

/** `1.03 x (0.98 to 1.10), 2.4 beside 2.3 s`; with the goal where it is not reached. */
function cellOf(
  operation: Operation,
  of: readonly Taken[],
  beside: readonly Taken[],
  limit: number | undefined,
): string {
  const [own, other] = [of, beside].map((taken) => taken.map((each) => each[operation].duration)) as [
    number[],
    number[],
  ];
  const ratio = spreadOf(own, other, divide);
  const seconds = [own, other].map((durations) => (median(durations) / 1_000).toFixed(1));
  const goal: Goal | undefined = limit === undefined ? undefined : { bound: "<=", value: limit };
  const isMissed = goal !== undefined && !isReached(goal, Number(ratio.median.toFixed(2)));
  return (
    `${ratio.median.toFixed(2)} x (${ratio.least.toFixed(2)} to ${ratio.most.toFixed(2)}), ` +
    `${seconds[0]} beside ${seconds[1]} s` +
    (isMissed ? `; goal ${goal.value.toFixed(2)}` : "")
  );
}

/** The requests of both sides in all rounds, in words: a comparison of different work is no comparison. */
export function requestsBeside(of: readonly Taken[], beside: readonly Taken[], count: number): string {
  const described = operationNames.map((operation) => {
    const [own, other] = [of, beside].map((taken) =>
      inWords(
        taken.map((each) => each[operation].requests),
        count,
      ),
    );
    return { name: operations[operation], own, other };
  });
  const differing = described.filter(({ own, other }) => own !== other);
  const same = described.filter(({ own, other }) => own === other && own !== "0");
  return [
    ...(same.length === 0 ? [] : [`both: ${same.map(({ name, own }) => `${name} ${own}`).join(", ")}`]),
    ...(differing.length === 0
      ? []
      : [
          `not the same: ${differing.map(({ name, own, other }) => `${name} ${own} beside ${other}`).join(", ")}`,
        ]),
  ].join("; ");
}

function inWords(rounds: readonly Requests[], count: number): string {
  const methods = [...new Set(rounds.flatMap((requests) => Object.keys(requests)))].sort();
  const each = methods.map((method) => {
    const sum = rounds.reduce((total, requests) => total + (requests[method] ?? 0), 0);
    return `${Number((sum / rounds.length / count).toFixed(2))} ${method}`;
  });
  return each.length === 0 ? "0" : each.join(" + ");
}

function titleOf({ resourceClass, count, savedOnce = false }: Contents): string {
  const title = resourceClass === "TotpMethod" ? "TOTP method" : "project";
  return `${count.toLocaleString("en")} ${title}${count === 1 ? "" : "s"}${savedOnce ? ", saved once" : ""}`;
}

function every(limit: number): Readonly<Record<Operation, number>> {
  return { up: limit, again: limit, refresh: limit, destroy: limit };
}
