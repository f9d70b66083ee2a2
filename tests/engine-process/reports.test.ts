import assert from "node:assert/strict";
import { silenceEmptyReports } from "../../sdk/engine/reports";
import { runAsProvider } from "./as-provider";

describe("silenceEmptyReports", () => {
  it("the report filter suppresses only empty reports of the library's own errors", async () => {
    const { stderr } = await runAsProvider(`
      const { LifecycleError, silenceEmptyReports } = require("./sdk/engine/reports");
      silenceEmptyReports();
      silenceEmptyReports();
      const report = (error) => console.error(error + ": " + error.stack);
      report(new LifecycleError("shown once already"));
      report(Object.assign(new Error("of somebody else"), { stack: "their stack" }));
      console.error(": ", "with more");`);
    assert.equal(stderr, "Error: of somebody else: their stack\n:  with more\n");
  });

  it("the report filter leaves other processes alone", () => {
    const print = console.error;
    silenceEmptyReports();
    assert.equal(console.error, print);
  });
});
