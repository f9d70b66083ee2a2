import assert from "node:assert/strict";
import { headerText } from "../../sdk/http/connection-settings";

describe("the text of a header", () => {
  for (const text of ["", "token", "two words\tand more", "caf\u00e9"]) {
    it(`may be ${JSON.stringify(text)}`, () => assert.match(text, headerText));
  }
  for (const text of ["a\nb", "a\r\nX-Injected: 1", "a\n", "a\0", "\u007f", "\u6f22", "\ud800"]) {
    it(`may not be ${JSON.stringify(text)}`, () => assert.doesNotMatch(text, headerText));
  }
});
