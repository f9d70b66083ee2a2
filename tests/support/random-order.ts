// Tests must not rely on their order. ORDER_SEED=7 shuffles suites and tests of each file; steps of a story keep
// theirs.
import { isStory } from "./step-by-step";

const { ORDER_SEED: seed } = process.env;

export const mochaHooks =
  seed === undefined
    ? {}
    : {
        beforeAll(this: Mocha.Context): void {
          const { parent: root } = this.runnable();
          if (root !== undefined) {
            shuffle(root, drawFrom(Number(seed)));
          }
        },
      };

function shuffle(suite: Mocha.Suite, draw: () => number): void {
  if (isStory(suite)) {
    return;
  }
  for (const list of [suite.tests, suite.suites] as unknown[][]) {
    const drawn = list.map((each) => ({ each, place: draw() }));
    drawn.sort((left, right) => left.place - right.place);
    list.splice(0, list.length, ...drawn.map(({ each }) => each));
  }
  for (const inner of suite.suites) {
    shuffle(inner, draw);
  }
}

/** A linear congruential generator: the same numbers for the same seed. */
function drawFrom(start: number): () => number {
  let state = start;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}
