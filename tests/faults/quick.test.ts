import assert from "node:assert/strict";
import { triedCases } from "../support/services";
import { runMatrix } from "./support/matrix";

/** Where a response that is lost can cost most. */
const types = [
  "provisioning:Project",
  "provisioning:AdminOrganization",
  "secrets/identity:EntityAlias",
  "secrets/mfa:TotpMethod",
  "secrets/directory:LibraryCheckout",
  "secrets/scheduler:Token",
];

describe("resets of connections, of which the whole matrix is `npm run test:faults`", function () {
  this.timeout(300_000);

  it("resets of connections neither lose nor double nor show anything", async () => {
    const { tally, problems } = await runMatrix({
      cases: triedCases.filter(({ name }) => types.includes(name)),
      lanes: 2,
      // The two faults that tell nothing apart but whether the service has acted.
      includes: /^(?:create|delete|rename).*: reset (?:before|after) processing \(final\)/,
    });
    assert.deepEqual(problems, new Map());
    assert.equal(tally.rows.size, types.length);
    assert.ok([...tally.rows.values()].every(({ faults = 0 }) => faults > 0));
  });
});
