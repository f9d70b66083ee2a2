import assert from "node:assert/strict";
import { resourceCases } from "../cases";
import { runMatrix } from "./support/matrix";

/** The two that tell nothing apart but whether the service has acted. */
const quick = ["reset before processing", "reset after processing"];

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
    const rows = await runMatrix({
      cases: [...resourceCases.values()].filter(({ type }) => types.includes(type)),
      lanes: 2,
      includes: ({ operation, fault, extent }) =>
        operation !== "read" && operation !== "update" && extent === "final" && quick.includes(fault.name),
    });
    assert.deepEqual(
      rows.flatMap(({ type, problems }) => problems.map((problem) => ({ type, ...problem }))),
      [],
    );
    assert.ok(rows.every(({ faults }) => faults > 0));
  });
});
