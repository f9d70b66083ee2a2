import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { provenFiles } from "../../scripts/docs/proven-page";
import * as library from "../../sdk";
import { className, collectClasses } from "../../sdk/resource/definition";
import { readLiveResults } from "../live/live-results";

describe("the page about compatibility", () => {
  it("the page about compatibility shows the newest results of the live tests", async () => {
    for (const [file, text] of await provenFiles()) {
      assert.equal(readFileSync(file, "utf8"), text, "It is stale: run `npm run docs`.");
    }
  });

  it("the results of the live tests are for existing classes, each with its products and their versions", () => {
    const names = [...collectClasses(library).values()].map(({ definition }) => className(definition));
    for (const result of readLiveResults()) {
      assert.ok(names.includes(result.class), result.class);
      assert.ok(result.passed > 0 && result.products.length > 0, JSON.stringify(result));
      assert.match(result.date, /^\d{4}-\d\d-\d\d$/);
      // OpenLDAP does not tell its version.
      assert.ok(
        result.products.every((product) => product === "OpenLDAP" || /\d/.test(product)),
        result.products.join(),
      );
    }
  });
});
