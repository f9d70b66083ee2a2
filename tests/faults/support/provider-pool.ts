import { dirname } from "node:path";
import { providerStub } from "../../../sdk/resource/state/encoding";
import { sharedProject } from "../../support/packed-library";
import { type Properties, ProviderProcess } from "../../support/provider-process";
import { configurationWith } from "../../support/proxy";
import type { ProviderAccess } from "../../support/fake-engine";
import type { PreparedCase } from "../../support/services";
import { type FaultTarget, emulatedTarget, type FaultCase } from "./fault-target";

export interface Patience {
  readonly maxRetries: number;
  readonly requestTimeout: string;
}

export const patient: Patience = { maxRetries: 0, requestTimeout: "30s" };

/** Several processes take turns, so that a killed one can be replaced in the background. */
const processesInTurn = 4;

export class ProviderPool {
  patience = patient;
  private operations = 0;
  private processes: Promise<ProviderProcess>[] = [];
  private current: ProviderProcess | undefined;
  /** The output of processes that have ended. */
  private readonly lastOutput: string[] = [];

  private constructor(readonly target: FaultTarget) {}

  static async start(target?: FaultTarget): Promise<ProviderPool> {
    const pool = new ProviderPool(target ?? (await emulatedTarget()));
    pool.processes = Array.from({ length: processesInTurn }, () => pool.newProcess());
    await Promise.all(pool.processes);
    return pool;
  }

  /** As in a new process: the SDK creates a provider for each provider text, and a comment makes the text unique. */
  accessTo({ type, provider: text = providerStub(type) }: FaultCase): ProviderAccess {
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
            this.lastOutput.push(...provider.takeShown());
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
    return [...this.lastOutput.splice(0), ...processes.flatMap((process) => process.takeShown())];
  }

  async begin(faultCase: FaultCase, mark: string): Promise<PreparedCase> {
    const { target } = this;
    this.patience = patient;
    target.proxy.cut();
    await target.proxy.open();
    const prepared = await target.begin(faultCase, mark);
    target.proxy.clear();
    return prepared;
  }

  async close(): Promise<void> {
    const processes = await Promise.all(this.processes);
    await Promise.all(processes.map((process) => process.stop()));
    await this.target.close();
  }

  private newProcess(): Promise<ProviderProcess> {
    return ProviderProcess.start(sharedProject().path, this.configuration());
  }

  private configuration(): Properties {
    const { maxRetries, requestTimeout } = this.patience;
    const { proxy, tokens, dialect } = this.target;
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
