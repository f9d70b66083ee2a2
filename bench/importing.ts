import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { Row } from "./table";
import { median } from "./turns";

const rounds = 11;

/** What programs, test runners and receivers load, with the most milliseconds that it should take. */
const entries = [
  ["pulumi-trivium", 15],
  ["pulumi-trivium/testing", 50],
  ["pulumi-trivium/webhook", 5],
] as const;

export function importing(): readonly Row[] {
  const file = join(__dirname, "import-probe.mjs");
  return entries.map(([name, goal]): Row => {
    const probe = (): number => Number(execFileSync(process.execPath, [file, name], { encoding: "utf8" }));
    return {
      what: `import of ${name}`,
      how: `CPU time on top of @pulumi/pulumi, median of ${rounds} new processes`,
      figure: median(Array.from({ length: rounds }, probe)),
      unit: "ms",
      goal: ["<=", goal],
    };
  });
}
