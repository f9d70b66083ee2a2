import { execFileSync } from "node:child_process";
import { join } from "node:path";
import * as library from "pulumi-trivium";
import { median } from "./rounds";
import type { Figure, Goal, Row } from "./table";

interface Duration {
  readonly cpu: number;
  readonly wall: number;
}

/** What the probe prints. */
interface Probed {
  readonly imported: Duration;
  /** The import included. */
  readonly used: Duration;
}

const rounds = 11;
const goal: Goal = { bound: "most", value: 25 };
const how = `on top of @pulumi/pulumi, median of ${rounds} fresh processes`;

/** How much longer a program takes to start that imports the library, or one of the two it is made with. */
export function importing(): readonly Row[] {
  const classes = classOfEachNamespace(library);
  const probed = { library: [] as Probed[], zod: [] as Probed[], undici: [] as Probed[] };
  for (let round = 0; round < rounds; round++) {
    probed.library.push(probe("pulumi-trivium", classes));
    probed.zod.push(probe("zod"));
    probed.undici.push(probe("undici"));
  }
  const imported = (of: readonly Probed[]): readonly Figure[] => figures(of.map((one) => one.imported));
  return [
    { what: "import of pulumi-trivium", how, unit: "ms", figures: imported(probed.library), goal },
    {
      what: `import of pulumi-trivium, and one class of each of its ${classes.length} namespaces`,
      how,
      unit: "ms",
      figures: figures(probed.library.map(({ used }) => used)),
      goal,
    },
    { what: "beside it: import of zod", how, unit: "ms", figures: imported(probed.zod) },
    { what: "beside it: import of undici", how, unit: "ms", figures: imported(probed.undici) },
  ];
}

function probe(module: string, members: readonly string[] = []): Probed {
  const probeFile = join(__dirname, "import-probe.mjs");
  const output = execFileSync(process.execPath, [probeFile, module, ...members], { encoding: "utf8" });
  return JSON.parse(output) as Probed;
}

function figures(durations: readonly Duration[]): readonly Figure[] {
  return [
    { value: median(durations.map(({ cpu }) => cpu)), label: "CPU" },
    { value: median(durations.map(({ wall }) => wall)), label: "wall" },
  ];
}

/** @returns such as `secrets.mfa.TotpMethod`: namespaces are loaded when they are first used */
function classOfEachNamespace(module: object, path: readonly string[] = []): string[] {
  const members = Object.entries(module) as [string, unknown][];
  const first = members.find(([, value]) => typeof value === "function" && "definition" in value);
  const below = members.flatMap(([name, value]) =>
    typeof value === "object" && value !== null ? classOfEachNamespace(value, [...path, name]) : [],
  );
  return first === undefined ? below : [[...path, first[0]].join("."), ...below];
}
