import assert from "node:assert/strict";
import type { FaultCase } from "./support/fault-target";
import { project } from "../cases/provisioning/project";
import { runCleanly, type OperationName } from "./support/fault-run";
import { experimentWith, faultKinds, type Problem, type Verdict } from "./support/experiment";
import { type Flaw, flawedProvider, toldSecret } from "./support/flawed-projects";
import { ProviderPool } from "./support/provider-pool";

describe("the judgement over what a fault has left", function () {
  this.timeout(300_000);

  let pool: ProviderPool;
  before(async () => {
    pool = await ProviderPool.start();
  });
  after(() => pool.close());

  /** Strikes the request that writes, or the only one there is. */
  async function judge(flaw: Flaw, operation: OperationName, faultName: string): Promise<Verdict> {
    const fault = faultKinds.find(({ name }) => name === faultName);
    assert.ok(fault, faultName);
    const faultCase: FaultCase = {
      ...(project as FaultCase),
      canaries: [toldSecret],
      provider: flawedProvider(flaw),
    };
    const clean = await runCleanly(pool, faultCase);
    const position = clean.requests[operation].findIndex((request) => !request.startsWith("GET "));
    return experimentWith(pool, clean, {
      faultCase,
      operation,
      position: Math.max(position, 0),
      fault,
      extent: "final",
    });
  }

  const judgements: readonly [Flaw, OperationName, string, Problem["kind"], RegExp][] = [
    [
      "does not look for what it may have made",
      "create",
      "reset after processing",
      "inconsistent",
      /for good/,
    ],
    ["does not look for what it may have made", "create", "reset after processing", "lost", /^afterwards/],
    ["makes another after a failure", "create", "reset before processing", "duplicated", /^afterwards/],
    ["makes another after a failure", "create", "reset before processing", "lost", /destruction/],
    ["says that it is deleted", "delete", "reset before processing", "lost", /^afterwards/],
    ["says that it is gone", "read", "reset before processing", "lost", /^afterwards/],
    ["says that it is updated", "update", "reset before processing", "inconsistent", /^afterwards/],
    ["fails without a message", "create", "reset before processing", "inconsistent", /for people/],
    ["tells a secret", "create", "reset before processing", "leaked", /is shown/],
    ["keeps a secret in clear", "create", "reset before processing", "leaked", /kept in clear/],
    ["plans without end", "create", "reset before processing", "inconsistent", /next preview/],
  ];
  for (const [flaw, operation, fault, kind, words] of judgements) {
    it(`is "${kind}" (${words.source}) where a resource ${flaw}`, async () => {
      const { struck, problems } = await judge(flaw, operation, fault);
      assert.ok(struck);
      assert.ok(
        problems.some((problem) => problem.kind === kind && words.test(problem.text)),
        JSON.stringify(problems, undefined, 2),
      );
    });
  }

  it("finds nothing where nothing is wrong", async () => {
    for (const operation of ["create", "delete"] as const) {
      assert.deepEqual(await judge("none", operation, "reset after processing"), {
        struck: true,
        named: 0,
        problems: [],
      });
    }
  });
});
