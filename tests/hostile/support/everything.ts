import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { format } from "prettier";
import { columns, table } from "./tally";

/**
 * Loaded before the tests by `npm run test:hostile`: everything is tried, and what was tried is shown in the end. A run
 * of all suites without a failure is written down.
 */
process.env.TRIVIUM_HOSTILE = "all";

const results = join(__dirname, "..", "results.md");

export const mochaHooks = {
  async afterAll(this: Mocha.Context): Promise<void> {
    process.stdout.write(`\n${table()}\n`);
    const tests = testsOf(this.test?.parent);
    if (tests.length > 0 && tests.every(({ state }) => state === "passed") && columns.every(wasTried)) {
      const date = new Date().toISOString().slice(0, 10);
      const text = `${heading}\nRun on ${date}.\n\n${table()}\n`;
      writeFileSync(results, await format(text, { parser: "markdown" }));
    }
  },
};

const heading = `# What was tried on every class and function

Written by \`npm run test:hostile\` when all of it has passed. Each number is how many hostile bodies, answers, lists,
streams or inputs one class or function was put before. Of all of them this many led to wrong data in state, to a crash,
to an object that was lost without a word, to a request elsewhere, or to a secret in a message: 0.
`;

function wasTried(column: string): boolean {
  return table().includes(` ${column} |`);
}

function testsOf(suite: Mocha.Suite | undefined): readonly Mocha.Test[] {
  return suite === undefined ? [] : [...suite.tests, ...suite.suites.flatMap(testsOf)];
}
