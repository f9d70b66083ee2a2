import { dirname } from "node:path";
import { type Emulator, type Inspection, startEmulator } from "pulumi-trivium/testing";
import { type Receiver, startReceiver } from "../../engine/support/receiver";
import { providerStub } from "../../../sdk/resource/stub";
import { sharedProject } from "../../support/packed-library";
import { type Properties, ProviderProcess } from "../../support/provider-process";
import type { FaultCase } from "./fault-case";
import { Gate } from "./gate";
import type { Operate } from "./one-resource-stack";

/** The three services. */
export const services = ["provisioning", "secrets", "scheduler"] as const;

/** The tokens of the services, which may be shown nowhere. */
export const tokens = {
  provisioning: "canary-provisioning-token-5e02c1",
  secrets: "canary-secrets-token-8d2f61",
  scheduler: "canary-scheduler-token-51c0aa",
};

/** How an operation's connections behave. */
export interface Patience {
  readonly maxRetries: number;
  /** Such as `"300ms"`. */
  readonly requestTimeout: string;
}

/** Enough for every machine. */
export const patient: Patience = { maxRetries: 0, requestTimeout: "30s" };

/** So many processes take turns, so that one that was killed is not missed at once. */
const processesInTurn = 4;

/** The services with everything that can happen to them, and processes of the engine's that use them. */
export class Laboratory {
  /** Of the operations to come. */
  patience = patient;
  private operations = 0;
  private processes: Promise<ProviderProcess>[] = [];
  private current: ProviderProcess | undefined;
  /** What processes have shown that are no more. */
  private readonly lastWords: string[] = [];

  private constructor(
    readonly emulator: Emulator,
    readonly gates: Readonly<Record<(typeof services)[number], Gate>>,
    readonly receiver: Receiver,
  ) {}

  static async start(): Promise<Laboratory> {
    const emulator = await startEmulator({ tokens });
    const [provisioning, secrets, scheduler] = await Promise.all([
      Gate.before(emulator.provisioning.address),
      Gate.before(emulator.secrets.address),
      Gate.before(emulator.scheduler.address),
    ]);
    const laboratory = new Laboratory(emulator, { provisioning, secrets, scheduler }, await startReceiver());
    laboratory.processes = Array.from({ length: processesInTurn }, () => laboratory.newProcess());
    await Promise.all(laboratory.processes);
    return laboratory;
  }

  /**
   * Runs operations on resources of a class, each as in a process of its own, with new connections and no memory: the
   * SDK has a provider for each provider text, and a remark tells the texts apart.
   */
  operateOn({ type, provider: text = providerStub(type) }: FaultCase): Operate {
    return async (calls) => {
      const turn = this.operations % this.processes.length;
      this.operations += 1;
      const provider = await (this.processes[turn] ?? this.newProcess());
      this.current = provider;
      await provider.configure(this.configuration());
      try {
        return await calls(provider, `${forgetful(text)}//${this.operations}`);
      } finally {
        if (provider.hasEnded) {
          this.processes[turn] = this.newProcess();
          this.lastWords.push(...provider.takeShown());
          await provider.stop();
        }
      }
    };
  }

  /** Kills the process that runs the present operation. */
  kill(): void {
    this.current?.kill();
  }

  /** What has been shown since this was last asked. */
  async takeShown(): Promise<string[]> {
    const processes = await Promise.all(this.processes);
    return [...this.lastWords.splice(0), ...processes.flatMap((process) => process.takeShown())];
  }

  /** Everything in the services but what is a mere record of what happened. */
  inspect(): Inspection {
    const inspection = this.emulator.inspect();
    const { provisioning, secrets, scheduler } = inspection;
    const history = { frames: [], subscriptions: [] };
    return { provisioning, secrets, scheduler: { ...scheduler, ...history } };
  }

  /** Back to the start: empty services, no faults, nothing under way. */
  async reset(): Promise<void> {
    this.patience = patient;
    this.emulator.reset();
    for (const name of services) {
      this.gates[name].cut();
      await this.gates[name].open();
    }
  }

  async stop(): Promise<void> {
    const processes = await Promise.all(this.processes);
    await Promise.all(processes.map((process) => process.stop()));
    services.forEach((name) => this.gates[name].close());
    await Promise.all([this.emulator.close(), this.receiver.close()]);
  }

  private newProcess(): Promise<ProviderProcess> {
    return ProviderProcess.start(sharedProject().path, this.configuration());
  }

  private configuration(): Properties {
    const { maxRetries, requestTimeout } = this.patience;
    return Object.fromEntries(
      services.flatMap((name) => [
        [`trivium:${name}Address`, this.gates[name].address],
        [`trivium:${name}Token`, tokens[name]],
        [`trivium:${name}MaxRetries`, String(maxRetries)],
        [`trivium:${name}RequestTimeout`, requestTimeout],
        // Another setting is another connection.
        [`trivium:${name}Headers`, JSON.stringify({ "x-operation": String(this.operations) })],
      ]),
    );
  }
}

/**
 * The text with a library of its own, which remembers nothing of other operations. It is compiled once for each process:
 * that takes longer than an operation.
 */
function forgetful(text: string): string {
  const library = require.resolve("pulumi-trivium/dynamic", { paths: [sharedProject().path] });
  const file = JSON.stringify(library);
  return [
    'const {Module,createRequire}=require("node:module")',
    `const source=()=>Module.wrap(require("node:fs").readFileSync(${file},"utf8"))`,
    `const script=globalThis.compiledLibrary??=new (require("node:vm").Script)(source(),{filename:${file}})`,
    `const fresh=require.cache[${file}]=new Module(${file})`,
    `script.runInThisContext()(fresh.exports,createRequire(${file}),fresh,${file},${JSON.stringify(dirname(library))})`,
    text,
  ].join(";");
}
