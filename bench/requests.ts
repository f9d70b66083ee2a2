import type { StoredResource } from "./pulumi-project";
import type { SideName } from "./sides";
import type { Command, Contents, Stacks } from "./stacks";
import type { Figure, Row } from "./table";

const methods: Contents = { resourceClass: "TotpMethod", count: 1_000, savedOnce: true };
const projects: Contents = { resourceClass: "Project", count: 200, savedOnce: true };
const notifications: Contents = { resourceClass: "NotificationConfiguration", count: 200, savedOnce: true };

/** How much is asked of the services. It does not depend on the machine. */
export async function requests(stacks: Stacks): Promise<readonly Row[]> {
  const each = "requests at the service while the CLI refreshes";
  return [
    {
      what: "requests of a preview without changes",
      how: "requests at the service while the CLI previews 1,000 TOTP methods",
      unit: "requests",
      figures: [{ value: await requestsOf(stacks, "preview", methods) }],
      goal: { bound: "most", value: 0 },
    },
    {
      what: "requests of a refresh for each project",
      how: `${each} 200 projects of one organization / their number`,
      unit: "requests",
      figures: [{ value: (await requestsOf(stacks, "refresh", projects)) / projects.count }],
      goal: { bound: "most", value: 0.2 },
    },
    {
      what: "requests of a refresh for each notification configuration",
      how: `${each} 200 notification configurations of 10 workspaces / their number`,
      unit: "requests",
      figures: [{ value: (await requestsOf(stacks, "refresh", notifications)) / notifications.count }],
      goal: { bound: "most", value: 0.2 },
    },
  ];
}

async function requestsOf(stacks: Stacks, command: Command, contents: Contents): Promise<number> {
  const stack = await stacks.begin("library", contents);
  await stack.run("up");
  await stack.requests();
  await stack.run(command);
  return stack.requests();
}

/** How much longer a resource's inputs and outputs in state are than a perfect hand's. */
export async function stateSize(stacks: Stacks): Promise<readonly Row[]> {
  return [
    {
      what: "inputs and outputs of a resource in state beyond thin's",
      how: "the most of 20 resources, names and texts that stand in both counted twice, all as JSON in UTF-8",
      unit: "bytes",
      figures: [
        await beyondThin(stacks, "TotpMethod", "a TOTP method"),
        await beyondThin(stacks, "Project", "a project"),
      ],
      goal: { bound: "most", value: 200 },
    },
  ];
}

async function beyondThin(
  stacks: Stacks,
  resourceClass: Contents["resourceClass"],
  title: string,
): Promise<Figure> {
  const sizes = async (side: SideName): Promise<readonly number[]> => {
    const stack = await stacks.begin(side, { resourceClass, count: 20 });
    await stack.run("up");
    return stack.resources().map(sizeOf);
  };
  const [library, thin] = [Math.max(...(await sizes("library"))), Math.max(...(await sizes("thin")))];
  return { value: library - thin, label: `for ${title} (${library} beside ${thin})` };
}

function sizeOf({ inputs = {}, outputs = {} }: StoredResource): number {
  return Buffer.byteLength(JSON.stringify(inputs)) + Buffer.byteLength(JSON.stringify(outputs));
}
