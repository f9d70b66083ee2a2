import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Dialect, ResourceCase } from "../../cases/support/case";
import type { Emulator } from "../../../sdk/testing";
import { type Adapter, adapters } from "../../engine/support/adapter";
import { SecretsApi } from "../../engine/support/api";
import { isRunning, until } from "../../engine/support/processes";
import { configurationWithoutRetries } from "../../support/fake-engine";
import { canFillDisk, fillDisk } from "../../support/machine";
import { sharedProject } from "../../support/packed-library";
import { CallError, type Properties } from "../../support/provider-process";
import { configurationWith, services as serviceNames } from "../../support/proxy";
import { inLanes, prepareCase, ProxiedServices } from "../../support/services";
import { Tally } from "../../support/tally";
import { inClear } from "../../support/values";
import { create, type Creation, startProvider } from "./creation";
import { difference, messageOf } from "./experiment";
import type { Selection } from "./matrix";

type Context = Pick<ProxiedServices, "emulator" | "receiver">;
type Subject = ResourceCase & { readonly dialect?: Dialect };

/** @param more additional arguments */
export async function prepareCreation(
  { emulator, receiver }: Context,
  subject: Subject,
  adapter: Adapter,
  more: Properties = {},
): Promise<Creation> {
  const { type, dialect = "documented" } = subject;
  emulator.reset();
  const { valid } = await prepareCase(emulator, receiver, subject, { dialect });
  const dialects = configurationWith(() => ({ Dialect: dialect }));
  const configuration = { ...configurationWithoutRetries(emulator), ...dialects };
  return { type, adapter, directory: sharedProject().path, configuration, args: { ...valid, ...more } };
}

const columns = ["without notes", "lost", "engine killed", "created afterwards", "processes left"] as const;

/** Creates every class without notes, and kills the engine of those that wait or issue something, in both adapters. */
export async function runRecords({ cases, lanes, progress }: Selection) {
  const tally = new Tally(columns);
  const problems: string[] = [];
  const work = cases.flatMap((tried) => adapters.map((adapter) => ({ tried, adapter })));
  const start = () => ProxiedServices.start();
  await inLanes(work, lanes, start, async ({ tried, adapter }, services) => {
    const { name } = tried;
    const report = (title: string, found: readonly string[]): void => {
      problems.push(...found.map((problem) => `${name}, ${title} (${adapter}): ${problem}`));
    };
    columns.forEach((column) => tally.add(name, column, 0));
    services.resetTo(tried.dialect);
    try {
      for (const [trouble, found] of await createWithoutNotes(services, tried, adapter)) {
        tally.add(name, "without notes");
        tally.add(name, "lost", found.length > 0 ? 1 : 0);
        report(trouble, found);
      }
      for (const moment of await momentsOf(services, tried, adapter)) {
        const { created, isLeft } = await killEngineAt(moment, services, tried, adapter);
        tally.add(name, "engine killed");
        tally.add(name, "created afterwards", created === undefined ? 0 : 1);
        tally.add(name, "processes left", isLeft ? 1 : 0);
        const found = [created ?? [], isLeft ? "the provider process is left" : []];
        report(`engine killed: ${moment.name}`, found.flat());
      }
    } catch (error) {
      report("all", [`it cannot be ended: ${messageOf(error)}`]);
    }
    progress?.(`${name} (${adapter}), ${problems.length} problems so far`);
  });
  return { tally, problems };
}

/** The arguments make a class wait. */
const waitingOrIssuing: Readonly<Record<string, Properties>> = {
  "provisioning:NotificationConfiguration": { verification: { timeout: "1h", interval: "1s" } },
  "scheduler:EventGate": { match: { key: "never" }, timeout: "1h" },
  "secrets/directory:DynamicCredential": {},
  "secrets/directory:LibraryCheckout": { waitFor: "1h" },
  "secrets/directory:RootRotation": {},
  "secrets/directory:StaticRoleRotation": {},
  "secrets/mfa:TotpMethod": {},
  "secrets/mfa:TotpSecret": {},
  "secrets/scheduler:Access": {},
  "secrets/scheduler:Token": {},
};

/** When the engine is killed. */
interface Moment {
  readonly name: string;
  /** @returns whether it has come, and what happens once the engine is dead */
  arm(emulator: Emulator, args: Properties, dialect: Dialect): ArmedMoment | Promise<ArmedMoment>;
}

type ArmedMoment = readonly [come: () => boolean, after?: () => void];

async function momentsOf(services: Context, tried: Subject, adapter: Adapter): Promise<readonly Moment[]> {
  const more = waitingOrIssuing[tried.type];
  if (more === undefined || tried.isStream) {
    return more === undefined ? [] : [atEventWait];
  }
  const creation = await prepareCreation(services, tried, adapter, more);
  const provider = await startProvider(creation);
  await create(provider, creation).finally(() => provider.stop());
  const requests = services.emulator.journal.requests().map(({ method, path }) => `${method} ${path}`);
  return [
    ...requests.flatMap(atRequest),
    ...(tried.type === "secrets/directory:LibraryCheckout" ? [atAccountWait] : []),
  ];
}

/** Kills the engine in the middle of a creation, and gives the provider process ten seconds to end. */
async function killEngineAt(moment: Moment, services: Context, tried: Subject, adapter: Adapter) {
  const creation = await prepareCreation(services, tried, adapter, waitingOrIssuing[tried.type]);
  const { emulator } = services;
  const objects = (): unknown => {
    const { provisioning, secrets } = emulator.inspect();
    return { provisioning, secrets };
  };
  const [come, after] = await moment.arm(emulator, creation.args, tried.dialect ?? "documented");
  const env = { ...process.env, TS_NODE_TRANSPILE_ONLY: "true" };
  const execArgv = ["--require", "ts-node/register"];
  const engine = fork(join(__dirname, "engine-process.ts"), { execArgv, env });
  const ended = once(engine, "exit");
  let provider = 0;
  engine.on("message", (id: number) => (provider = id));
  engine.send(creation);
  try {
    await until(() => come() || engine.exitCode !== null);
    assert.equal(engine.exitCode, null, "The creation has ended before.");
    engine.kill("SIGKILL");
    await ended;
    after?.();
    const before = objects();
    const deadline = Date.now() + 10_000;
    await until(() => !isRunning(provider) || Date.now() > deadline);
    return { created: difference(objects(), before), isLeft: isRunning(provider) };
  } finally {
    emulator.faults.clear();
    [engine.pid ?? 0, provider].filter(isRunning).forEach((id) => process.kill(id, "SIGKILL"));
    await until(() => serviceNames.every((name) => emulator[name].statistics.inFlight === 0));
  }
}

/** `before`: the service does not process the request. `after`: its response comes after the kill. */
function atRequest(request: string, position: number): Moment[] {
  return (["before", "after"] as const).map((when) => ({
    name: `${request}, ${when} processing`,
    arm(emulator) {
      const fault = emulator.faults.add({ skip: position, times: 1, delay: "24h", when });
      return [() => fault.hits === 1, () => (when === "after" ? fault.remove() : undefined)];
    },
  }));
}

const atEventWait: Moment = {
  name: "waiting for an event",
  arm: (emulator) => [() => emulator.inspect().scheduler.subscriptions.length === 1],
};

const atAccountWait: Moment = {
  name: "waiting for an account",
  async arm(emulator, { mount, setName: name }, dialect) {
    const api = new SecretsApi(emulator.secrets.address, emulator.secrets.token, dialect);
    const checkOut = () => api.write(`${mount as string}/library/${name as string}/check-out`, { name });
    await Promise.all([checkOut(), checkOut(), checkOut()]);
    emulator.journal.clear();
    const accounts = () => emulator.inspect().secrets.directoryLibraryAccounts;
    return [
      () => emulator.journal.count({ path: /\/status$/ }) > 1,
      () => accounts().forEach(({ checkOut }) => checkOut && emulator.secrets.revokeLease(checkOut.leaseId)),
    ];
  },
};

/** Why a provider process cannot write its notes: what can be caused on this system. */
export const troubles = ["missing directory", ...(canFillDisk ? ["full disk"] : [])];

/** @returns what is wrong, by the trouble */
export async function createWithoutNotes(services: Context, tried: Subject, adapter: Adapter) {
  const attempt = async (trouble?: string) => {
    const directory = mkdtempSync(join(tmpdir(), "unwritable-notes-"));
    const prepared = await prepareCreation(services, tried, adapter);
    const creation = { ...prepared, environment: { TMPDIR: directory } };
    const provider = await startProvider(creation);
    if (trouble === "full disk") {
      fillDisk(provider.id);
    } else if (trouble !== undefined) {
      rmSync(directory, { recursive: true });
    }
    try {
      const { id, outputs } = await create(provider, creation);
      const told = Object.entries(inClear(outputs)).flatMap(([name, value]) => (value === null ? [] : name));
      return {
        outputs: [id === "" ? "no id" : "an id", ...told.sort()].join(", "),
        requests: services.emulator.journal.count(),
        warnings: provider.engine.lines.filter(({ message }) => /cannot share/.test(message)).length,
      };
    } finally {
      await provider.stop();
      rmSync(directory, { recursive: true, force: true });
    }
  };
  const usual = await attempt();
  const findings = new Map<string, readonly string[]>();
  for (const trouble of troubles) {
    try {
      const { outputs, requests, warnings } = await attempt(trouble);
      const found = [
        outputs === usual.outputs ? [] : `the outputs are ${outputs}, not ${usual.outputs}`,
        requests <= usual.requests ? [] : `${requests} requests, not ${usual.requests}`,
        warnings <= 1 ? [] : `${warnings} warnings`,
      ];
      findings.set(trouble, found.flat());
    } catch (error) {
      assert.ok(error instanceof CallError, String(error));
      findings.set(trouble, [`lost: ${error.message}`]);
    }
  }
  return findings;
}
