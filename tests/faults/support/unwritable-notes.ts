import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Adapter } from "../../engine/support/adapter";
import { inClear } from "../../contract/support/values";
import { canFillDisk, fillDisk } from "../../support/full-disk";
import { CallError, type ProviderProcess } from "../../support/provider-process";
import { checkInputs, startProvider } from "./creation";
import type { FaultCase } from "./fault-case";
import { prepareCreation, type Services } from "./prepared-creation";

/** Why a provider process cannot write down what it has created. */
export type Trouble = (typeof troubles)[number];

/** Those that can be caused on this system. */
export const troubles = ["missing directory", ...(canFillDisk ? (["full disk"] as const) : [])] as const;

/** What is wrong in each of them: the object is lost, or more was asked of the service than usual. */
export type Findings = ReadonlyMap<Trouble, readonly string[]>;

/** Creates a resource as usual, and in a process for each trouble. */
export async function createWithoutNotes(
  services: Services,
  faultCase: FaultCase,
  adapter: Adapter,
): Promise<Findings> {
  const usual = await create(services, faultCase, adapter, () => undefined);
  if ("lost" in usual) {
    throw new Error(`${faultCase.type} cannot be created at all: ${usual.lost}`);
  }
  const findings = new Map<Trouble, readonly string[]>();
  for (const trouble of troubles) {
    const seen = await create(services, faultCase, adapter, (provider, directory) => {
      if (trouble === "full disk") {
        fillDisk(provider.id);
      } else {
        rmSync(directory, { recursive: true });
      }
    });
    findings.set(
      trouble,
      "lost" in seen
        ? [`lost: ${seen.lost}`]
        : [
            ...(seen.outputs === usual.outputs
              ? []
              : [`the outputs are ${seen.outputs}, not ${usual.outputs}`]),
            ...(seen.requests <= usual.requests ? [] : [`${seen.requests} requests, not ${usual.requests}`]),
            ...(seen.warnings <= 1 ? [] : [`${seen.warnings} warnings`]),
          ],
    );
  }
  return findings;
}

type Outcome =
  | { readonly lost: string }
  | { readonly outputs: string; readonly requests: number; readonly warnings: number };

async function create(
  services: Services,
  faultCase: FaultCase,
  adapter: Adapter,
  cause: (provider: ProviderProcess, directory: string) => void,
): Promise<Outcome> {
  const directory = mkdtempSync(join(tmpdir(), "unwritable-notes-"));
  const creation = await prepareCreation(services, faultCase, adapter, {
    environment: { TMPDIR: directory },
  });
  const provider = await startProvider(creation);
  try {
    const inputs = await checkInputs(provider, creation);
    services.emulator.journal.clear();
    cause(provider, directory);
    const { id, outputs } = await provider.create(inputs);
    const told = Object.entries(inClear(outputs)).filter(([, value]) => value !== null);
    return {
      outputs: [id === "" ? "no id" : "an id", ...told.map(([name]) => name).sort()].join(", "),
      requests: services.emulator.journal.count(),
      warnings: provider.engine.lines.filter(({ message }) => /cannot share/.test(message)).length,
    };
  } catch (error) {
    if (error instanceof CallError) {
      return { lost: error.message };
    }
    throw error;
  } finally {
    await provider.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}
