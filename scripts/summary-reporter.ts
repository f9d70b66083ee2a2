import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import Mocha from "mocha";

/** Shows where the time of a tier goes. */
const shownFiles = 40;

/**
 * Mocha's spec report, the files that took longest, and a summary in the file of `--reporter-option summary=<file>`: `{ "passed", "failed",
 * "skipped", "failures" }`. A failed hook counts as failed. If the file is missing, the run did not reach its end.
 */
class SummaryReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    const { summary: file } = (options.reporterOptions ?? {}) as { summary?: string };
    if (file === undefined) {
      throw new Error("name the file of the summary: --reporter-option summary=<file>");
    }
    const times = new Map<string, number>();
    const count = ({ file: name = "", duration = 0 }: Mocha.Runnable): void => {
      times.set(name, (times.get(name) ?? 0) + duration);
    };
    runner.on(Mocha.Runner.constants.EVENT_TEST_END, count);
    runner.on(Mocha.Runner.constants.EVENT_HOOK_END, count);
    runner.once(Mocha.Runner.constants.EVENT_RUN_END, () => {
      const { passes, failures, pending } = this.stats;
      const texts = this.failures.map((test) => `${test.fullTitle()}: ${String(test.err?.message)}`);
      const slowest = [...times].toSorted(([, one], [, other]) => other - one).slice(0, shownFiles);
      const lines = slowest.map(([name, time]) => `  ${Math.round(time / 1000)} s ${relative("", name)}`);
      process.stdout.write(["Files that took longest:", ...lines, ""].join("\n"));
      writeFileSync(
        file,
        JSON.stringify({ passed: passes, failed: failures, skipped: pending, failures: texts }),
      );
    });
  }
}

export = SummaryReporter;
