import assert from "node:assert/strict";
import type { Emulator } from "pulumi-trivium/testing";
import { ProgramDirectory } from "../engine/support/program-directory";
import { projectsIn, withOrganization } from "../engine/support/projects";
import { stepByStep } from "../support/step-by-step";
import { useEmulator } from "../support/use-emulator";

const count = 30;

/** Declares as many projects with each of the providers that the environment describes. */
const program = `
const trivium = require("pulumi-trivium");
for (const { name, ...provisioning } of JSON.parse(process.env.PROVIDERS)) {
  const provider = new trivium.Provider(name, { provisioning });
  for (let index = 0; index < ${count}; index++) {
    const project = name + "-" + index;
    new trivium.provisioning.Project(project, { organization: "acme", name: project }, { provider });
  }
}
`;

/** A service that one provider of one stack manages, and how many requests that provider may make at once. */
interface Managed {
  readonly name: string;
  readonly limit: number;
  readonly emulator: Emulator;
}

describe("two stacks at once, with two providers each", function () {
  this.timeout(300_000);
  stepByStep();

  const services = Object.entries({ east: 2, west: 5, north: 3, south: 8 }).map(([name, limit]): Managed => {
    return { name, limit, emulator: useEmulator({ resets: false, ...withOrganization }) };
  });
  let stacks: readonly ProgramDirectory[];

  const run = async (...command: readonly string[]): Promise<void> => {
    services.forEach(({ emulator }) => emulator.journal.clear());
    await Promise.all(stacks.map((stack) => stack.succeed(command)));
  };

  before(async function () {
    this.timeout(900_000);
    services.forEach(({ emulator }) => emulator.faults.add({ latency: "50ms" }));
    stacks = await Promise.all(
      [services.slice(0, 2), services.slice(2)].map((own, index) => {
        const providers = own.map(({ name, limit, emulator: { provisioning } }) => ({
          name,
          address: provisioning.address,
          token: provisioning.token,
          maxConcurrency: limit,
        }));
        const environment = { PROVIDERS: JSON.stringify(providers) };
        return ProgramDirectory.ofJavaScript(`concurrency-stack-${index}`, program, environment);
      }),
    );
  });

  after(() => stacks.forEach((stack) => stack.remove()));

  it("two stacks create their own projects, each provider with several concurrent requests within its limit", async () => {
    await run("up", "--yes", "--skip-preview", "--parallel", "64");
    for (const { name, limit, emulator } of services) {
      const wanted = Array.from({ length: count }, (_, index) => `${name}-${index}`);
      const found = projectsIn(emulator).map((project) => project.name);
      assert.deepEqual(found.toSorted(), wanted.toSorted());
      assertConcurrent(emulator, limit, name);
    }
  });

  it("projects of two stacks are refreshed within the same limits and show no change", async () => {
    await run("refresh", "--yes", "--skip-preview", "--expect-no-changes", "--parallel", "64");
    for (const { name, limit, emulator } of services) {
      const { requests, mostInFlight } = emulator.provisioning.statistics;
      assert.ok(requests > 0 && mostInFlight <= limit, name);
    }
  });

  it("projects of two stacks are destroyed and leave nothing", async () => {
    await run("destroy", "--yes", "--skip-preview", "--parallel", "64");
    for (const { name, limit, emulator } of services) {
      assert.deepEqual(projectsIn(emulator), []);
      assertConcurrent(emulator, limit, name);
    }
  });
});

/** How many requests meet is the machine's business, as long as they are several and never more than the limit. */
function assertConcurrent(emulator: Emulator, limit: number, name: string): void {
  const { mostInFlight } = emulator.provisioning.statistics;
  assert.ok(mostInFlight > 1 && mostInFlight <= limit, `${name}: ${mostInFlight} at once`);
}
