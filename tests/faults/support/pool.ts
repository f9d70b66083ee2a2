import { dirname } from "node:path";
import { providerStub } from "../../../sdk/resource/state/encoding";
import type { Dialect, Traces } from "../../cases/support/case";
import { emulatedTokens } from "../../cases/support/emulated-services";
import type { ServiceName } from "../../cases/support/test-services";
import type { ProviderAccess } from "../../support/fake-engine";
import { sharedProject } from "../../support/packed-library";
import { type Properties, ProviderProcess } from "../../support/provider-process";
import { configurationWith, type Proxy } from "../../support/proxy";
import { type PreparedCase, ProxiedServices, type TriedCase } from "../../support/services";

/** Objects in lists, by their kinds. */
export type Holdings = Traces & { readonly scheduler: object };

/** The services in which classes live. */
export interface FaultTarget {
  dialect(): Dialect;
  /** These must not be shown anywhere. */
  readonly tokens: Readonly<Record<ServiceName, string>>;
  readonly proxy: Proxy;
  revokeLease(id: string): unknown;
  /** Sets up what a class needs, without traces of an earlier run. */
  prepare(faultCase: TriedCase, mark: string): Promise<PreparedCase>;
  inspect(): Promise<Holdings>;
  close(): Promise<void>;
}

export async function emulatedTarget(): Promise<FaultTarget> {
  const services = await ProxiedServices.start();
  return {
    dialect: () => services.dialect,
    revokeLease: (id) => services.emulator.secrets.revokeLease(id),
    tokens: emulatedTokens,
    proxy: services.proxy,
    prepare: (faultCase, mark) => services.prepareAlone(faultCase, mark),
    inspect() {
      const { provisioning, secrets, scheduler } = services.emulator.inspect();
      const history = { frames: [], subscriptions: [] };
      // A check-in ends no lease in the products: without its account it is nothing.
      const leases = secrets.leases.filter(
        ({ id }) =>
          !id.includes("/check-out/") ||
          secrets.directoryLibraryAccounts.some(({ checkOut }) => checkOut?.leaseId === id),
      );
      const held = { ...secrets, leases };
      return Promise.resolve({ provisioning, secrets: held, scheduler: { ...scheduler, ...history } });
    },
    close: () => services.close(),
  };
}

export const patient = { maxRetries: 0, requestTimeout: "30s" };

/** Several processes take turns, so that a killed one can be replaced in the background. */
const processesInTurn = 4;

/** Copies of the library add up: each keeps its connections to the engine and the service. */
const mostOperations = 100;

/** Services, and provider processes that use them. */
export class ProviderPool {
  patience = patient;
  private readonly newProcess = () => ProviderProcess.start(sharedProject().path, this.configuration());
  private operations = 0;
  private readonly processes: Promise<ProviderProcess>[];
  private current: ProviderProcess | undefined;
  /** The output of processes that have ended. */
  private readonly lastOutput: string[] = [];

  constructor(readonly target: FaultTarget) {
    this.processes = Array.from({ length: processesInTurn }, this.newProcess);
  }

  /** As in a new process: the SDK creates a provider for each provider text, and a comment makes the text unique. */
  accessTo({ type }: TriedCase): ProviderAccess {
    return {
      urnOf: (name) => `urn:pulumi:test::faults::pulumi-nodejs:dynamic/trivium/${type}::${name}`,
      operate: async (calls) => {
        const turn = this.operations++ % processesInTurn;
        const provider = (this.current = await (this.processes[turn] ?? this.newProcess()));
        await provider.configure(this.configuration());
        try {
          const __provider = `${forgetful(providerStub(type))}//${this.operations}`;
          return await calls(provider, { __provider });
        } finally {
          const isLast = Math.ceil(this.operations / processesInTurn) % mostOperations === 0;
          if (provider.hasEnded || isLast) {
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

  async prepare(faultCase: TriedCase, mark: string): Promise<PreparedCase> {
    const { proxy } = this.target;
    this.patience = patient;
    proxy.cut();
    await proxy.open();
    const prepared = await this.target.prepare(faultCase, mark);
    proxy.clear();
    return prepared;
  }

  async close(): Promise<void> {
    const processes = await Promise.all(this.processes);
    await Promise.all(processes.map((process) => process.stop()));
    await this.target.close();
  }

  private configuration(): Properties {
    const { maxRetries, requestTimeout } = this.patience;
    const { proxy, tokens } = this.target;
    return configurationWith((service) => ({
      Address: proxy.address(service),
      Token: tokens[service],
      Dialect: this.target.dialect(),
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
