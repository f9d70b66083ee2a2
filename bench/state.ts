import type { Bench, StoredResource } from "./stack";
import type { Row } from "./table";

const titles = { TotpMethod: "a TOTP method", Project: "a project" } as const;

export async function stateSize(bench: Bench): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const resourceClass of ["TotpMethod", "Project"] as const) {
    const sizes: number[] = [];
    for (const side of ["library", "thin"] as const) {
      const stack = await bench.stack(side);
      const run = await stack.begin({ resourceClass, count: 20 });
      await run("up");
      sizes.push(Math.max(...stack.resources().map(sizeOf)));
    }
    const [own = Number.NaN, thin = Number.NaN] = sizes;
    rows.push({
      what: `inputs and outputs of ${titles[resourceClass]} in state, minus that of thin`,
      how: "the most of 20 resources, names and values that are in both counted twice, as JSON in UTF-8",
      figure: own - thin,
      unit: "bytes",
      goal: ["<=", 300],
      detail: `${own} vs. ${thin}`,
    });
  }
  return rows;
}

function sizeOf({ inputs = {}, outputs = {} }: StoredResource): number {
  return Buffer.byteLength(JSON.stringify(inputs)) + Buffer.byteLength(JSON.stringify(outputs));
}
