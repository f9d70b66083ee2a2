import { dirname } from "node:path";
import { providerStub } from "../../../sdk/resource/state/stub";
import { sharedProject } from "../../support/packed-library";
import { type Properties, ProviderProcess } from "../../support/provider-process";
import { services } from "../../support/proxy";
import { type Bench, type Declared, emulatedBench, type FaultCase } from "./bench";
import type { Operate } from "./one-resource-stack";

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

  private constructor(readonly bench: Bench) {}

  /** @param bench its services; default: emulated ones */
  static async start(bench?: Bench): Promise<Laboratory> {
    const laboratory = new Laboratory(bench ?? (await emulatedBench()));
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

  /** Back to the start: no faults, nothing under way, and in the services only what a class needs. */
  async begin(faultCase: FaultCase, mark: string): Promise<Declared> {
    this.patience = patient;
    this.bench.emulator?.reset();
    this.bench.proxy.cut();
    await this.bench.proxy.open();
    return this.bench.begin(faultCase, mark);
  }

  async stop(): Promise<void> {
    const processes = await Promise.all(this.processes);
    await Promise.all(processes.map((process) => process.stop()));
    this.bench.proxy.close();
    await this.bench.close();
  }

  private newProcess(): Promise<ProviderProcess> {
    return ProviderProcess.start(sharedProject().path, this.configuration());
  }

  private configuration(): Properties {
    const { maxRetries, requestTimeout } = this.patience;
    const { proxy, tokens, dialect } = this.bench;
    return Object.fromEntries(
      services.flatMap((name) => [
        [`trivium:${name}Address`, proxy.address(name)],
        [`trivium:${name}Token`, tokens[name]],
        [`trivium:${name}Dialect`, dialect],
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
    text,
    'const {Module,createRequire}=require("node:module")',
    `const source=()=>Module.wrap(require("node:fs").readFileSync(${file},"utf8"))`,
    `const script=globalThis.compiledLibrary??=new (require("node:vm").Script)(source(),{filename:${file}})`,
    `const fresh=require.cache[${file}]=new Module(${file})`,
    `script.runInThisContext()(fresh.exports,createRequire(${file}),fresh,${file},${JSON.stringify(dirname(library))})`,
  ].join(";");
}
