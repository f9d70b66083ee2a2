import { once } from "node:events";
import { env } from "node:process";
import type { Writable } from "node:stream";
import { WriteStream } from "node:tty";
import type { ShownText } from "../base/shown-text";

/** The output of a command, with secrets redacted. */
export interface Terminal {
  /** Aborted by Ctrl-C, and when the output is closed. */
  readonly interrupted: AbortSignal;
  readonly showsColours: boolean;
  /** Writes to standard output. Await it: it applies back-pressure. */
  print(line: ShownText): Promise<void>;
  tell(line: ShownText): void;
}

export interface TerminalProcess {
  readonly stdout: Writable;
  readonly stderr: Writable;
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  off(signal: NodeJS.Signals, listener: () => void): unknown;
}

/** The exit statuses of shells: 128 plus the number of the signal. */
const statusOf = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

type EndingSignal = keyof typeof statusOf;

export class ProcessTerminal implements Terminal {
  private readonly interruption = new AbortController();
  private readonly listeners = new Map<EndingSignal, () => void>();
  private status: number | undefined;

  constructor(private readonly process: TerminalProcess) {
    for (const signal of Object.keys(statusOf) as EndingSignal[]) {
      const listener = (): void => {
        this.interrupt(statusOf[signal]);
        // A second Ctrl-C ends the process at once.
        this.release();
      };
      this.listeners.set(signal, listener);
      process.on(signal, listener);
    }
    // The reader of a pipe closed it, which is not an error.
    process.stdout.on("error", () => this.interrupt(0));
    process.stderr.on("error", () => undefined);
  }

  get interrupted(): AbortSignal {
    return this.interruption.signal;
  }

  get showsColours(): boolean {
    const { stdout } = this.process;
    return stdout instanceof WriteStream && (env.CI ?? "") === "" && stdout.hasColors();
  }

  get interruptionStatus(): number | undefined {
    return this.status;
  }

  async print(line: ShownText): Promise<void> {
    const { stdout } = this.process;
    if (this.interrupted.aborted || stdout.write(`${line}\n`)) {
      return;
    }
    await once(stdout, "drain", { signal: this.interrupted }).catch(() => undefined);
  }

  tell(line: ShownText): void {
    this.process.stderr.write(`${line}\n`);
  }

  /** Restores the default handling of signals. */
  release(): void {
    for (const [signal, listener] of this.listeners) {
      this.process.off(signal, listener);
    }
  }

  private interrupt(status: number): void {
    this.status ??= status;
    this.interruption.abort();
  }
}
