import { startEmulator } from "pulumi-trivium/testing";
import { bridged } from "./bridged";
import type { Figure, Goal, Row } from "./table";
import { medianOf, ratio, takeTurns } from "./turns";
import { type ResourceClass, type Up, Ups } from "./ups";

const goal: Goal = { bound: "most", value: 1.1 };
const manyRounds = 3;
/** For many resources the engine takes minutes, whoever provides them. */
const fewRounds = 2;

const nothing = "a dynamic provider whose hooks do nothing, with the same arguments";
const closures =
  "a dynamic provider of the usual kind, serialized into state, that makes the same requests with fetch";
const how = (rounds: number): string =>
  `time of \`pulumi up --yes --skip-preview\`, ${rounds === 1 ? "one round" : `median of the ratios of ${rounds} rounds`}`;
const titles = { TotpMethod: "TOTP methods", Project: "projects" } as const;

/** How long `pulumi up` takes with the library, and with what else could provide the resources. */
export async function updating(): Promise<readonly Row[]> {
  const emulator = await startEmulator();
  const ups = new Ups(emulator);
  try {
    return [
      ...(await beside(ups, "TotpMethod", fewRounds)),
      ...(await beside(ups, "Project", 1)),
      await without(ups),
      await bridged(),
    ];
  } finally {
    ups.remove();
    await emulator.close();
  }
}

async function beside(ups: Ups, resourceClass: ResourceClass, roundsOfMany: number): Promise<readonly Row[]> {
  const up = (variant: Up["variant"], count: number) => () => ups.up({ variant, resourceClass, count });
  const few = await takeTurns({ library: up("library", 100), empty: up("empty", 100) }, manyRounds);
  const some = await takeTurns(
    { library: up("library", 200), empty: up("empty", 200), closures: up("closures", 200) },
    manyRounds,
  );
  const many = await takeTurns({ library: up("library", 1000), empty: up("empty", 1000) }, roundsOfMany);
  const title = titles[resourceClass];
  const each = (times: readonly number[], count: number): Figure => {
    const { value } = medianOf(times.map((time) => time / count));
    return { value, label: `at ${count.toLocaleString("en")}` };
  };
  const growth = (name: "library" | "empty"): readonly Figure[] => [
    each(few[name], 100),
    each(some[name], 200),
    each(many[name], 1000),
  ];
  const perResource = "median time of `pulumi up --yes --skip-preview` / number of resources";
  return [
    {
      what: `up of 200 ${title}, beside an empty provider`,
      how: `${how(manyRounds)}; the other is ${nothing}`,
      unit: "x",
      figures: [ratio(some.library, some.empty)],
      goal,
    },
    {
      what: `up of 1,000 ${title}, beside an empty provider`,
      how: `${how(roundsOfMany)}; the same`,
      unit: "x",
      figures: [ratio(many.library, many.empty)],
      goal,
    },
    {
      what: `up of 200 ${title}, beside serialized functions`,
      how: `${how(manyRounds)}; the other is ${closures}`,
      unit: "x",
      figures: [ratio(some.library, some.closures)],
    },
    { what: `time for each of many ${title}`, how: perResource, unit: "ms", figures: growth("library") },
    {
      what: "beside it: with an empty provider",
      how: perResource,
      unit: "ms",
      figures: growth("empty"),
    },
  ];
}

/** The engine writes the whole state after each step: at 1,000 resources that takes most of the time. */
async function without(ups: Ups): Promise<Row> {
  const up = (variant: Up["variant"]) => () =>
    ups.up({ variant, resourceClass: "TotpMethod", count: 1000, checkpoints: false });
  const times = await takeTurns({ library: up("library"), empty: up("empty") }, fewRounds);
  return {
    what: "the same for 1,000 TOTP methods where the CLI writes its state only once",
    how: `${how(fewRounds)}; with PULUMI_SKIP_CHECKPOINTS, so that what the providers take weighs more`,
    unit: "x",
    figures: [ratio(times.library, times.empty)],
  };
}
