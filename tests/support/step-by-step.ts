const title = "takes one step after the other";

/** Whether the tests of a suite are steps of one story. */
export function isStory(suite: Mocha.Suite): boolean {
  return (suite as Mocha.Suite & Hooks).getHooks("beforeEach").some((hook) => hook.title.includes(title));
}

/** The types of mocha leave it out. */
interface Hooks {
  getHooks(name: "beforeEach"): readonly { readonly title: string }[];
}

/**
 * Makes the tests of the suite that is being described steps of one story: after one that has failed the others are
 * skipped. Mocha's own `bail` would end the whole run, other files included.
 */
export function stepByStep(): void {
  let failed = false;
  beforeEach(title, function () {
    if (failed) {
      this.skip();
    }
  });
  afterEach(function () {
    failed ||= this.currentTest?.state === "failed";
  });
}
