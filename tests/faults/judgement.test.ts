import assert from "node:assert/strict";
import { project } from "../cases/provisioning/project";
import type { ResourceCase } from "../cases/support/case";
import { experimentWith, faultKinds, type Problem, type Verdict } from "./support/experiment";
import { type Flaw, flawedProvider, toldSecret } from "./support/flawed-projects";
import { emulatedTarget, type FaultCase, ProviderPool } from "./support/pool";
import { runCleanly, type OperationName } from "./support/run";

describe("the judgement over what a fault has left", function () {
  this.timeout(300_000);

  let pool: ProviderPool;
  before(async () => {
    pool = new ProviderPool(await emulatedTarget());
  });
  after(() => pool.close());

  /** Strikes the request that writes, or the only one there is. */
  async function judge(flaw: Flaw, operation: OperationName, faultName: string): Promise<Verdict> {
    const fault = faultKinds.find(({ name }) => name === faultName) ?? assert.fail(faultName);
    const faultCase: FaultCase = {
      ...(project as ResourceCase),
      ...{ name: flaw, dialect: "documented", canaries: [toldSecret], provider: flawedProvider(flaw) },
    };
    const clean = await runCleanly(pool, faultCase);
    const writing = clean.requests[operation].findIndex((request) => !request.startsWith("GET "));
    const position = Math.max(writing, 0);
    return experimentWith(pool, clean, { faultCase, operation, position, fault, extent: "final" });
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
      const found = problems.some((problem) => problem.kind === kind && words.test(problem.text));
      assert.ok(found, JSON.stringify(problems, undefined, 2));
    });
  }

  it("the judgement finds nothing where nothing is wrong", async () => {
    for (const operation of ["create", "delete"] as const) {
      const verdict = await judge("none", operation, "reset after processing");
      assert.deepEqual(verdict, { struck: true, named: 0, problems: [] });
    }
  });
});
