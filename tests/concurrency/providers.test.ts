import assert from "node:assert/strict";
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

describe("two stacks at once, with two providers each", function () {
  this.timeout(300_000);
  stepByStep();

  /** Each is managed by one provider of one stack, which can make this many requests at once. */
  const services = Object.entries({ east: 2, west: 5, north: 3, south: 8 }).map(([name, maxConcurrency]) => {
    return { name, maxConcurrency, emulator: useEmulator({ resets: false, ...withOrganization }) };
  });
  let stacks: readonly ProgramDirectory[];

  /** @param least how many requests have to meet; how many do is the machine's business */
  const run = async (least: number, ...command: readonly string[]): Promise<void> => {
    services.forEach(({ emulator }) => emulator.journal.clear());
    const options = ["--yes", "--skip-preview", "--parallel", "64"];
    await Promise.all(stacks.map((stack) => stack.succeed([...command, ...options])));
    for (const { name, maxConcurrency, emulator } of services) {
      const { mostInFlight } = emulator.provisioning.statistics;
      assert.ok(mostInFlight >= least && mostInFlight <= maxConcurrency, `${name}: ${mostInFlight} at once`);
    }
  };

  before(async function () {
    this.timeout(900_000);
    const all = services.map(({ name, maxConcurrency, emulator: { provisioning, faults } }) => {
      faults.add({ latency: "50ms" });
      return { name, maxConcurrency, address: provisioning.address, token: provisioning.token };
    });
    const start = (providers: typeof all, index: number) => {
      const environment = { PROVIDERS: JSON.stringify(providers) };
      return ProgramDirectory.ofJavaScript(`concurrency-stack-${index}`, program, environment);
    };
    stacks = await Promise.all([all.slice(0, 2), all.slice(2)].map(start));
  });
  after(() => stacks.forEach((stack) => stack.remove()));

  it("two stacks create their own projects, each provider with several concurrent requests within its limit", async () => {
    await run(2, "up");
    for (const { name, emulator } of services) {
      const wanted = Array.from({ length: count }, (_, index) => `${name}-${index}`);
      const found = projectsIn(emulator).map((project) => project.name);
      assert.deepEqual(found.sort(), wanted.sort());
    }
  });

  it("a refresh of the projects of two stacks stays within the same limits and shows no change", () =>
    run(1, "refresh", "--expect-no-changes"));

  it("projects of two stacks are destroyed without leftovers", async () => {
    await run(2, "destroy");
    services.forEach(({ emulator }) => assert.deepEqual(projectsIn(emulator), []));
  });
});
