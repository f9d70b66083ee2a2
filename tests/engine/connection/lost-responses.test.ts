import assert from "node:assert/strict";
import { useEmulator } from "../../support/use-emulator";
import { providerProcesses, until } from "../support/processes";
import {
  configurationFor,
  withOrganization,
  failureOf,
  programOf,
  projectsIn,
  projectType,
} from "../support/projects";
import { TestStack } from "../support/stack";

describe("a project whose creation is never answered", function () {
  this.timeout(60_000);

  const emulator = useEmulator({ resets: false, ...withOrganization });
  let stack: TestStack;
  const idsInState = async (): Promise<unknown[]> => (await stack.resources(projectType)).map(({ id }) => id);
  const idsInService = (): string[] => projectsIn(emulator).map(({ id }) => id);

  before(async function () {
    this.timeout(900_000);
    stack = await TestStack.create("engine-lost-answers", configurationFor(emulator));
  });

  afterEach(async () => {
    emulator.faults.clear();
    await stack.up(programOf([]));
    assert.deepEqual(projectsIn(emulator), []);
  });

  after(() => {
    stack.remove();
  });

  for (const [how, fault] of [
    ["the connection is reset", { drop: "after" }],
    ["the answer breaks off", { truncate: true }],
    ["a proxy answers 502 after the service has acted", { status: 502, when: "after" }],
  ] as const) {
    it(`is found and kept when ${how}`, async () => {
      const lost = emulator.faults.add({ method: "POST", ...fault });
      await stack.up(programOf(["payments"]));
      assert.equal(lost.hits, 1);
      assert.equal(emulator.journal.count({ method: "POST" }), 1);
      assert.deepEqual(await idsInState(), idsInService());
      assert.equal(idsInService().length, 1);
      emulator.journal.clear();
    });
  }

  it("is named by the next update, and adopted, when the provider process is killed meanwhile", async () => {
    emulator.faults.add({ method: "POST", delay: "forever", when: "after" });
    const interrupted = failureOf(stack.up(programOf(["payments"])));
    await until(() => projectsIn(emulator).length === 1);
    const processes = providerProcesses();
    assert.equal(processes.length, 1);
    processes.forEach((id) => process.kill(id, "SIGKILL"));
    await interrupted;
    emulator.faults.clear();
    assert.deepEqual(await idsInState(), []);

    const [id = ""] = idsInService();
    const text = await failureOf(stack.up(programOf(["payments"])));
    assert.match(
      text,
      new RegExp(`already exists \\(id ${id}\\); nothing was changed. To adopt it, set .adopt: true.`),
    );

    await stack.up(programOf(["payments"], { adopt: true }));
    assert.deepEqual(await idsInState(), [id]);
    assert.deepEqual(idsInService(), [id]);
  });
});
