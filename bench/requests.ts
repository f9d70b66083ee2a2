import { type Emulator, startEmulator } from "pulumi-trivium/testing";
import { PulumiProject, type StoredResource } from "./pulumi-project";
import type { Figure, Row } from "./table";
import { type Up, Ups } from "./ups";

const projectCount = 200;
const methodCount = 1000;
const workspaceCount = 10;
const how = (resources: string): string =>
  `requests at the service while the CLI refreshes ${resources} / their number`;

/** How much is asked of the services, and how much is kept in state. Neither depends on the machine. */
export async function requestsAndState(): Promise<readonly Row[]> {
  const emulator = await startEmulator();
  const ups = new Ups(emulator);
  try {
    const methods = await previewOfMethods(ups, emulator);
    const projects = await refreshOfProjects(ups, emulator);
    const notifications = await refreshOfNotifications(emulator);
    return [
      {
        what: "requests of a preview without changes",
        how: `requests at the service while the CLI previews ${methodCount.toLocaleString("en")} TOTP methods`,
        unit: "requests",
        figures: [{ value: methods.requests }],
        goal: { bound: "most", value: 0 },
      },
      {
        what: "requests of a refresh for each project",
        how: how(`${projectCount} projects of one organization`),
        unit: "requests",
        figures: [{ value: projects.requests / projectCount }],
        goal: { bound: "most", value: 0.2 },
      },
      {
        what: "requests of a refresh for each notification configuration",
        how: how(
          `${notifications.resources.length} notification configurations of ${workspaceCount} workspaces`,
        ),
        unit: "requests",
        figures: [{ value: notifications.requests / notifications.resources.length }],
        goal: { bound: "most", value: 0.2 },
      },
      {
        what: "inputs and outputs of a resource in state beyond twice its data",
        how: "the most of all these resources; its data are its outputs without those that the library remembers itself, all as JSON in UTF-8",
        unit: "bytes",
        figures: [
          beyondData(methods.resources, "TOTP methods"),
          beyondData(projects.resources, "projects"),
          beyondData(notifications.resources, "notification configurations"),
        ],
        goal: { bound: "most", value: 700 },
      },
    ];
  } finally {
    ups.remove();
    await emulator.close();
  }
}

interface Measured {
  readonly requests: number;
  readonly resources: readonly StoredResource[];
}

async function previewOfMethods(ups: Ups, emulator: Emulator): Promise<Measured> {
  const up: Up = {
    variant: "library",
    resourceClass: "TotpMethod",
    count: methodCount,
    checkpoints: false,
  };
  await ups.up(up);
  emulator.journal.clear();
  await ups.operate(up, "preview", "--expect-no-changes");
  return measured(emulator, await ups.project("library"));
}

async function refreshOfProjects(ups: Ups, emulator: Emulator): Promise<Measured> {
  const up: Up = { variant: "library", resourceClass: "Project", count: projectCount };
  await ups.up(up);
  emulator.journal.clear();
  await ups.operate(up, "refresh", "--yes", "--skip-preview", "--expect-no-changes");
  return measured(emulator, await ups.project("library"));
}

async function refreshOfNotifications(emulator: Emulator): Promise<Measured> {
  const project = await PulumiProject.create("notifications");
  try {
    emulator.reset();
    emulator.provisioning.addOrganization({ name: "acme" });
    const workspaces = Array.from(
      { length: workspaceCount },
      () => emulator.provisioning.addWorkspace({ organization: "acme" }).id,
    );
    const environment = { ...emulator.environment, BENCH_WORKSPACES: workspaces.join(",") };
    await project.pulumi(environment, "up", "--yes", "--skip-preview");
    emulator.journal.clear();
    await project.pulumi(environment, "refresh", "--yes", "--skip-preview", "--expect-no-changes");
    return measured(emulator, project);
  } finally {
    project.remove();
  }
}

function measured(emulator: Emulator, project: PulumiProject): Measured {
  const resources = project.resources().filter(({ type }) => type.includes("dynamic/trivium/"));
  return { requests: emulator.journal.count(), resources };
}

function beyondData(resources: readonly StoredResource[], label: string): Figure {
  const beyond = resources.map(({ inputs = {}, outputs = {} }) => {
    const data = Object.entries(outputs).filter(([name]) => !name.startsWith("__"));
    return bytesOf(inputs) + bytesOf(outputs) - 2 * bytesOf(Object.fromEntries(data));
  });
  return { value: Math.max(...beyond), label };
}

function bytesOf(value: object): number {
  return Buffer.byteLength(JSON.stringify(value));
}
