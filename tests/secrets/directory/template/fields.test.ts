import assert from "node:assert/strict";
import { templateFields } from "../../../../sdk/secrets/directory/template/fields";

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
