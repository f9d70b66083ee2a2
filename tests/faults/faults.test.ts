import assert from "node:assert/strict";
import { triedCases } from "../support/services";
import { experimentWith, faultKinds, type ProblemKind } from "./support/experiment";
import { runMatrix } from "./support/matrix";
import { emulatedTarget, ProviderPool } from "./support/pool";
import { runCleanly } from "./support/run";

/** Where a response that is lost can cost most. */
const types = [
  "provisioning:Project",
  "provisioning:AdminOrganization",
  "secrets/identity:EntityAlias",
  "secrets/mfa:TotpMethod",
  "secrets/directory:LibraryCheckout",
  "secrets/scheduler:Token",
];

describe("the fault matrix, of which the whole is `npm run test:faults`", function () {
  this.timeout(300_000);

  it("resets of connections do not lose, duplicate or reveal anything", async () => {
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

  it("the evaluation finds nothing if nothing is wrong, and any difference from a run without faults", async () => {
    const pool = new ProviderPool(await emulatedTarget());
    const faultCase = triedCases.find(({ name }) => name === "provisioning:Project") ?? assert.fail();
    const clean = await runCleanly(pool, faultCase);
    const fault = faultKinds.find(({ name }) => name === "reset after processing") ?? assert.fail();
    /** Strikes the last request, which writes, and compares with a service that has other projects in the end. */
    const judge = async (
      operation: "create" | "delete",
      change: (projects: readonly unknown[]) => unknown = (projects) => projects,
      canaries: string[] = [],
    ): Promise<ProblemKind[]> => {
      const snapshots = clean.snapshots[operation];
      const { provisioning } = snapshots.done;
      const projects = change(provisioning.projects as readonly unknown[]);
      const done = { ...snapshots.done, provisioning: { ...provisioning, projects } };
      const tampered = { ...clean, snapshots: { ...clean.snapshots, [operation]: { ...snapshots, done } } };
      const position = clean.requests[operation].length - 1;
      const tried = { ...faultCase, canaries };
      const experiment = { faultCase: tried, operation, position, fault, extent: "final" } as const;
      const { struck, problems } = await experimentWith(pool, tampered, experiment);
      assert.ok(struck);
      return [...new Set(problems.map(({ kind }) => kind))];
    };
    assert.deepEqual([await judge("create"), await judge("delete")], [[], []]);
    assert.deepEqual(await judge("create", (projects) => projects.slice(1)), ["duplicated"]);
    assert.deepEqual(await judge("create", (projects) => [...projects, {}]), ["inconsistent"]);
    assert.deepEqual(await judge("delete", (projects) => projects.slice(1)), ["lost"]);
    assert.deepEqual(await judge("create", undefined, ["payments"]), ["leaked"]);
    await pool.close();
  });
});
