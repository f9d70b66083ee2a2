import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Memory } from "./memory";
import type { Requests } from "./service";
import type { Contents, Side } from "./stack";
import type { Row } from "./table";

export type Operation = "up" | "again" | "refresh" | "destroy";

interface MeasuredOperation {
  /** In milliseconds. */
  readonly duration: number;
  readonly requests: Requests;
  /** Of many resources only. */
  readonly memory?: Memory;
  /** The CPU time of the emulator, in milliseconds. */
  readonly serviceTime?: number;
}

export type Measurement = Readonly<Record<Operation, MeasuredOperation>>;

/** The rounds of each side that was measured. */
export type Measured = Contents & { readonly sides: Readonly<Partial<Record<Side, readonly Measurement[]>>> };

export interface Results {
  readonly date: string;
  readonly command: string;
  readonly commit: string;
  readonly node: string;
  readonly pulumi: string;
  readonly machine: string;
  readonly service: string;
  readonly minutes: number;
  /** The share of the processors that others took before the first and after the last round, in percent. */
  readonly busy: readonly number[];
  readonly operations: readonly Measured[];
  readonly others: readonly Row[];
}

const directory = join(__dirname, "results");

/** Other processes can take a little; with more, the report says that the machine was not quiet. */
export const quietUpTo = 10;

/** What others take of the processors in two seconds in which this process does nothing, in percent. */
export async function busyShare(): Promise<number> {
  const before = processorTimes();
  await setTimeout(2_000);
  const after = processorTimes();
  return Math.round(100 * (1 - (after.idle - before.idle) / (after.all - before.all)));
}

function processorTimes(): { readonly idle: number; readonly all: number } {
  const times = cpus().flatMap((processor) => Object.entries(processor.times));
  const sum = (names: (name: string) => boolean): number =>
    times.reduce((total, [name, time]) => total + (names(name) ? time : 0), 0);
  return { idle: sum((name) => name === "idle"), all: sum(() => true) };
}

export function commitOf(repository: string): string {
  try {
    return execFileSync("git", ["rev-parse", "--short", "HEAD"], {
      cwd: repository,
      encoding: "utf8",
    }).trim();
  } catch {
    return "unknown";
  }
}

/** @returns the file, whose name sorts by date */
export function writeResults(results: Results): string {
  mkdirSync(directory, { recursive: true });
  const version = results.node.slice(1).split(".")[0] ?? "";
  const time = new Date().toISOString().slice(11, 16).replace(":", "");
  const file = join(directory, `${results.date}-${time}-node${version}.json`);
  writeFileSync(file, `${JSON.stringify(results, undefined, 1)}\n`);
  return file;
}

/** The oldest first. */
export function readResults(): readonly Results[] {
  return readdirSync(directory)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => JSON.parse(readFileSync(join(directory, name), "utf8")) as Results);
}
