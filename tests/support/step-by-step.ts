/**
 * Makes the tests of the suite that is being described steps of one story: after one that has failed the others are
 * skipped. Mocha's own `bail` would end the whole run, other files included.
 */
export function stepByStep(): void {
  let failed = false;
  beforeEach(function () {
    if (failed) {
      this.skip();
    }
  });
  afterEach(function () {
    failed ||= this.currentTest?.state === "failed";
  });
}
