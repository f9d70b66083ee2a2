import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { Row } from "./table";
import { median } from "./turns";

const rounds = 11;

export function importing(): readonly Row[] {
  const file = join(__dirname, "import-probe.mjs");
  const probe = (): number =>
    Number(execFileSync(process.execPath, [file, "pulumi-trivium"], { encoding: "utf8" }));
  return [
    {
      what: "import of pulumi-trivium",
      how: `CPU time on top of @pulumi/pulumi, median of ${rounds} new processes`,
      figure: median(Array.from({ length: rounds }, probe)),
      unit: "ms",
      goal: ["<=", 25],
    },
  ];
}
