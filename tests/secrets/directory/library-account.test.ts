import assert from "node:assert/strict";
import {
  borrowerOf,
  describeHolders,
  fingerprintOf,
  hasFreeAccount,
  type LibraryAccounts,
  sameBorrower,
} from "../../../sdk/secrets/directory/library-account";

const accounts: LibraryAccounts = {
  free: { available: true },
  entity: { available: false, borrowerClientToken: "hash-1", borrowerEntityId: "entity-1" },
  token: { available: false, borrowerClientToken: "hash-2" },
  nobody: { available: false },
};

describe("the accounts of a library set", () => {
  it("have a borrower when they are checked out", () => {
    assert.equal(borrowerOf(accounts, "free"), undefined);
    assert.equal(borrowerOf(accounts, "elsewhere"), undefined);
    assert.equal(borrowerOf(accounts, "toString"), undefined);
    assert.deepEqual(borrowerOf(accounts, "entity"), { clientToken: "hash-1", entityId: "entity-1" });
    assert.deepEqual(borrowerOf(accounts, "token"), { clientToken: "hash-2", entityId: null });
  });

  it("are checked out again when the same entity comes with another token", () => {
    const borrower = { clientToken: "hash-1", entityId: "entity-1" };
    assert.equal(sameBorrower(borrower, { ...borrower }), true);
    assert.equal(sameBorrower(borrower, { ...borrower, clientToken: "hash-9" }), false);
    assert.equal(sameBorrower(borrower, { ...borrower, entityId: null }), false);
  });

  it("have a borrower who is known again without being told", () => {
    const borrower = { clientToken: "hash-1", entityId: "entity-1" };
    const fingerprint = fingerprintOf(borrower) ?? assert.fail();
    assert.match(fingerprint, /^[\w-]{16}$/);
    assert.equal(fingerprintOf({ ...borrower }), fingerprint);
    const others = [
      { ...borrower, clientToken: "hash-2" },
      { ...borrower, clientToken: null },
    ];
    assert.ok(others.every((other) => fingerprintOf(other) !== fingerprint));
    assert.notEqual(
      fingerprintOf({ clientToken: "x", entityId: null }),
      fingerprintOf({ clientToken: null, entityId: "x" }),
    );
    assert.equal(fingerprintOf({ clientToken: null, entityId: null }), undefined, "that could be anybody");
  });

  it("are described by who holds them", () => {
    assert.equal(
      describeHolders(accounts),
      "entity (checked out by the entity entity-1), token (checked out by a token with the hash hash-2), " +
        "nobody (checked out by a borrower that the service does not name)",
    );
    assert.equal(
      describeHolders(accounts, ["token", "free", "elsewhere"]),
      "token (checked out by a token with the hash hash-2)",
    );
  });

  it("are never described by the whole token, should a service show it", () => {
    const borrowed = { "svc-1": { available: false, borrowerClientToken: "s.0123456789" } };
    assert.equal(describeHolders(borrowed), "svc-1 (checked out by a token with the hash s.012345)");
  });

  it("can be had when one is free", () => {
    assert.equal(hasFreeAccount(accounts), true);
    assert.equal(hasFreeAccount({ token: { available: false } }), false);
    assert.equal(hasFreeAccount({}), false);
  });
});
