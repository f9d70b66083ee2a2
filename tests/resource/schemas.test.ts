import assert from "node:assert/strict";
import { z } from "zod";
import { durationInSeconds } from "../../sdk/resource/schemas";

describe("durationInSeconds", () => {
  const schema = durationInSeconds(z);

  it("makes seconds of every accepted spelling", () => {
    assert.deepEqual(
      [90, "90", "90s", "1m30s", "1h"].map((value) => schema.parse(value)),
      [90, 90, 90, 90, 3600],
    );
  });

  for (const value of ["soon", "", -1, "5 minutes", null, true, {}]) {
    it(`refuses ${JSON.stringify(value)} without repeating it`, () => {
      const result = schema.safeParse(value);
      const messages = result.error?.issues.map(({ message }) => message) ?? [];
      assert.equal(messages.length, 1);
      assert.match(messages[0] ?? "", /^must be a duration/);
    });
  }
});
