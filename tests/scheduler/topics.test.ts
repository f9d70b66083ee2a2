import assert from "node:assert/strict";
import { readEvents, waitForEvent } from "../../sdk/scheduler";
import { InputError } from "../../sdk/base/errors";
import { useEnvironment } from "../connection/environment";
import { failure } from "../http/calls";
import { useEmulator } from "../support/use-emulator";

for (const dialect of ["documented", "hashicorp"] as const) {
  describe(`topics of a subscription in the ${dialect} dialect`, () => {
    const emulator = useEmulator({ dialect });
    useEnvironment(() => emulator.environment);

    const emitAll = (): void => {
      const job = { topic: "Job", type: "JobRegistered" };
      emulator.events.emit([
        { ...job, key: "web" },
        { ...job, key: "api" },
        { ...job, key: "db", filterKeys: ["web"] },
        { topic: "Deployment", type: "DeploymentStatusUpdate", key: "web" },
        { topic: "Node", type: "NodeRegistration", key: "n1" },
        { topic: "NodeDrain", type: "NodeDrain", key: "n2" },
      ]);
    };
    const jobs = ["web", "api", "db"];
    const everything = ["web", "api", "db", "web", "n1", "n2"];
    const table: readonly [readonly string[], readonly string[]][] = [
      [["Job", "Job:web"], jobs],
      [["Job:web", "Job"], jobs],
      [["Job", "Job"], jobs],
      [["Job:*", "Job"], jobs],
      [
        ["Job:web", "Job:web"],
        ["web", "db"],
      ],
      [["*", "Job:web"], everything],
      [["*:*", "*"], everything],
      [
        ["*:web", "Job"],
        [...jobs, "web"],
      ],
      [
        ["*:web", "Job:web"],
        ["web", "db", "web"],
      ],
      [
        ["*:web", "Job:api"],
        [...jobs, "web"],
      ],
      [
        ["*:web", "NodeDrain"],
        ["web", "db", "web", "n2"],
      ],
    ];
    for (const [topics, keys] of table) {
      it(`a subscription to ${topics.join(" and ")} delivers each event that one of them selects once`, async () => {
        emitAll();
        const read = await readEvents({ topics, until: { idle: "0.2s" } });
        assert.deepEqual(
          read.map(({ key }) => key),
          keys,
        );
      });
    }

    for (const match of [() => Promise.resolve(false), () => ({ then: () => undefined })]) {
      it("waitForEvent rejects a match that returns a promise, because it would match every event", async () => {
        emitAll();
        const error = await failure(
          waitForEvent({ match: match as unknown as () => boolean, timeout: "5s" }),
        );
        assert.ok(InputError.isInstance(error));
        assert.match(error.message, /match must return true or false, not a promise/);
      });
    }
  });
}
