import { dirname } from "node:path";
import { providerStub } from "../../../sdk/resource/state/encoding";
import { sharedProject } from "../../support/packed-library";
import { type Properties, ProviderProcess } from "../../support/provider-process";
import { configurationWith } from "../../support/proxy";
import type { Way } from "../../support/managed";
import type { Stage } from "../../support/services";
import { type Bench, emulatedBench, type FaultCase } from "./bench";

export interface Patience {
  readonly maxRetries: number;
  readonly requestTimeout: string;
}

export const patient: Patience = { maxRetries: 0, requestTimeout: "30s" };

/** Several processes take turns, so that a killed one can be replaced in the background. */
const processesInTurn = 4;

export class Laboratory {
  patience = patient;
  private operations = 0;
  private processes: Promise<ProviderProcess>[] = [];
  private current: ProviderProcess | undefined;
  /** The output of processes that have ended. */
  private readonly lastWords: string[] = [];

  private constructor(readonly bench: Bench) {}

  static async start(bench?: Bench): Promise<Laboratory> {
    const laboratory = new Laboratory(bench ?? (await emulatedBench()));
    laboratory.processes = Array.from({ length: processesInTurn }, () => laboratory.newProcess());
    await Promise.all(laboratory.processes);
    return laboratory;
  }

  /** As in a new process: the SDK creates a provider for each provider text, and a comment makes the text unique. */
  wayTo({ type, provider: text = providerStub(type) }: FaultCase): Way {
    return {
      urnOf: (name) => `urn:pulumi:test::faults::pulumi-nodejs:dynamic/trivium/${type}::${name}`,
      operate: async (calls) => {
        const turn = this.operations % this.processes.length;
        this.operations += 1;
        const provider = await (this.processes[turn] ?? this.newProcess());
        this.current = provider;
        await provider.configure(this.configuration());
        try {
          return await calls(provider, { __provider: `${forgetful(text)}//${this.operations}` });
        } finally {
          if (provider.hasEnded) {
            this.processes[turn] = this.newProcess();
            this.lastWords.push(...provider.takeShown());
            await provider.stop();
          }
        }
      },
    };
  }

  kill(): void {
    this.current?.kill();
  }

  /** Returns and clears the output of all processes. */
  async takeShown(): Promise<string[]> {
    const processes = await Promise.all(this.processes);
    return [...this.lastWords.splice(0), ...processes.flatMap((process) => process.takeShown())];
  }

  async begin(faultCase: FaultCase, mark: string): Promise<Stage> {
    const { bench } = this;
    this.patience = patient;
    bench.proxy.cut();
    await bench.proxy.open();
    const stage = await bench.begin(faultCase, mark);
    bench.proxy.clear();
    return stage;
  }

  async close(): Promise<void> {
    const processes = await Promise.all(this.processes);
    await Promise.all(processes.map((process) => process.stop()));
    await this.bench.close();
  }

  private newProcess(): Promise<ProviderProcess> {
    return ProviderProcess.start(sharedProject().path, this.configuration());
  }

  private configuration(): Properties {
    const { maxRetries, requestTimeout } = this.patience;
    const { proxy, tokens, dialect } = this.bench;
    return configurationWith((service) => ({
      Address: proxy.address(service),
      Token: tokens[service],
      Dialect: dialect,
      MaxRetries: String(maxRetries),
      RequestTimeout: requestTimeout,
      // A different setting forces a new connection.
      Headers: JSON.stringify({ "x-operation": String(this.operations) }),
    }));
  }
}

/** Loads a fresh copy of the library. It is compiled once per process, because that takes longer than an operation. */
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
