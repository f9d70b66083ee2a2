import type { Row } from "./table";

/** How long the tests take: a run of the benchmark is too short for them, and would be too long with them. */
export function tiers(): readonly Row[] {
  const skipped = "not run here; contributing/tests.md has the last figure";
  const how = "set-up done, on two cores";
  return [
    {
      what: "`npm run test:unit`",
      how,
      unit: "min",
      figures: [],
      skipped,
      goal: { bound: "most", value: 2 },
    },
    { what: "`npm test`", how, unit: "min", figures: [], skipped, goal: { bound: "most", value: 10 } },
  ];
}
