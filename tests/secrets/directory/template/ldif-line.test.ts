import assert from "node:assert/strict";
import { parseTemplate } from "../../../../sdk/go-template/parser";
import { Problems } from "../../../../sdk/secrets/directory/template/finding";
import {
  anything,
  attributeOf,
  checkAttribute,
  emptyLine,
  type LdifLine,
  type Placeholder,
  placeholderOf,
  withPlaceholder,
  withText,
} from "../../../../sdk/secrets/directory/template/ldif-line";

const line = (text: string): LdifLine => withText(emptyLine(10, undefined), text);
const value: Placeholder = { mayBreakLine: false, mayHoldColon: false, plainOffset: 20 };
const encoded: Placeholder = { ...value, plainOffset: undefined };

const said = (checkedLine: LdifLine): string[] => {
  const problems = new Problems();
  const attribute = attributeOf(checkedLine);
  assert.ok(attribute);
  checkAttribute(checkedLine, attribute, problems);
  return problems.findings(" ".repeat(100)).map(({ severity, column }) => `${severity} ${column - 1}`);
};

describe("attributeOf", () => {
  it("takes a line apart", () => {
    assert.deepEqual(attributeOf(line("cn:  a:b ")), {
      name: "cn",
      separator: ":",
      text: "a:b ",
      valueOffset: 15,
      isLiteral: true,
    });
    assert.deepEqual(attributeOf(withText(withPlaceholder(line("cn:: "), value), "=")), {
      name: "cn",
      separator: "::",
      text: "",
      valueOffset: 15,
      isLiteral: false,
    });
    assert.equal(attributeOf(line("cn:< file:///a"))?.separator, ":<");
  });

  it("does not know a name that a placeholder decides", () => {
    assert.equal(attributeOf(withText(withPlaceholder(line(""), value), ": a"))?.name, undefined);
    assert.equal(attributeOf(withPlaceholder(line("c"), anything))?.name, undefined);
  });

  it("refuses a line without a colon", () => {
    assert.equal(attributeOf(line("cn")), undefined);
    assert.equal(attributeOf(withText(withPlaceholder(line("cn "), value), " a")), undefined);
  });
});

describe("checkAttribute", () => {
  it("accepts names of all forms", () => {
    for (const name of ["cn", "objectClass", "x-a1", "2.5.4.3", "cn;lang-en;x-b", "userCertificate;binary"]) {
      assert.deepEqual(said(line(`${name}: a`)), [], name);
    }
  });

  it("refuses other names", () => {
    for (const name of ["", " ", "a_b", "1a", "2..5", "2.5.", "a b", "-a", "a;", "ä"]) {
      assert.deepEqual(said(line(`${name}: a`)), ["error 10"], name);
    }
  });

  it("refuses no value, but not an empty one", () => {
    assert.deepEqual(said(line("cn:")), ["error 10"]);
    assert.deepEqual(said(line("cn::")), ["error 10"]);
    assert.deepEqual(said(line("cn: ")), []);
    assert.deepEqual(said(withPlaceholder(line("cn:"), value)), []);
  });

  it("wants base64 behind two colons", () => {
    assert.deepEqual(said(line("cn:: YQ==")), []);
    assert.deepEqual(said(line("cn:: YQ=")), ["error 15"]);
    assert.deepEqual(said(withPlaceholder(line("cn:: "), encoded)), []);
    assert.deepEqual(said(withPlaceholder(line("cn::"), value)), ["warning 20"]);
    assert.deepEqual(said(withPlaceholder(line('cn:: "'), encoded)), ["error 15"]);
  });
});

function placeholder(expression: string): Placeholder {
  const [node] = parseTemplate(`{{${expression}}}`, () => undefined).nodes;
  assert.equal(node?.kind, "output");
  return placeholderOf(node.pipeline, node.offset);
}

describe("placeholderOf", () => {
  it("knows what can break a line", () => {
    for (const text of ['"a\\nb"', 'printf "%s\\n" .A', "println .A", "(println .A).B", "print ($x)", "."]) {
      assert.equal(placeholder(text).mayBreakLine, true, text);
    }
    for (const text of [".Username", 'printf "%s" .Username', "$.Username", "uuid"]) {
      assert.equal(placeholder(text).mayBreakLine, false, text);
    }
  });

  it("knows what can hold a colon", () => {
    assert.equal(placeholder('print "cn: " .Username').mayHoldColon, true);
    assert.equal(placeholder("$x").mayHoldColon, true);
    assert.equal(placeholder(".Username").mayHoldColon, false);
  });

  it("knows what is not base64", () => {
    for (const text of [".Username", '"abc"']) {
      assert.equal(placeholder(text).plainOffset, 0, text);
    }
    for (const text of [".Username | base64", 'printf "%s" (base64 .Username)', "$x", "."]) {
      assert.equal(placeholder(text).plainOffset, undefined, text);
    }
  });
});

describe("withPlaceholder", () => {
  it("keeps what is known of the line", () => {
    const both = withPlaceholder(withPlaceholder(line("cn"), value), anything);
    assert.deepEqual(both, { ...line("cn"), ...anything, isLiteral: false, plainOffset: 20 });
    assert.equal(withText(withPlaceholder(line("cn"), value), ": a").mayHoldColon, true);
  });
});
