const title = "takes one step after the other";

export function isStory(suite: Mocha.Suite): boolean {
  return (suite as Mocha.Suite & Hooks).getHooks("beforeEach").some((hook) => hook.title.includes(title));
}

/** The types of mocha omit it. */
interface Hooks {
  getHooks(name: "beforeEach"): readonly { readonly title: string }[];
}

/** After a failed test the others of the suite are skipped. Mocha's own `bail` would end the whole run. */
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
