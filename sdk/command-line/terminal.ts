import { once } from "node:events";
import { env } from "node:process";
import type { Writable } from "node:stream";
import { WriteStream } from "node:tty";
import type { ShownText } from "../base/shown-text";

/** What a command has of the terminal, or of whatever its output goes into. Secrets are kept out of all of it. */
export interface Terminal {
  /** Aborted by Ctrl-C, and when the output is closed. */
  readonly interrupted: AbortSignal;
  /** Whether standard output shows colours: a person's terminal does, a file and a pipeline do not. */
  readonly showsColours: boolean;
  /** Writes a line of the result to standard output. Wait for it: it is not written faster than it is read. */
  print(line: ShownText): Promise<void>;
  /** Writes a message to standard error. */
  tell(line: ShownText): void;
}

/** The process as a command line uses it. */
export interface TerminalProcess {
  readonly stdout: Writable;
  readonly stderr: Writable;
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  off(signal: NodeJS.Signals, listener: () => void): unknown;
}

/** As shells know them: 128 and the number of the signal. */
const statusOf = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

type EndingSignal = keyof typeof statusOf;

/** The terminal of this process, and how its command has been interrupted. */
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

  /** The exit status of a command that was interrupted; `undefined` when it was not. */
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

  /** Leaves signals to the system again. */
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
