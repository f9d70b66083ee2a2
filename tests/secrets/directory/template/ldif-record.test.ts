import assert from "node:assert/strict";
import {
  eitherRecord,
  type LdifRecord,
  noRecord,
} from "../../../../sdk/secrets/directory/template/ldif-record";

const record = (changes: Partial<LdifRecord>): LdifRecord => ({ ...noRecord, ...changes });

describe("eitherRecord", () => {
  it("is the record when both ways lead to the same", () => {
    const operation = record({
      phase: "operation",
      operation: "add",
      attribute: "cn",
      found: true,
      first: false,
    });
    assert.deepEqual(eitherRecord(operation, { ...operation }), operation);
  });

  it("is unknown when they lead to different phases", () => {
    assert.equal(eitherRecord(record({ phase: "add" }), record({ phase: "delete" })).phase, "unknown");
  });

  it("does not complain later about what one way has done", () => {
    const left = record({ phase: "operation", operation: "add", attribute: "cn" });
    const right = record({
      phase: "operation",
      operation: "replace",
      attribute: "sn",
      filled: true,
      found: true,
    });
    const either = eitherRecord(left, right);
    assert.equal(either.filled, true);
    assert.equal(either.found, true);
    assert.equal(either.operation, undefined);
    assert.equal(either.attribute, undefined);
  });
});
