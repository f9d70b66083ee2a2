import assert from "node:assert/strict";
import { templateFields } from "../../../../sdk/secrets/directory/template/fields";

describe("templateFields", () => {
  it("are those of the documents", () => {
    assert.deepEqual([...templateFields.username.keys()].sort(), ["DisplayName", "RoleName"]);
    assert.deepEqual([...templateFields.ldif.keys()].sort(), [
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

  it("are text, but for the times in seconds", () => {
    for (const [name, type] of templateFields.ldif) {
      assert.equal(type, name.endsWith("Seconds") ? "seconds" : "text", name);
    }
  });
});
