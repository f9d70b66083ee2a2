import assert from "node:assert/strict";
import { useEmulator } from "../../support/use-emulator";
import { until } from "../support/processes";
import { ProgramDirectory } from "../support/program-directory";
import { organization, projectsIn, withOrganization } from "../support/projects";

/** What the library waits for in these tests takes minutes; the engine itself ends providers after a few seconds. */
const patience = 20_000;

describe("Ctrl-C in a terminal, which reaches the CLI and the program alike", function () {
  this.timeout(120_000);

  const program = `
    const { Project } = require("pulumi-trivium").provisioning;
    const first = new Project("first", { organization: "${organization}", name: "first" });
    new Project("second", { organization: "${organization}", name: "second" }, { dependsOn: first });
  `;
  const up = ["up", "--yes", "--skip-preview"];
  const emulator = useEmulator({ resets: false, ...withOrganization });
  let directory: ProgramDirectory;

  before(async function () {
    this.timeout(900_000);
    directory = await ProgramDirectory.ofJavaScript("engine-terminal", program, emulator.environment);
  });
  afterEach(async () => {
    emulator.faults.clear();
    await directory.pulumi(["destroy", "--yes", "--skip-preview"]);
    assert.deepEqual(projectsIn(emulator), []);
  });
  after(() => directory.remove());

  const rateLimit = { times: 1_000, status: 429, headers: { "Retry-After": "58" } };
  for (const [what, fault, made] of [
    ["a wait for a rate limit", rateLimit, 1],
    ["a creation not processed yet, and keeps its result", { delay: "1s", when: "before" }, 2],
    ["a creation under way, and keeps its result", { delay: "2s", when: "after" }, 2],
    ["a creation without a response, and keeps its result", { delay: "forever", when: "after" }, 2],
  ] as const) {
    it(`Ctrl-C in a terminal ends ${what}; the next run completes without losing or duplicating anything`, async () => {
      const held = emulator.faults.add({ method: "POST", skip: 1, ...fault });
      const controller = new AbortController();
      const ended = directory.pulumi(up, { interrupted: controller.signal });
      await until(() => held.hits > 0);
      const pressed = Date.now();
      controller.abort();
      const { succeeded, text } = await ended;
      assert.ok(!succeeded && Date.now() - pressed < patience, text);
      await until(() => emulator.provisioning.statistics.inFlight === 0);
      assert.equal(projectsIn(emulator).length, made);
      emulator.faults.clear();
      emulator.journal.clear();
      await directory.succeed(up);
      const names = projectsIn(emulator).map(({ name }) => name);
      assert.deepEqual(names, ["first", "second"]);
      assert.equal(emulator.journal.count({ method: "POST" }), 2 - made);
    });
  }
});
