import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { isRunning, until } from "../../engine/support/processes";
import type { Adapter } from "../../engine/support/adapter";
import { SecretsApi } from "../../engine/support/api";
import type { Properties } from "../../support/provider-process";
import type { Creation } from "./creation";
import { prepareCreation, type Services } from "./prepared-creation";
import { difference } from "./difference";
import type { EngineMessage } from "./engine-process";
import type { FaultCase } from "./fault-case";
import { services as serviceNames } from "../../support/proxy";
import { tokens } from "./bench";

/** The classes that wait, or have something issued, with what the program says so that they do. */
export const waitingOrIssuing: ReadonlyMap<string, Properties> = new Map<string, Properties>([
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

/** When an engine is killed. */
export interface Moment {
  /** For the report. */
  readonly name: string;
  /** Prepares the services for it. */
  arm(services: Services, creation: Creation): Promise<ArmedMoment>;
}

/** A moment that is awaited. */
interface ArmedMoment {
  /** Whether it has come. */
  readonly come: () => boolean;
  /** What happens in the services once the engine is dead. */
  readonly after?: () => void;
}

/** What was wrong after an engine was killed. */
export interface Aftermath {
  /** What the services have that they did not have before. */
  readonly created: readonly string[];
  /** The provider process was still there after ten seconds. */
  readonly isLeft: boolean;
}

/** In milliseconds. */
const longestEnd = 10_000;

/** The moments at which the engine of a class's creation can be killed. */
export async function momentsOf(
  services: Services,
  faultCase: FaultCase,
  adapter: Adapter,
): Promise<readonly Moment[]> {
  const { type } = faultCase;
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

/** Creates a resource, and kills the engine at a moment. */
export async function killEngineAt(
  services: Services,
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

async function prepare(services: Services, faultCase: FaultCase, adapter: Adapter): Promise<Creation> {
  const more = waitingOrIssuing.get(faultCase.type) ?? {};
  return prepareCreation(services, faultCase, adapter, { more });
}

/** The requests of a creation whose engine lives. */
async function requestsOf(
  services: Services,
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

/** At a request that the service never processes, or whose response comes when the engine is dead. */
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
    const api = new SecretsApi(emulator.secrets.address, tokens.secrets, "documented");
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

function objectsIn({ emulator }: Services): unknown {
  const { provisioning, secrets } = emulator.inspect();
  return { provisioning, secrets };
}

/** An engine in a process of its own. */
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

  /** @throws Error when the creation ends before */
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

  /** @returns whether its provider process has ended in time; it has in any case afterwards */
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
