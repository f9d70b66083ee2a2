import type { Runnable, Runner } from "mocha";

/** What came of one class in one adapter. */
interface Row {
  passed: number;
  failed: number;
  /** What was left out, each with its reason. */
  readonly leftOut: string[];
}

/** Counts what a run does, and says at its end what came of each class and what was left out, and why. */
export function summaryOf(runner: Runner): () => string {
  const rows = new Map<string, Row>();
  const rowOf = (runnable: Runnable): Row => {
    const [suite = ""] = runnable.titlePath();
    const row = rows.get(suite) ?? { passed: 0, failed: 0, leftOut: [] };
    rows.set(suite, row);
    return row;
  };
  runner.on("pass", (test) => (rowOf(test).passed += 1));
  runner.on("fail", (test) => (rowOf(test).failed += 1));
  runner.on("pending", (test) => rowOf(test).leftOut.push(test.title));
  return () => {
    const all = [...rows];
    return [
      "Summary:",
      ...all.map(
        ([suite, { passed, failed, leftOut }]) =>
          `${suite}: ${passed} passed, ${failed} failed, ${leftOut.length} left out`,
      ),
      "",
      "Left out:",
      ...all.flatMap(([, { leftOut }]) => leftOut),
      ...(all.every(([, { leftOut }]) => leftOut.length === 0) ? ["nothing"] : []),
    ].join("\n  ");
  };
}
