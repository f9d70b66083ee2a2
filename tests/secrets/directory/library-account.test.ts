import assert from "node:assert/strict";
import { fingerprintOf, hasFreeAccount } from "../../../sdk/secrets/directory/check-out";
import { borrowed, describeHolders, type LibraryAccounts } from "../../../sdk/secrets/directory/library-set";

const accounts: LibraryAccounts = {
  free: { available: true },
  entity: { available: false, borrowerClientToken: "hash-1", borrowerEntityId: "entity-1" },
  token: { available: false, borrowerClientToken: "hash-2" },
  nobody: { available: false },
};

describe("the accounts of a library set", () => {
  it("have a borrower when they are checked out", () => {
    assert.equal(borrowed(accounts, "free"), undefined);
    assert.equal(borrowed(accounts, "elsewhere"), undefined);
    assert.equal(borrowed(accounts, "toString"), undefined);
    assert.equal(borrowed(undefined, "free"), undefined);
    assert.equal(borrowed(accounts, "entity"), accounts.entity);
  });

  const borrower = { available: false, borrowerClientToken: "hash-1", borrowerEntityId: "entity-1" };

  it("are checked out again when the same entity comes with another token", () => {
    assert.notEqual(fingerprintOf(borrower), fingerprintOf({ ...borrower, borrowerClientToken: "hash-9" }));
  });

  it("have a borrower who is known again without being told", () => {
    assert.equal(fingerprintOf(borrower), "8YmrW4lWAoAzudKF");
    assert.equal(fingerprintOf({ ...borrower }), fingerprintOf(borrower));
    const others = [
      { available: false, borrowerClientToken: "entity-1" },
      { available: false, borrowerEntityId: "entity-1" },
      { available: false, borrowerClientToken: "hash-1" },
      { available: false, borrowerEntityId: "hash-1" },
    ];
    assert.equal(new Set([borrower, ...others].map(fingerprintOf)).size, 5);
    assert.equal(fingerprintOf({ available: false }), undefined, "that could be anybody");
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
