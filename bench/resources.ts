import type { Bench, Command, Contents, Side, StoredResource } from "./stack";
import { figureRow, type Row } from "./table";

const methods: Contents = { resourceClass: "TotpMethod", count: 1_000, savedOnce: true };
const projects: Contents = { resourceClass: "Project", count: 200, savedOnce: true };
const notifications: Contents = { resourceClass: "NotificationConfiguration", count: 200, savedOnce: true };

/** Requests that do not depend on the machine. */
export async function requests(bench: Bench): Promise<readonly Row[]> {
  const goal = { bound: "<=", value: 0.2 } as const;
  return [
    figureRow(
      {
        what: "requests of a preview without changes",
        how: "all requests while the CLI previews 1,000 TOTP methods",
        goal: { bound: "<=", value: 0 },
      },
      await requestsOf(bench, "preview", methods),
      "requests",
    ),
    figureRow(
      {
        what: "requests of a refresh for each project",
        how: "requests while the CLI refreshes 200 projects of one organization / their number",
        goal,
      },
      (await requestsOf(bench, "refresh", projects)) / projects.count,
      "requests",
    ),
    figureRow(
      {
        what: "requests of a refresh for each notification configuration",
        how: "requests while the CLI refreshes 200 notification configurations of 10 workspaces / their number",
        goal,
      },
      (await requestsOf(bench, "refresh", notifications)) / notifications.count,
      "requests",
    ),
  ];
}

async function requestsOf(bench: Bench, command: Command, contents: Contents): Promise<number> {
  const run = await (await bench.stack("library")).begin(contents);
  await run("up");
  bench.service.requests();
  await run(command);
  return Object.values(bench.service.requests()).reduce((sum, count) => sum + count, 0);
}

/** How much longer a resource's inputs and outputs in state are than thin's. */
export async function stateSize(bench: Bench): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const [resourceClass, title] of [
    ["TotpMethod", "a TOTP method"],
    ["Project", "a project"],
  ] as const) {
    const [library, thin] = [
      await sizeIn(bench, "library", resourceClass),
      await sizeIn(bench, "thin", resourceClass),
    ];
    const what = `inputs and outputs of ${title} in state, beyond thin's`;
    const how = "the most of 20 resources, names and values that are in both counted twice, as JSON in UTF-8";
    rows.push(
      figureRow(
        { what, how, goal: { bound: "<=", value: 100 } },
        library - thin,
        "bytes",
        `${library} beside ${thin}`,
      ),
    );
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
