import { once, setMaxListeners } from "node:events";
import { constants } from "node:os";
import { env } from "node:process";
import type { Writable } from "node:stream";
import { WriteStream } from "node:tty";
import type { ShownText } from "../base/shown-text";

export interface TerminalProcess {
  readonly stdout: Writable;
  readonly stderr: Writable;
  on(signal: NodeJS.Signals, listener: NodeJS.SignalsListener): unknown;
  off(signal: NodeJS.Signals, listener: NodeJS.SignalsListener): unknown;
}

const endingSignals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The output of a command, with secrets redacted. */
export class Terminal {
  interruptionStatus: number | undefined;
  private readonly interruption = new AbortController();

  constructor(private readonly process: TerminalProcess) {
    // Each request adds a listener, and many run at once.
    setMaxListeners(0, this.interrupted);
    endingSignals.forEach((signal) => process.on(signal, this.onSignal));
    // The reader of a pipe closed it, which is not an error.
    process.stdout.on("error", () => this.interrupt(0));
    process.stderr.on("error", () => undefined);
  }

  /** Aborted by Ctrl-C, and when the output is closed. */
  get interrupted(): AbortSignal {
    return this.interruption.signal;
  }

  get showsColours(): boolean {
    const { stdout } = this.process;
    return stdout instanceof WriteStream && (env.CI ?? "") === "" && stdout.hasColors();
  }

  /** Writes to standard output. Await it: it applies back-pressure. */
  async print(...lines: readonly ShownText[]): Promise<void> {
    const { stdout } = this.process;
    for (const line of lines) {
      if (!this.interrupted.aborted && !stdout.write(`${line}\n`)) {
        await once(stdout, "drain", { signal: this.interrupted }).catch(() => undefined);
      }
    }
  }

  tell(line: ShownText): void {
    this.process.stderr.write(`${line}\n`);
  }

  /** Restores the default handling of signals. */
  release(): void {
    endingSignals.forEach((signal) => this.process.off(signal, this.onSignal));
  }

  private readonly onSignal = (signal: NodeJS.Signals): void => {
    // The exit status that shells use.
    this.interrupt(128 + constants.signals[signal]);
    // A second Ctrl-C ends the process at once.
    this.release();
  };

  private interrupt(status: number): void {
    this.interruptionStatus ??= status;
    this.interruption.abort();
  }
}
