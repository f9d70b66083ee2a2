import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import { run, stopCommands } from "../../command-line/binary";
import { stepByStep } from "../../support/step-by-step";
import { useEmulator } from "../../support/use-emulator";
import { adapters, typeWith } from "../support/adapter";
import { until } from "../support/processes";
import { configurationFor, failureOf } from "../support/projects";
import { type Program, useSharedStack } from "../support/shared-stack";

/** Releases of Nomad since 2.0 accept a stream before they check its token, and leave it silent. */
const releases = ["1.10", "2.0"] as const;

const wrong = "00000000-0000-4000-8000-000000000000";

for (const release of releases) {
  for (const adapter of adapters) {
    describe(`event gates of Nomad ${release} that are refused, with the adapter ${adapter}`, function () {
      this.timeout(180_000);
      stepByStep();

      const emulator = useEmulator({ resets: false, dialect: "hashicorp", scheduler: { release } });
      const configuration = () => ({
        ...configurationFor(emulator, "scheduler"),
        "trivium:schedulerDialect": "hashicorp",
      });
      const stack = useSharedStack("engine-refused-gate", configuration, { adapter });
      const program: Program = () => {
        new trivium.scheduler.EventGate("gate", { topics: ["Job"], match: { key: "web" }, timeout: "10m" });
      };
      const refusals: readonly (readonly [what: string, token: () => string, said: RegExp])[] = [
        ["a wrong token", () => wrong, /403: Permission denied/],
        [
          "a token that lacks the permission",
          () => emulator.scheduler.addToken({ access: { readNodes: true }, name: "nodes" }),
          /This subscription requires namespace:read-job in the namespace default/,
        ],
      ];

      for (const [what, token, said] of refusals) {
        it(`a gate with ${what} fails with an error within seconds, and is not in state`, async () => {
          await stack.setConfiguration("trivium:schedulerToken", token(), true);
          const begun = performance.now();
          const failure = await failureOf(stack.up(program));
          assert.match(failure, said);
          assert.doesNotMatch(failure, /Timed out/);
          assert.ok(performance.now() - begun < 60_000);
          assert.deepEqual(await stack.urns(typeWith(adapter, "scheduler:EventGate")), []);
        });
      }

      it("a gate with a permitted token waits even if nothing happens, and then opens", async () => {
        await stack.setConfiguration("trivium:schedulerToken", emulator.scheduler.token, true);
        const opened = stack.up(program);
        await until(() => emulator.inspect().scheduler.subscriptions.length === 1);
        emulator.events.emit({ topic: "Job", type: "JobRegistered", key: "web" });
        assert.equal((await opened).changes.create, 1);
        await stack.destroy();
      });
    });
  }

  describe(`the command events with a Nomad ${release} that refuses the token`, function () {
    this.timeout(60_000);
    afterEach(stopCommands);
    const emulator = useEmulator({ dialect: "hashicorp", scheduler: { release } });

    it(`events ends within seconds, and reports that the token was rejected by a Nomad ${release}`, async () => {
      const command = run(["events", "--topic", "Job"], { ...emulator.environment, SCHEDULER_TOKEN: wrong });
      assert.equal(await command.ended, 1, command.printed.error);
      assert.match(command.printed.error, /403: Permission denied/);
      assert.equal(command.printed.out, "");
    });
  });
}
