import type { Bench, Contents, Side, StoredResource } from "./stack";
import { figureRow, type Row } from "./table";

const how = "the most of 20 resources, names and values that are in both counted twice, as JSON in UTF-8";

/** How much longer a resource's inputs and outputs in state are than thin's. */
export async function stateSize(bench: Bench): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const [resourceClass, title] of [
    ["TotpMethod", "a TOTP method"],
    ["Project", "a project"],
  ] as const) {
    const own = await sizeIn(bench, "library", resourceClass);
    const thin = await sizeIn(bench, "thin", resourceClass);
    const what = `inputs and outputs of ${title} in state, beyond thin's`;
    const goal = { bound: "<=", value: 100 } as const;
    rows.push(figureRow({ what, how, goal }, own - thin, "bytes", `${own} beside ${thin}`));
  }
  return rows;
}

async function sizeIn(bench: Bench, side: Side, resourceClass: Contents["resourceClass"]): Promise<number> {
  const stack = await bench.stack(side);
  const run = await stack.begin({ resourceClass, count: 20 });
  await run("up");
  return Math.max(...stack.resources().map(sizeOf));
}

function sizeOf({ inputs = {}, outputs = {} }: StoredResource): number {
  return Buffer.byteLength(JSON.stringify(inputs)) + Buffer.byteLength(JSON.stringify(outputs));
}
