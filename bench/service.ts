import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";

type Environment = Readonly<Record<string, string>>;

/** Requests by their methods. */
export type Requests = Readonly<Record<string, number>>;

/** The head of a request. A client without pipelining begins each in a chunk of its own. */
const requestLine = /^([A-Z]+) \S+ HTTP\/1\.1\r\n/;

/** Passes on connections as they are, and counts the requests in them. */
class CountingProxy {
  private counted: Record<string, number> = {};
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  static async before(address: string): Promise<CountingProxy> {
    const { protocol, hostname, port } = new URL(address);
    if (protocol !== "http:") {
      throw new Error(`The benchmark cannot count the requests to ${address}: only http works.`);
    }
    const proxy = new CountingProxy(createServer());
    proxy.server.on("connection", (client: Socket) =>
      proxy.pass(client, connect(Number(port || 80), hostname)),
    );
    proxy.server.listen(0, "127.0.0.1");
    await once(proxy.server, "listening");
    return proxy;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The requests since this was last called. */
  take(): Requests {
    const taken = this.counted;
    this.counted = {};
    return taken;
  }

  close(): void {
    this.server.close();
    this.sockets.forEach((socket) => socket.destroy());
  }

  private pass(client: Socket, service: Socket): void {
    client.on("data", (chunk: Buffer) => {
      const method = requestLine.exec(chunk.toString("latin1"))?.[1];
      if (method !== undefined) {
        this.counted[method] = (this.counted[method] ?? 0) + 1;
      }
    });
    for (const [socket, other] of [
      [client, service],
      [service, client],
    ] as const) {
      this.sockets.add(socket);
      socket.setNoDelay(true).pipe(other);
      socket.on("error", () => other.destroy());
      socket.on("close", () => this.sockets.delete(socket));
    }
  }
}

/**
 * The emulator; for the secrets service the server that VAULT_ADDR and VAULT_TOKEN name, if any. Counts the requests of
 * whoever uses its environment.
 */
export class Service {
  private constructor(
    private readonly emulator: ChildProcess,
    private readonly proxies: readonly CountingProxy[],
    /** The real server that is measured. */
    readonly server: string | undefined,
    /** For the CLI and what it starts: how each side reaches the service. */
    readonly environment: Environment,
  ) {}

  static async start(): Promise<Service> {
    const emulator = fork(join(__dirname, "emulator.mjs"));
    const emulated = await answerOf<Environment>(emulator);
    const { VAULT_ADDR, VAULT_TOKEN } = process.env;
    const isReal = VAULT_ADDR !== undefined && VAULT_TOKEN !== undefined;
    const token = isReal ? VAULT_TOKEN : (emulated.SECRETS_TOKEN ?? "");
    const secrets = await CountingProxy.before(isReal ? VAULT_ADDR : (emulated.SECRETS_ADDR ?? ""));
    const provisioning = await CountingProxy.before(emulated.PROVISIONING_ADDR ?? "");
    return new Service(emulator, [secrets, provisioning], isReal ? await productAt(VAULT_ADDR) : undefined, {
      ...emulated,
      PROVISIONING_ADDR: provisioning.address,
      SECRETS_ADDR: secrets.address,
      SECRETS_TOKEN: token,
      VAULT_ADDR: secrets.address,
      VAULT_TOKEN: token,
      TERRAFORM_VAULT_SKIP_CHILD_TOKEN: "true",
    });
  }

  /** Puts the emulator back to the start. A real server is as empty as the last `destroy` has left it. */
  async empty(): Promise<void> {
    const answer = answerOf(this.emulator);
    this.emulator.send("empty");
    await answer;
    this.requests();
  }

  /** The requests since this was last called, or since the service was emptied. */
  requests(): Requests {
    const sum: Record<string, number> = {};
    for (const proxy of this.proxies) {
      for (const [method, count] of Object.entries(proxy.take())) {
        sum[method] = (sum[method] ?? 0) + count;
      }
    }
    return sum;
  }

  close(): void {
    this.emulator.disconnect();
    this.proxies.forEach((proxy) => proxy.close());
  }
}

async function productAt(address: string): Promise<string> {
  const response = await fetch(`${address}/v1/sys/seal-status`);
  const { version } = (await response.json()) as Readonly<Record<string, unknown>>;
  return `a real secrets service, version ${String(version)}`;
}

async function answerOf<Answer>(emulator: ChildProcess): Promise<Answer> {
  const answered = new AbortController();
  const { signal } = answered;
  try {
    const [answer] = (await Promise.race([
      once(emulator, "message", { signal }),
      once(emulator, "exit", { signal }).then(([code]) => {
        throw new Error(`The emulator ended with code ${String(code)}.`);
      }),
    ])) as [Answer];
    return answer;
  } finally {
    answered.abort();
  }
}
