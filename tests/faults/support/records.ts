import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { Adapter } from "../../engine/support/adapter";
import { SecretsApi } from "../../engine/support/api";
import { isRunning, until } from "../../engine/support/processes";
import { canFillDisk, fillDisk } from "../../support/machine";
import { configurationWithoutRetries } from "../../support/fake-engine";
import { CallError, type Properties, type ProviderProcess } from "../../support/provider-process";
import { sharedProject } from "../../support/packed-library";
import { services as serviceNames } from "../../support/proxy";
import { inClear } from "../../support/values";
import { prepareCase, inLanes, ProxiedServices } from "../../support/services";
import type { FaultCase } from "./fault-target";
import { checkInputs, type Creation, startProvider } from "./creation";
import type { EngineMessage } from "./engine-process";
import { difference } from "./experiment";

type Context = Pick<ProxiedServices, "emulator" | "receiver">;

/** @param more additional arguments */
export async function prepareCreation(
  { emulator, receiver }: Context,
  faultCase: FaultCase,
  adapter: Adapter,
  { environment = {}, more = {} }: { environment?: Readonly<Record<string, string>>; more?: Properties } = {},
): Promise<Creation> {
  emulator.reset();
  const { made } = await prepareCase(emulator, receiver, faultCase);
  const directory = sharedProject().path;
  const configuration = configurationWithoutRetries(emulator);
  return { type: faultCase.type, adapter, directory, configuration, args: { ...made, ...more }, environment };
}

/** Whether created objects get into state, in both adapters. */
export interface RecordsRow {
  readonly type: string;
  withoutNotes: number;
  /** Those that were lost, or needed more requests than usual. */
  lost: number;
  killed: number;
  /** Those after which something was created. */
  created: number;
  left: number;
  readonly problems: string[];
}

interface RecordsSelection {
  readonly cases: readonly FaultCase[];
  readonly lanes: number;
  readonly progress?: (message: string) => void;
}

/** Creates every class without notes, and kills the engine of those that wait or issue something. */
export async function runRecords({ cases, lanes, progress }: RecordsSelection): Promise<RecordsRow[]> {
  const rows = cases.map(({ type }): RecordsRow => {
    return { type, withoutNotes: 0, lost: 0, killed: 0, created: 0, left: 0, problems: [] };
  });
  const work = cases.flatMap((faultCase, index) =>
    (["dynamic", "plugin"] as const).map((adapter) => ({ faultCase, adapter, row: rows[index] })),
  );
  await inLanes(
    work,
    lanes,
    () => ProxiedServices.start(),
    async ({ faultCase, adapter, row }, services) => {
      assert.ok(row);
      const report = (title: string, problems: readonly string[]): void => {
        row.problems.push(...problems.map((problem) => `${row.type}, ${title} (${adapter}): ${problem}`));
      };
      try {
        for (const [trouble, problems] of await createWithoutNotes(services, faultCase, adapter)) {
          row.withoutNotes += 1;
          row.lost += problems.length > 0 ? 1 : 0;
          report(trouble, problems);
        }
        for (const moment of await momentsOf(services, faultCase, adapter)) {
          const { created, isLeft } = await killEngineAt(services, faultCase, adapter, moment).catch(
            (error: unknown) => ({ created: [textOf(error)], isLeft: true }),
          );
          row.killed += 1;
          row.created += created.length > 0 ? 1 : 0;
          row.left += isLeft ? 1 : 0;
          report(`engine killed: ${moment.name}`, [
            ...created,
            ...(isLeft ? ["the provider process is left"] : []),
          ]);
        }
      } catch (error) {
        report("all", [`it cannot be ended: ${textOf(error)}`]);
      }
      progress?.(`${faultCase.type} (${adapter}), ${row.problems.length} problems so far`);
    },
  );
  return rows;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The arguments make a class wait. */
const waitingOrIssuing: ReadonlyMap<string, Properties> = new Map<string, Properties>([
  ["provisioning:NotificationConfiguration", { verification: { timeout: "1h", interval: "1s" } }],
  ["scheduler:EventGate", { match: { key: "never" }, timeout: "1h" }],
  ["secrets/directory:DynamicCredential", {}],
  ["secrets/directory:LibraryCheckout", { waitFor: "1h" }],
  ["secrets/directory:RootRotation", {}],
  ["secrets/directory:StaticRoleRotation", {}],
  ["secrets/mfa:TotpMethod", {}],
  ["secrets/mfa:TotpSecret", {}],
  ["secrets/scheduler:Access", {}],
  ["secrets/scheduler:Token", {}],
]);

interface Moment {
  readonly name: string;
  arm(services: Context, creation: Creation): Promise<ArmedMoment>;
}

interface ArmedMoment {
  readonly come: () => boolean;
  /** Called once the engine is dead. */
  readonly after?: () => void;
}

interface Aftermath {
  /** Objects that were created after the kill. */
  readonly created: readonly string[];
  /** The provider process still ran after ten seconds. */
  readonly isLeft: boolean;
}

/** Milliseconds. */
const longestEnd = 10_000;

async function momentsOf(
  services: Context,
  faultCase: FaultCase,
  adapter: Adapter,
): Promise<readonly Moment[]> {
  const { type } = faultCase;
  if (!waitingOrIssuing.has(type)) {
    return [];
  }
  if (type === "scheduler:EventGate") {
    return [atEventWait];
  }
  const requests = await requestsOf(services, faultCase, adapter);
  return [
    ...requests.flatMap((request, position) => [
      atRequest(request, position, "before"),
      atRequest(request, position, "after"),
    ]),
    ...(type === "secrets/directory:LibraryCheckout" ? [atAccountWait] : []),
  ];
}

async function killEngineAt(
  services: Context,
  faultCase: FaultCase,
  adapter: Adapter,
  moment: Moment,
): Promise<Aftermath> {
  const creation = await prepare(services, faultCase, adapter);
  const { emulator } = services;
  emulator.journal.clear();
  const { come, after } = await moment.arm(services, creation);
  const engine = new Engine(creation);
  try {
    await engine.until(come);
    await engine.kill();
    after?.();
    const before = objectsIn(services);
    const isLeft = !(await engine.providerEnds());
    const objects = objectsIn(services);
    const created = isDeepStrictEqual(objects, before) ? [] : [difference(objects, before)];
    return { created, isLeft };
  } finally {
    emulator.faults.clear();
    await engine.kill();
    await until(() => serviceNames.every((name) => emulator[name].statistics.inFlight === 0));
  }
}

async function prepare(services: Context, faultCase: FaultCase, adapter: Adapter): Promise<Creation> {
  const more = waitingOrIssuing.get(faultCase.type) ?? {};
  return prepareCreation(services, faultCase, adapter, { more });
}

async function requestsOf(
  services: Context,
  faultCase: FaultCase,
  adapter: Adapter,
): Promise<readonly string[]> {
  const creation = await prepare(services, faultCase, adapter);
  const { journal } = services.emulator;
  journal.clear();
  const engine = new Engine(creation);
  try {
    await engine.until(() => engine.isDone);
    return journal.requests().map(({ method, path }) => `${method} ${path}`);
  } finally {
    await engine.kill();
    await engine.providerEnds();
  }
}

/** `before`: the service does not process the request. `after`: its response comes after the kill. */
function atRequest(request: string, position: number, when: "before" | "after"): Moment {
  return {
    name: `${request}, ${when} processing`,
    arm({ emulator }) {
      const fault = emulator.faults.add({ skip: position, times: 1, delay: "24h", when });
      return Promise.resolve({
        come: () => fault.hits === 1,
        after: () => (when === "after" ? fault.remove() : undefined),
      });
    },
  };
}

const atEventWait: Moment = {
  name: "waiting for an event",
  arm: ({ emulator }) =>
    Promise.resolve({ come: () => emulator.inspect().scheduler.subscriptions.length === 1 }),
};

const atAccountWait: Moment = {
  name: "waiting for an account",
  async arm({ emulator }, { args: { mount, setName } }) {
    assert.ok(typeof mount === "string" && typeof setName === "string");
    const path = `${mount}/library/${setName}/check-out`;
    const api = new SecretsApi(emulator.secrets.address, emulator.secrets.token, "documented");
    const lent = () =>
      emulator
        .inspect()
        .secrets.directoryLibraryAccounts.flatMap(({ checkOut }) =>
          checkOut === null ? [] : [checkOut.leaseId],
        );
    for (let account = 1; account <= 3; account++) {
      await api.write(path, { name: setName });
    }
    emulator.journal.clear();
    return {
      come: () => emulator.journal.count({ path: /\/status$/ }) > 1,
      after: () => lent().forEach((leaseId) => emulator.secrets.revokeLease(leaseId)),
    };
  },
};

function objectsIn({ emulator }: Context): unknown {
  const { provisioning, secrets } = emulator.inspect();
  return { provisioning, secrets };
}

class Engine {
  isDone = false;
  private readonly child: ChildProcess;
  private failed: string | undefined;
  private provider = 0;

  constructor(creation: Creation) {
    this.child = fork(join(__dirname, "engine-process.ts"), {
      execArgv: ["--require", "ts-node/register"],
      env: { ...process.env, TS_NODE_TRANSPILE_ONLY: "true" },
    });
    this.child.on("message", (message: EngineMessage) => {
      if ("provider" in message) {
        this.provider = message.provider;
      } else if ("done" in message) {
        this.isDone = true;
      } else {
        this.failed = message.failed;
      }
    });
    this.child.send(creation);
  }

  /** @throws Error when the creation ends earlier */
  async until(come: () => boolean): Promise<void> {
    await until(() => come() || this.failed !== undefined || (this.isDone && !come()));
    if (!come()) {
      throw new Error(`The creation has ended before: ${this.failed ?? "it succeeded"}`);
    }
  }

  async kill(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const ended = once(this.child, "exit");
      this.child.kill("SIGKILL");
      await ended;
    }
  }

  /** @returns whether the provider process ended in time; otherwise it is killed */
  async providerEnds(): Promise<boolean> {
    const deadline = Date.now() + longestEnd;
    while (isRunning(this.provider)) {
      if (Date.now() > deadline) {
        process.kill(this.provider, "SIGKILL");
        return false;
      }
      await sleep(50);
    }
    return true;
  }
}

/** Why a provider process cannot write its notes. */
type Trouble = (typeof troubles)[number];

/** Those that can be caused on this system. */
export const troubles = ["missing directory", ...(canFillDisk ? (["full disk"] as const) : [])] as const;

type Findings = ReadonlyMap<Trouble, readonly string[]>;

export async function createWithoutNotes(
  services: Context,
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
  services: Context,
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
