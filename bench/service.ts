import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

type Environment = Readonly<Record<string, string>>;

/** The emulator in a process of its own; for TOTP methods the server that VAULT_ADDR and VAULT_TOKEN name, if any. */
export class Service {
  private constructor(
    private readonly emulator: ChildProcess,
    /** For the CLI and what it starts: how each side reaches the service. */
    readonly environment: Environment,
  ) {}

  static async start(): Promise<Service> {
    const emulator = fork(join(__dirname, "emulator-process.mjs"));
    const emulated = await answerOf<Environment>(emulator);
    const { VAULT_ADDR = emulated.SECRETS_ADDR ?? "", VAULT_TOKEN = emulated.SECRETS_TOKEN ?? "" } =
      process.env;
    return new Service(emulator, {
      ...emulated,
      SECRETS_ADDR: VAULT_ADDR,
      SECRETS_TOKEN: VAULT_TOKEN,
      VAULT_ADDR,
      VAULT_TOKEN,
      TERRAFORM_VAULT_SKIP_CHILD_TOKEN: "true",
    });
  }

  /** Puts the emulator back to the start. A real server is as empty as the last `destroy` has left it. */
  async empty(): Promise<void> {
    await this.ask("empty");
  }

  /** How many requests the emulator has got since it was asked or emptied. */
  requests(): Promise<number> {
    return this.ask("count");
  }

  close(): void {
    this.emulator.disconnect();
  }

  private ask(what: "empty" | "count"): Promise<number> {
    const response = answerOf<number>(this.emulator);
    this.emulator.send(what);
    return response;
  }
}

async function answerOf<Answer>(emulator: ChildProcess): Promise<Answer> {
  const answered = new AbortController();
  const { signal } = answered;
  try {
    const [response] = (await Promise.race([
      once(emulator, "message", { signal }),
      once(emulator, "exit", { signal }).then(([code]) => {
        throw new Error(`The emulator ended with code ${String(code)}.`);
      }),
    ])) as [Answer];
    return response;
  } finally {
    answered.abort();
  }
}
