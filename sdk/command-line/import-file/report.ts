import { longestPart, showable } from "../../base/shown-text";
import type { Adapter } from "../../base/settings";
import { className, shortName } from "./classes";
import type { LeftOut } from "./find";
import { type ImportedObject, needsRefresh } from "./import-entry";
import type { Placement } from "./placement";

/** What a run of the command has brought. */
export interface Report {
  readonly objects: readonly ImportedObject[];
  readonly leftOut: readonly LeftOut[];
  /** The path of the file for `pulumi import`. */
  readonly importFile: string;
  /** The path of the program text. */
  readonly programFile: string;
  readonly placement: Placement;
  /** What manages the objects from now on. */
  readonly adapter: Adapter;
}

/** The report for people, line by line. */
export function reportLines(report: Report): string[] {
  const { objects, leftOut, importFile, programFile, placement, adapter } = report;
  const secrets = aligned(objects.flatMap(secretLines));
  return [
    ...aligned([...countsOf(objects)].map(([name, count]) => [name, String(count)])),
    "",
    `Written: ${importFile} and the program ${programFile}.`,
    ...section(
      "Not imported:",
      leftOut.map(
        ({ definition, id, reason }) => `${shortName(definition)} ${showable(id, longestPart)}: ${reason}`,
      ),
    ),
    ...section(
      "The files contain no secrets. Set them in the stack configuration; each command prompts for the value:",
      secrets,
    ),
    ...section("Then:", nextCommands(report)),
    "",
    `With ${inProgram(programFile, placement)}, \`pulumi preview\` shows no changes.${
      adapter === "dynamic" ? " The import requires Pulumi CLI 3.254 or later." : ""
    }`,
  ];
}

/** The report for other programs. */
export function reportData(report: Report): object {
  const { objects, leftOut, importFile, programFile } = report;
  return {
    importFile,
    programFile,
    counts: Object.fromEntries(countsOf(objects)),
    resources: objects.map(({ definition, name, id }) => ({ class: className(definition), name, id })),
    secrets: objects.flatMap(({ definition, name, secrets }) =>
      secrets.map(({ argument, key, optional }) => {
        return { key, optional, class: className(definition), name, argument };
      }),
    ),
    leftOut: leftOut.map(({ definition, id, reason }) => ({ class: className(definition), id, reason })),
    next: nextCommands(report),
  };
}

function inProgram(programFile: string, placement: Placement): string {
  const roles = Object.keys(placement).sort().reverse();
  return roles.length === 0
    ? `${programFile} in the program`
    : `\`declareImported({ ${roles.join(", ")} })\` of ${programFile} called in the program`;
}

/** The commands that bring the file into state. */
function nextCommands({ objects, importFile, adapter }: Report): string[] {
  // A path of letters needs no quotes; of the others, single ones are safe in every shell but for themselves.
  const path = /^[\w./-]+$/.test(importFile) ? importFile : `'${importFile.replaceAll("'", `'\\''`)}'`;
  const refresh = objects.some((object) => needsRefresh(object, adapter)) ? ["pulumi refresh"] : [];
  return [`pulumi import -f ${path} --generate-code=false`, ...refresh];
}

function secretLines({ definition, name, secrets }: ImportedObject): (readonly [string, string])[] {
  return secrets.map(({ argument, key, optional }) => {
    const when = optional ? ", if it has one" : "";
    const what = `# ${argument} of the ${shortName(definition)} ${name}${when}`;
    return [`pulumi config set --secret ${key}`, what] as const;
  });
}

function countsOf(objects: readonly ImportedObject[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { definition } of objects) {
    const name = className(definition);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

/** Two columns. */
function aligned(rows: readonly (readonly [string, string])[]): string[] {
  const widest = Math.max(0, ...rows.map(([first]) => first.length));
  return rows.map(([first, second]) => `${first.padEnd(widest)}  ${second}`);
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", title, ...lines.map((line) => `  ${line}`)];
}
