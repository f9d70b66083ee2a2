import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describeApi, type Entry, entries, reportName, reports } from "../../scripts/api";

// A change of what programs are written against is seen in review, and meant: it changes these files.
describe("the reports of the public interface", function () {
  this.timeout("2m");
  let found: ReadonlyMap<Entry, string>;

  before(() => {
    found = describeApi();
  });

  for (const entry of entries) {
    it(`the reports of the public interface match what ${entry} exports; \`npm run api\` updates them`, () =>
      assert.equal(found.get(entry), readFileSync(join(reports, reportName(entry)), "utf8")));
  }

  it("the reports of the public interface do not cover other entries", () =>
    assert.deepEqual(readdirSync(reports).toSorted(), entries.map(reportName).toSorted()));
});
