import assert from "node:assert/strict";
import { Problems } from "../../../../sdk/secrets/directory/template/finding";
import {
  type Placeholder,
  placeholderOf,
  placeholderOfCall,
} from "../../../../sdk/secrets/directory/template/ldif-placeholder";
import { parseTemplate } from "../../../../sdk/secrets/directory/template/parser";

function placeholder(expression: string): Placeholder {
  const [node] = parseTemplate(`{{${expression}}}`, new Problems()).nodes;
  assert.equal(node?.kind, "action");
  return placeholderOf(node.pipeline, node.offset);
}

describe("placeholderOf", () => {
  it("knows what can break a line", () => {
    for (const text of [
      '"a\\nb"',
      'printf "%s\\n" .Username',
      "println .Username",
      "(println .A).B",
      "$x",
      ".",
    ]) {
      assert.equal(placeholder(text).mayBreakLine, true, text);
    }
    for (const text of [
      ".Username",
      'printf "%s" .Username',
      "$.Username",
      'print "a\\nb" | base64',
      "uuid",
    ]) {
      assert.equal(placeholder(text).mayBreakLine, false, text);
    }
  });

  it("knows what can hold a colon", () => {
    assert.equal(placeholder('print "cn: " .Username').mayHoldColon, true);
    assert.equal(placeholder("$x").mayHoldColon, true);
    assert.equal(placeholder(".Username").mayHoldColon, false);
    assert.equal(placeholder('print "cn: " .Username | sha256').mayHoldColon, false);
  });

  it("knows what is not base64", () => {
    for (const text of [".Username", '"abc"', ".Username | base64 | sha256"]) {
      assert.equal(placeholder(text).isPlain, true, text);
    }
    for (const text of [".Username | base64", 'printf "%s" (base64 .Username)', "$x", "."]) {
      assert.equal(placeholder(text).isPlain, false, text);
    }
  });
});

describe("placeholderOfCall", () => {
  it("can be anything", () => {
    assert.deepEqual(placeholderOfCall(3), {
      offset: 3,
      mayBreakLine: true,
      mayHoldColon: true,
      isPlain: false,
    });
  });
});
