import assert from "node:assert/strict";
import { isRecognizable } from "../engine/support/outcome";
import { emulatedTokens } from "../cases/support/emulated-world";

describe("a token that is looked for in everything shown", () => {
  for (const token of ["root", "myroot", "password", "s.123", ""]) {
    it(`cannot be ${JSON.stringify(token)}, which occurs there anyway`, () => {
      assert.ok(!isRecognizable(token));
    });
  }

  for (const token of [
    ...Object.values(emulatedTokens),
    "hvs.canary4t5Kx",
    "6c1a2f7e-0d0b-4f43-9c3e-5c0a8f6d2b11",
    "canary.atlasv1.0x9",
    "dev-only-token",
  ]) {
    it(`can be ${JSON.stringify(token)}`, () => {
      assert.ok(isRecognizable(token));
    });
  }
});
