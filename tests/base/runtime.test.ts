import assert from "node:assert/strict";
import { systemRuntime } from "../../sdk/base/runtime";

describe("the time of waits", () => {
  it("is not set back with the machine's clock, which would lengthen them", () => {
    const date = Date.now;
    const before = systemRuntime.now();
    Date.now = () => 0;
    try {
      assert.ok(systemRuntime.now() >= before);
    } finally {
      Date.now = date;
    }
  });
});
