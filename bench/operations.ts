import { median } from "./rounds";
import { missing, type SideName, sides } from "./sides";
import type { Command, Contents, Stacks } from "./stacks";
import type { Goal, Row } from "./table";
import { ratio, takeTurns } from "./turns";

/** The operations, in the order in which each stack sees them, and what rows call them. */
const operations = {
  up: "up",
  again: "up without changes",
  refresh: "refresh",
  destroy: "destroy",
} as const satisfies Partial<Record<Command, string>>;

type Operation = keyof typeof operations;
type Durations = Readonly<Record<Operation, number>>;

const operationNames = Object.keys(operations) as Operation[];

interface Plan extends Contents {
  readonly rounds: number;
}

/** As many rounds as let the whole run end within 40 minutes. */
const plans: readonly Plan[] = [
  { resourceClass: "TotpMethod", count: 1, rounds: 5 },
  { resourceClass: "TotpMethod", count: 50, rounds: 5 },
  { resourceClass: "TotpMethod", count: 200, rounds: 2 },
  { resourceClass: "TotpMethod", count: 1_000, rounds: 1 },
  { resourceClass: "TotpMethod", count: 1, rounds: 3, savedOnce: true },
  { resourceClass: "TotpMethod", count: 50, rounds: 3, savedOnce: true },
  { resourceClass: "TotpMethod", count: 200, rounds: 2, savedOnce: true },
  { resourceClass: "TotpMethod", count: 1_000, rounds: 1, savedOnce: true },
  { resourceClass: "Project", count: 50, rounds: 2 },
];

interface Comparison {
  readonly of: SideName;
  readonly beside: SideName;
  readonly compared: readonly Operation[];
  /** What is compared; the goal is how much more time it may take. */
  readonly appliesTo: (plan: Plan) => boolean;
  readonly goal: (plan: Plan) => number | undefined;
}

const comparisons: readonly Comparison[] = [
  {
    of: "library",
    beside: "thin",
    compared: operationNames,
    appliesTo: () => true,
    goal: ({ savedOnce = false }) => (savedOnce ? 1.1 : 1.05),
  },
  {
    of: "library",
    beside: "closures",
    compared: ["up"],
    appliesTo: ({ resourceClass, count, savedOnce = false }) =>
      !savedOnce && (resourceClass === "Project" || count === 200),
    goal: () => undefined,
  },
  {
    of: "library",
    beside: "bridged",
    compared: ["up"],
    appliesTo: ({ resourceClass, count, savedOnce = false }) =>
      !savedOnce && resourceClass === "TotpMethod" && count === 1_000,
    goal: () => 0.9,
  },
  {
    of: "plugin",
    beside: "bridged",
    compared: operationNames,
    appliesTo: ({ resourceClass, savedOnce = false }) => !savedOnce && resourceClass === "TotpMethod",
    goal: ({ count }) => (count === 1 ? 1 : 0.9),
  },
  {
    of: "plugin",
    beside: "thin",
    compared: operationNames,
    appliesTo: () => true,
    goal: () => undefined,
  },
];

/** What can be measured of the operations of stacks, by names. */
export const operationMeasurements = new Map(
  plans.map((plan) => [
    `up of ${titleOf(plan)}`,
    (stacks: Stacks, rounds = plan.rounds) => measure(stacks, { ...plan, rounds }),
  ]),
);

/** How long the operations of a stack take with each side, and what follows for each comparison. */
async function measure(stacks: Stacks, plan: Plan): Promise<readonly Row[]> {
  const wanted = comparisons.filter(({ appliesTo }) => appliesTo(plan));
  const names = wanted.flatMap(({ of, beside }) => (lacking(of, beside) === undefined ? [of, beside] : []));
  const turns = Object.fromEntries(names.map((name) => [name, () => turn(stacks, name, plan)])) as Record<
    SideName,
    () => Promise<Durations>
  >;
  const taken: Partial<Record<SideName, readonly Durations[]>> = await takeTurns(turns, plan.rounds);
  return wanted.flatMap((comparison) => rowsOf(comparison, plan, taken));
}

async function turn(stacks: Stacks, side: SideName, contents: Contents): Promise<Durations> {
  const { run } = await stacks.begin(side, contents);
  const up = await run("up");
  const again = await run("again");
  const refresh = await run("refresh");
  return { up, again, refresh, destroy: await run("destroy") };
}

function rowsOf(
  { of, beside, compared, goal }: Comparison,
  plan: Plan,
  taken: Readonly<Partial<Record<SideName, readonly Durations[]>>>,
): readonly Row[] {
  const limit = goal(plan);
  const line = `${titleOf(plan)}: ${sides[of].title} beside ${sides[beside].title}`;
  const row = {
    how: `${describe(plan)}, ${plan.rounds === 1 ? "one round" : `median of the ratios of ${plan.rounds} rounds`}`,
    unit: "x",
    ...(limit === undefined ? {} : { goal: { bound: "most", value: limit } satisfies Goal }),
  } as const;
  const skipped = lacking(of, beside);
  if (skipped !== undefined) {
    const all = compared.map((operation) => operations[operation]).join(", ");
    return [{ ...row, what: `${all} of ${line}`, figures: [], skipped }];
  }
  return compared.map((operation) => {
    const [own = [], other = []] = [of, beside].map((side) =>
      taken[side]?.map((durations) => durations[operation]),
    );
    return {
      ...row,
      what: `${operations[operation]} of ${line}`,
      cell: { line, column: operations[operation] },
      figures: [{ ...ratio(own, other), label: `${seconds(own)} beside ${seconds(other)}` }],
    };
  });
}

/** Why these sides cannot be compared here; `undefined` when they can. */
function lacking(...names: readonly SideName[]): string | undefined {
  return names.map((name) => missing(sides[name])).find((reason) => reason !== undefined);
}

function titleOf({ resourceClass, count, savedOnce = false }: Contents): string {
  const title = { TotpMethod: "TOTP method", Project: "project", NotificationConfiguration: "notification" }[
    resourceClass
  ];
  return `${count.toLocaleString("en")} ${title}${count === 1 ? "" : "s"}${savedOnce ? ", saved once" : ""}`;
}

function describe({ savedOnce = false }: Contents): string {
  return savedOnce
    ? "time of the CLI's command, where it writes its state only once (PULUMI_SKIP_CHECKPOINTS)"
    : "time of the CLI's command";
}

function seconds(durations: readonly number[]): string {
  return `${(median(durations) / 1_000).toFixed(1)} s`;
}
