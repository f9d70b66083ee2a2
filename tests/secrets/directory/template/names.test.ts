import assert from "node:assert/strict";
import {
  templateFields,
  unknownField,
  unknownFunction,
} from "../../../../sdk/secrets/directory/template/names";

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
