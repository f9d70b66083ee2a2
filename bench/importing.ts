import { execFileSync } from "node:child_process";
import { join } from "node:path";
import * as library from "pulumi-trivium";
import type { Row } from "./table";
import { median } from "./turns";

const rounds = 11;

export function importing(): readonly Row[] {
  const classes = classOfEachNamespace(library);
  const probed = Array.from({ length: rounds }, () => probe(classes));
  const titles = {
    imported: "import of pulumi-trivium",
    used: `the same, and one class of each of its ${classes.length} namespaces`,
  };
  return (["imported", "used"] as const).map((part): Row => ({
    what: titles[part],
    how: `CPU time on top of @pulumi/pulumi, median of ${rounds} new processes`,
    ...{ figure: median(probed.map((each) => each[part])), unit: "ms", goal: ["<=", 25] },
  }));
}

function probe(members: readonly string[]): { readonly imported: number; readonly used: number } {
  const file = join(__dirname, "import-probe.mjs");
  const output = execFileSync(process.execPath, [file, "pulumi-trivium", ...members], { encoding: "utf8" });
  return JSON.parse(output) as ReturnType<typeof probe>;
}

/** Such as `secrets.mfa.TotpMethod`: namespaces are loaded when they are first used. */
function classOfEachNamespace(module: object, path: readonly string[] = []): string[] {
  const members = Object.entries(module) as [string, unknown][];
  const first = members.find(([, value]) => typeof value === "function" && "definition" in value);
  const below = members.flatMap(([name, value]) =>
    typeof value === "object" && value !== null ? classOfEachNamespace(value, [...path, name]) : [],
  );
  return first === undefined ? below : [[...path, first[0]].join("."), ...below];
}
