import assert from "node:assert/strict";
import { useEmulator } from "../../support/use-emulator";
import { until } from "../support/processes";
import { ProgramDirectory } from "../support/program-directory";
import { organization, projectsIn, withOrganization } from "../support/projects";

/** What the library waits for in these tests takes minutes; the engine itself ends providers after some seconds. */
const patience = 20_000;
const rateLimit = { times: 1000, status: 429, headers: { "Retry-After": "58" } };

/** Presses Ctrl-C once something has happened. @returns what the operation brings, which ends soon */
async function cancelWhen<Result>(
  happened: () => boolean,
  operation: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const ended = operation(controller.signal);
  await until(happened);
  const pressed = Date.now();
  controller.abort();
  const result = await ended;
  assert.ok(Date.now() - pressed < patience, `${Date.now() - pressed} ms`);
  return result;
}

describe("Ctrl-C in a terminal, which reaches the CLI and the program alike", function () {
  this.timeout(120_000);

  const text = `
    const trivium = require("pulumi-trivium");
    const first = new trivium.provisioning.Project("first", { organization: "${organization}", name: "first" });
    new trivium.provisioning.Project("second", { organization: "${organization}", name: "second" }, { dependsOn: first });
  `;
  const up = ["up", "--yes", "--skip-preview"];
  const emulator = useEmulator({ resets: false, ...withOrganization });
  let directory: ProgramDirectory;

  before(async function () {
    this.timeout(900_000);
    directory = await ProgramDirectory.ofJavaScript("engine-terminal", text, emulator.environment);
  });

  afterEach(async () => {
    emulator.faults.clear();
    await directory.pulumi(["destroy", "--yes", "--skip-preview"]);
    assert.deepEqual(projectsIn(emulator), []);
    emulator.journal.clear();
  });

  after(() => directory.remove());

  for (const [what, fault, made] of [
    ["a wait for a rate limit", rateLimit, 1],
    [
      "a creation that the service has not processed yet, and keeps its result",
      { delay: "1s", when: "before" },
      2,
    ],
    ["a creation under way, and keeps its result", { delay: "2s", when: "after" }, 2],
    ["a creation without a response, and keeps its result", { delay: "forever", when: "after" }, 2],
  ] as const) {
    it(`Ctrl-C in a terminal ends ${what}; the next run finishes with nothing lost or doubled`, async () => {
      const hit = emulator.faults.add({ method: "POST", skip: 1, ...fault });
      const { succeeded, text: shown } = await cancelWhen(
        () => hit.hits > 0,
        (interrupted) => directory.pulumi(up, { interrupted }),
      );
      assert.ok(!succeeded, shown);
      await until(() => emulator.provisioning.statistics.inFlight === 0);
      assert.equal(projectsIn(emulator).length, made);
      emulator.faults.clear();
      emulator.journal.clear();
      await directory.succeed(up);
      assert.deepEqual(
        projectsIn(emulator).map(({ name }) => name),
        ["first", "second"],
      );
      assert.equal(emulator.journal.count({ method: "POST" }), 2 - made);
    });
  }
});
