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

  const judgements: readonly [Flaw, OperationName, Problem["kind"], RegExp][] = [
    ["makes another after a failure", "create", "duplicated", /^afterwards/],
    ["says that it is deleted", "delete", "lost", /^afterwards/],
    ["tells a secret", "create", "leaked", /is shown/],
    ["plans without end", "create", "inconsistent", /next preview/],
  ];
  for (const [flaw, operation, kind, words] of judgements) {
    it(`a resource that ${flaw} is judged as ${kind}`, async () => {
      const { struck, problems } = await judge(flaw, operation, "reset before processing");
      assert.ok(struck);
      assert.ok(
        problems.some((problem) => problem.kind === kind && words.test(problem.text)),
        JSON.stringify(problems, undefined, 2),
      );
    });
  }

  it("the judgement finds nothing where nothing is wrong", async () => {
    for (const operation of ["create", "delete"] as const) {
      assert.deepEqual(await judge("none", operation, "reset after processing"), {
        struck: true,
        named: 0,
        problems: [],
      });
    }
  });
});
