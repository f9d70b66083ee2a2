import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { format } from "prettier";
import { triedDialects } from "../../support/services";
import { tally, tryEverything } from "./extent";

/**
 * Loaded before the tests by `npm run test:hostile`: everything is tried, and what was tried is shown in the end. A run
 * of all suites without a failure is written down.
 */
tryEverything();

export const mochaHooks = {
  async afterAll(this: Mocha.Context): Promise<void> {
    process.stdout.write(`\n${tally.table()}\n`);
    const states = statesIn(this.test?.parent);
    const isPassed = triedDialects.length > 1 && states.every((state) => state === "passed");
    if (isPassed && tally.columns.every((column) => tally.sum(column) > 0)) {
      const text = `${heading}\nRun on ${new Date().toISOString().slice(0, 10)}.\n\n${tally.table()}\n`;
      writeFileSync(join(__dirname, "..", "results.md"), await format(text, { parser: "markdown" }));
    }
  },
};

const heading = `# Results of the hostile services and inputs

Written by \`npm run test:hostile\` when all tests have passed. The columns count the hostile bodies, responses, lists,
streams and inputs that each class or function got. None of them led to wrong data in state, a crash, an object that was
lost without an error, a request to another host, or a secret in a message. Each class and function is tried in each
dialect that has it, \`with\` arguments that exclude others too.
`;

function statesIn({ tests = [], suites = [] }: Partial<Mocha.Suite> = {}): readonly unknown[] {
  return [...tests.map(({ state }) => state), ...suites.flatMap((suite) => statesIn(suite))];
}
