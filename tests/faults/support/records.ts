import { startEmulator } from "pulumi-trivium/testing";
import type { Adapter } from "../../engine/support/adapter";
import { startReceiver } from "../../engine/support/receiver";
import type { FaultCase } from "./fault-case";
import { killEngineAt, momentsOf, waitingOrIssuing } from "./killed-engine";
import { tokens } from "./bench";
import type { Services } from "./prepared-creation";
import { createWithoutNotes } from "./unwritable-notes";

/** Whether what a class creates is recorded, in both adapters. */
export interface RecordsRow {
  readonly type: string;
  /** How often it was created without notes. */
  withoutNotes: number;
  /** After how many of these it was lost, or more was asked of the service. */
  lost: number;
  /** How often its engine was killed. */
  killed: number;
  /** After how many of these something was created. */
  created: number;
  /** After how many of these a process was left. */
  left: number;
  readonly problems: string[];
}

/** What to run. */
export interface RecordsSelection {
  readonly cases: readonly FaultCase[];
  readonly lanes: number;
  readonly progress?: (message: string) => void;
}

/** Creates every class without notes, and kills the engine of all that wait or have something issued. */
export async function runRecords({ cases, lanes, progress }: RecordsSelection): Promise<RecordsRow[]> {
  const rows = cases.map(({ type }): RecordsRow => {
    return { type, withoutNotes: 0, lost: 0, killed: 0, created: 0, left: 0, problems: [] };
  });
  const work = cases.flatMap((faultCase, index) =>
    (["dynamic", "plugin"] as const).map((adapter) => ({ faultCase, adapter, row: rows[index] })),
  );
  const lane = async (): Promise<void> => {
    const [emulator, receiver] = await Promise.all([startEmulator({ tokens }), startReceiver()]);
    try {
      for (let next = work.shift(); next?.row !== undefined; next = work.shift()) {
        const { faultCase, adapter, row } = next;
        const begun = performance.now();
        try {
          await createAll({ emulator, receiver }, faultCase, adapter, row);
          await killAll({ emulator, receiver }, faultCase, adapter, row);
        } catch (error) {
          row.problems.push(`${row.type} (${adapter}): it cannot be ended: ${textOf(error).join()}`);
        }
        const seconds = ((performance.now() - begun) / 1000).toFixed(1);
        progress?.(`${faultCase.type} (${adapter}) in ${seconds} s, ${row.problems.length} problems so far`);
      }
    } finally {
      await Promise.all([emulator.close(), receiver.close()]);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return rows;
}

async function createAll(
  services: Services,
  faultCase: FaultCase,
  adapter: Adapter,
  row: RecordsRow,
): Promise<void> {
  const findings = await createWithoutNotes(services, faultCase, adapter);
  for (const [trouble, problems] of findings) {
    row.withoutNotes += 1;
    row.lost += problems.length > 0 ? 1 : 0;
    row.problems.push(...problems.map((problem) => `${row.type}, ${trouble} (${adapter}): ${problem}`));
  }
}

async function killAll(
  services: Services,
  faultCase: FaultCase,
  adapter: Adapter,
  row: RecordsRow,
): Promise<void> {
  if (!waitingOrIssuing.has(faultCase.type)) {
    return;
  }
  for (const moment of await momentsOf(services, faultCase, adapter)) {
    const title = `engine killed: ${moment.name} (${adapter})`;
    const { created, isLeft } = await killEngineAt(services, faultCase, adapter, moment).catch(
      (error: unknown) => ({ created: textOf(error), isLeft: true }),
    );
    row.killed += 1;
    row.created += created.length > 0 ? 1 : 0;
    row.left += isLeft ? 1 : 0;
    const problems = [...created, ...(isLeft ? ["the provider process is left"] : [])];
    row.problems.push(...problems.map((problem) => `${row.type}, ${title}: ${problem}`));
  }
}

function textOf(error: unknown): string[] {
  return [error instanceof Error ? error.message : String(error)];
}
