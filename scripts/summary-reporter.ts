import { writeFileSync } from "node:fs";
import Mocha from "mocha";

/**
 * Mocha's usual report for people, and a summary for scripts. At the end of the run it writes
 * `{ "passed", "failed", "skipped", "failures" }` to the file that `--reporter-option summary=<file>` names. A failed hook
 * counts as failed, and `failures` has a text for each. Without the file, the run did not reach its end.
 */
class SummaryReporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    const { summary: file } = (options.reporterOptions ?? {}) as { summary?: string };
    if (file === undefined) {
      throw new Error("name the file of the numbers: --reporter-option summary=<file>");
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
