import assert from "node:assert/strict";
import { Problems } from "../../../../sdk/secrets/directory/template/finding";
import {
  attributeOf,
  checkAttribute,
  eitherLine,
  isExactly,
  type LdifLine,
  lineOf,
  withPlaceholder,
  withText,
} from "../../../../sdk/secrets/directory/template/ldif-line";
import type { Placeholder } from "../../../../sdk/secrets/directory/template/ldif-placeholder";

const line = (text: string): LdifLine =>
  lineOf(10, text, { afterEmptyLineOf: undefined, afterSpaces: false });
const value: Placeholder = { offset: 20, mayBreakLine: false, mayHoldColon: false, isPlain: true };
const encoded: Placeholder = { ...value, isPlain: false };
const anything: Placeholder = { ...encoded, mayHoldColon: true };

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
      text: "=",
      valueOffset: 15,
      isLiteral: false,
    });
    assert.equal(attributeOf(line("cn:< file:///a"))?.separator, ":<");
  });

  it("does not know a name that a placeholder decides", () => {
    assert.equal(attributeOf(withText(withPlaceholder(line(""), value), ": a"))?.name, undefined);
    assert.equal(attributeOf(withPlaceholder(line("c"), anything))?.name, undefined);
    assert.equal(attributeOf(eitherLine(line("cn"), line("sn")))?.name, undefined);
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
    assert.deepEqual(said(withText(withPlaceholder(line("cn:: "), encoded), '"')), ["error 15"]);
    assert.deepEqual(said(eitherLine(line("cn:: ?"), line("cn:: !"))), []);
  });
});

describe("eitherLine", () => {
  it("keeps what both have in common", () => {
    const either = eitherLine(
      withPlaceholder(line("cn: ab"), value),
      withPlaceholder(line("cn: ac"), encoded),
    );
    assert.equal(either.start, "cn: a");
    assert.equal(either.conditional, true);
    assert.deepEqual(either.placeholders, [value, encoded]);
    assert.equal(withText(either, "more"), either);
  });
});

describe("withText and withPlaceholder", () => {
  it("do not keep more of a line than can be of use", () => {
    let long = line("cn: ");
    for (let count = 0; count < 3000; count++) {
      long = withPlaceholder(withText(long, "0123456789"), value);
    }
    assert.ok(long.start.length + long.rest.length < 20_000);
    assert.equal(long.conditional, true);
    assert.equal(long.placeholders.length, 1);
  });
});

describe("isExactly", () => {
  it("wants the text and nothing else", () => {
    assert.equal(isExactly(line("-"), "-"), true);
    assert.equal(isExactly(line("- "), "-"), false);
    assert.equal(isExactly(withPlaceholder(line("-"), value), "-"), false);
  });
});
