import assert from "node:assert/strict";
import { Tokens } from "../../sdk/testing/tokens";

describe("the tokens of a service", () => {
  it("have a hash each, which is the same as long as the token is, and not the token", () => {
    const tokens = new Tokens("main-token", "rights");
    const hashOf = (token: string): string => tokens.find(token)?.tokenHash ?? assert.fail("unknown");
    const added = tokens.add({}, "rights");
    const main = hashOf("main-token");
    assert.match(main, /^[0-9a-f]{64}$/);
    assert.notEqual(main, hashOf(added));
    const before = hashOf(added);
    assert.notEqual(hashOf(tokens.rotate(added)), before);
    tokens.reset();
    assert.equal(hashOf("main-token"), main);
  });

  it("are found with what they may do, and by nothing else", () => {
    const tokens = new Tokens("main-token", "all");
    const added = tokens.add({ name: "reader" }, "reading");
    const found = [tokens.find("main-token"), tokens.find(added)].map((caller) => [
      caller?.name,
      caller?.rights,
    ]);
    assert.deepEqual(found, [
      ["main", "all"],
      ["reader", "reading"],
    ]);
    assert.deepEqual([tokens.find(undefined), tokens.find("")], [undefined, undefined]);
  });
});
