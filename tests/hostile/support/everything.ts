import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { format } from "prettier";
import { columns, table, tryEverything } from "./extent";

/**
 * Loaded before the tests by `npm run test:hostile`: everything is tried, and what was tried is shown in the end. A run
 * of all suites without a failure is written down.
 */
tryEverything();

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

const heading = `# Results of the hostile services and inputs

Written by \`npm run test:hostile\` when all tests have passed. The columns count the hostile bodies, responses, lists,
streams and inputs that each class or function got. None of them led to wrong data in state, a crash, an object that was
lost without an error, a request to another host, or a secret in a message.
`;

function wasTried(column: string): boolean {
  return table().includes(` ${column} |`);
}

function testsOf(suite: Mocha.Suite | undefined): readonly Mocha.Test[] {
  return suite === undefined ? [] : [...suite.tests, ...suite.suites.flatMap(testsOf)];
}
