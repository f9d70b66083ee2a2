import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { join } from "node:path";

type Environment = Readonly<Record<string, string>>;

export type Requests = Readonly<Record<string, number>>;

/** A client without pipelining begins each request in a new chunk. */
const requestLine = /^([A-Z]+) \S+ HTTP\/1\.1\r\n/;

/** Forwards connections unchanged and reports the method of each request. */
async function countingProxy(address: string, onRequest: (method: string) => void): Promise<Server> {
  const { protocol, hostname, port } = new URL(address);
  if (protocol !== "http:") {
    throw new Error(`The benchmark cannot count the requests to ${address}: only http works.`);
  }
  const server = createServer((client) => {
    const service = connect(Number(port || 80), hostname);
    client.on("data", (chunk) => {
      const method = requestLine.exec(chunk.toString("latin1"))?.[1];
      if (method !== undefined) {
        onRequest(method);
      }
    });
    client.setNoDelay(true).pipe(service.setNoDelay(true)).pipe(client);
    client.on("error", () => service.destroy());
    service.on("error", () => client.destroy());
  });
  server.listen(0, "127.0.0.1").unref();
  await once(server, "listening");
  return server;
}

/** The emulator; for the secrets service, the server of VAULT_ADDR and VAULT_TOKEN, if set. Counts requests. */
export class Service {
  private counted: Record<string, number> = {};

  private constructor(
    private readonly emulator: ChildProcess,
    /** The real server that is measured. */
    readonly server: string | undefined,
    readonly environment: Environment,
  ) {}

  static async start(): Promise<Service> {
    const emulator = fork(join(__dirname, "emulator.mjs")).on("exit", (code) => {
      if (code !== 0) {
        throw new Error(`The emulator ended with code ${String(code)}.`);
      }
    });
    const [emulated] = (await once(emulator, "message")) as [Environment];
    const { VAULT_ADDR, VAULT_TOKEN } = process.env;
    const isReal = VAULT_ADDR !== undefined && VAULT_TOKEN !== undefined;
    const environment: Record<string, string> = { ...emulated, TERRAFORM_VAULT_SKIP_CHILD_TOKEN: "true" };
    const server = isReal ? await productAt(VAULT_ADDR) : undefined;
    const service = new Service(emulator, server, environment);
    if (isReal) {
      environment.SECRETS_ADDR = VAULT_ADDR;
      environment.SECRETS_TOKEN = VAULT_TOKEN;
    }
    for (const name of ["SECRETS_ADDR", "PROVISIONING_ADDR"]) {
      const proxy = await countingProxy(environment[name] ?? "", (method) => {
        service.counted[method] = (service.counted[method] ?? 0) + 1;
      });
      environment[name] = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    }
    environment.VAULT_ADDR = environment.SECRETS_ADDR ?? "";
    environment.VAULT_TOKEN = environment.SECRETS_TOKEN ?? "";
    return service;
  }

  /** Of the emulator, which is not the service that is measured if there is a real server. */
  get process(): number | undefined {
    return this.emulator.pid;
  }

  /** What the emulator has used so far, in milliseconds. */
  async processorTime(): Promise<number> {
    return Number(await this.ask("time"));
  }

  /** Resets the emulator. A real server is as empty as the last `destroy` left it. */
  async empty(): Promise<void> {
    await this.ask("empty");
    this.requests();
  }

  private async ask(question: "empty" | "time"): Promise<unknown> {
    this.emulator.send(question);
    const [answer] = (await once(this.emulator, "message")) as [unknown];
    return answer;
  }

  /** The requests since the last call, or since the service was emptied. */
  requests(): Requests {
    const counted = this.counted;
    this.counted = {};
    return counted;
  }

  close(): void {
    this.emulator.disconnect();
  }
}

async function productAt(address: string): Promise<string> {
  const response = await fetch(`${address}/v1/sys/seal-status`);
  const { version } = (await response.json()) as Readonly<Record<string, unknown>>;
  return `a real secrets service, version ${String(version)}`;
}
