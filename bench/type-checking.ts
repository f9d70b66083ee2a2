import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Row } from "./table";
import { ratio, takeTurns } from "./turns";

const rounds = 5;
/** Of a project that `pulumi new` makes, in terms that today's compiler still has. Declarations are checked too. */
const options = [
  "--ignoreConfig",
  "--noEmit",
  "--strict",
  "--target",
  "es2022",
  "--module",
  "node16",
  "--types",
  "node",
];

/** How much longer the compiler takes to check a program that uses the library. */
export async function typeChecking(): Promise<readonly Row[]> {
  const check = (program: string) => async () => {
    const compiler = require.resolve("typescript/lib/tsc.js");
    const file = join(__dirname, "type-checked", `${program}.ts`);
    const begun = performance.now();
    await promisify(execFile)(process.execPath, [compiler, ...options, file], { cwd: __dirname });
    return performance.now() - begun;
  };
  const times = await takeTurns({ library: check("with-library"), plain: check("without-library") }, rounds);
  return [
    {
      what: "type-checking a program that uses the library",
      how: `time of \`tsc --noEmit\`, median of the ratios of ${rounds} rounds; the other program makes the same resources as untyped pulumi.CustomResources`,
      unit: "x",
      figures: [ratio(times.library, times.plain)],
      goal: { bound: "most", value: 1.1 },
    },
  ];
}
