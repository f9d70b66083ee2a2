import assert from "node:assert/strict";
import {
  templateFields,
  unknownField,
  unknownFunction,
} from "../../../../sdk/secrets/directory/template/names";
import fc from "fast-check";
import { decodeLdif } from "../../../../sdk/secrets/directory/template/base64";
import { mostProblems } from "../../../../sdk/go-template/syntax-problem";
import { Problems } from "../../../../sdk/secrets/directory/template/finding";

const meant = (message: string | undefined): string | undefined =>
  /did you mean (?:the field )?`(.*)`\?$/.exec(message ?? "")?.[1];

describe("templateFields", () => {
  it("are those of the documents", () => {
    assert.deepEqual([...templateFields.username].sort(), ["DisplayName", "RoleName"]);
    assert.deepEqual([...templateFields.ldif].sort(), [
      "DisplayName",
      "ExpirationTime",
      "ExpirationTimeSeconds",
      "IssueTime",
      "IssueTimeSeconds",
      "Password",
      "RoleName",
      "Username",
    ]);
  });
});

describe("unknownFunction", () => {
  it("suggests what was probably meant", () => {
    assert.equal(meant(unknownFunction("lower", "username")), "lowercase");
    assert.equal(meant(unknownFunction("trunc", "ldif")), "truncate");
    assert.equal(meant(unknownFunction("Username", "ldif")), ".Username");
    assert.equal(meant(unknownFunction("utf16", "ldif")), "utf16le");
    assert.equal(meant(unknownFunction("utf16", "username")), undefined);
    assert.equal(unknownFunction("nope", "ldif"), "`nope` is not a function of these templates.");
  });

  it("knows what is for LDIF only", () => {
    assert.equal(unknownFunction("utf16le", "ldif"), undefined);
    assert.equal(unknownFunction("utf16le", "username"), "`utf16le` can only be used in LDIF templates.");
    assert.equal(unknownFunction("base64", "username"), undefined);
  });
});

describe("unknownField", () => {
  it("suggests what was probably meant", () => {
    assert.equal(meant(unknownField("Usename", "ldif")), ".Username");
    assert.equal(meant(unknownField("IssuTime", "ldif")), ".IssueTime");
    assert.match(unknownField("Foo", "username") ?? "", /; the fields are `\.RoleName`, `\.DisplayName`\.$/);
  });

  it("knows what only LDIF has", () => {
    assert.equal(unknownField("Password", "ldif"), undefined);
    assert.match(
      unknownField("Password", "username") ?? "",
      /is not available in a user name template, only/,
    );
  });
});

describe("decodeLdif", () => {
  it("decodes what was encoded, whatever it is and however it is broken into lines", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", minLength: 1 }),
        fc.integer({ min: 1, max: 76 }),
        (text, width) => {
          const encoded = Buffer.from(text).toString("base64");
          assert.equal(decodeLdif(encoded), text);
          assert.equal(decodeLdif(encoded.replace(new RegExp(`.{${width}}`, "g"), "$&\r\n")), text);
        },
      ),
    );
  });

  it("leaves alone what is not base64, and what holds nothing", () => {
    for (const text of [
      "",
      "\n",
      "dn: cn=x\nchangetype: delete\n",
      "hello",
      "AAAA AAAA",
      "A===",
      "AA=A",
      "AA-_",
      "é===",
    ]) {
      assert.equal(decodeLdif(text), undefined);
    }
  });
});

describe("Problems", () => {
  it("tells places in lines and columns, in the order of the text", () => {
    const problems = new Problems();
    problems.error(6, "sixth");
    problems.warning(0, "first");
    problems.error(3, "third");
    problems.error(2, "the end of the first line");
    assert.deepEqual(problems.findings("ab\ncd\n"), [
      { message: "first", line: 1, column: 1, severity: "warning" },
      { message: "the end of the first line", line: 1, column: 3, severity: "error" },
      { message: "third", line: 2, column: 1, severity: "error" },
      { message: "sixth", line: 3, column: 1, severity: "error" },
    ]);
  });

  it("keeps the findings of one place in order, each once", () => {
    const problems = new Problems();
    for (const message of ["b", "a", "b"]) {
      problems.error(0, message);
    }
    assert.deepEqual(
      problems.findings("").map(({ message }) => message),
      ["b", "a"],
    );
  });

  it("knows whether there are errors", () => {
    const problems = new Problems();
    problems.warning(0, "a warning");
    assert.equal(problems.hasErrors, false);
    problems.error(0, "an error");
    assert.equal(problems.hasErrors, true);
  });

  it("is full at some time", () => {
    const problems = new Problems();
    for (let offset = 0; offset < mostProblems; offset++) {
      assert.equal(problems.full, false);
      problems.error(offset, "again");
    }
    assert.equal(problems.full, true);
    problems.error(mostProblems, "again");
    assert.equal(problems.findings("").length, mostProblems);
  });
});
