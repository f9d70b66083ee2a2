// Tests must not rely on their order. ORDER_SEED=7 shuffles suites and tests of each file; steps of a story keep
// theirs.
import { createHash } from "node:crypto";
import { isStory } from "./step-by-step";

const { ORDER_SEED: seed } = process.env;

export const mochaHooks = {
  beforeAll(this: Mocha.Context): void {
    const { parent: root } = this.runnable();
    if (seed !== undefined && root !== undefined) {
      shuffle(root);
    }
  },
};

function shuffle(suite: Mocha.Suite): void {
  if (!isStory(suite)) {
    const placeOf = ({ title }: { readonly title: string }): string =>
      createHash("sha256").update(`${seed} ${title}`).digest("hex");
    for (const list of [suite.tests, suite.suites]) {
      list.sort((left, right) => placeOf(left).localeCompare(placeOf(right)));
    }
    suite.suites.forEach(shuffle);
  }
}
