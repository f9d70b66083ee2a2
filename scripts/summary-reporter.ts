import { writeFileSync } from "node:fs";
import Mocha from "mocha";

/**
 * Mocha's spec report, and a summary in the file of `--reporter-option summary=<file>`: `{ "passed", "failed",
 * "skipped", "failures" }`. A failed hook counts as failed. If the file is missing, the run did not reach its end.
 */
class SummaryReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    const { summary: file } = (options.reporterOptions ?? {}) as { summary?: string };
    if (file === undefined) {
      throw new Error("name the file of the summary: --reporter-option summary=<file>");
    }
    runner.once(Mocha.Runner.constants.EVENT_RUN_END, () => {
      const { passes, failures, pending } = this.stats;
      const texts = this.failures.map((test) => `${test.fullTitle()}: ${String(test.err?.message)}`);
      writeFileSync(
        file,
        JSON.stringify({ passed: passes, failed: failures, skipped: pending, failures: texts }),
      );
    });
  }
}

export = SummaryReporter;
