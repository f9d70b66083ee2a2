import { once, setMaxListeners } from "node:events";
import { constants } from "node:os";
import { env } from "node:process";
import type { Writable } from "node:stream";
import { WriteStream } from "node:tty";
import { codeOf, isError } from "../base/errors";
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
  /** 128 plus the number of the signal. */
  interruptionStatus: number | undefined;
  /** Why the output is lost, unless its reader has left. */
  outputFailure: Error | undefined;
  private readonly interruption = new AbortController();

  constructor(private readonly process: TerminalProcess) {
    // Each request adds a listener, and many run at once.
    setMaxListeners(0, this.interrupted);
    endingSignals.forEach((signal) => process.on(signal, this.onSignal));
    process.stdout.on("error", (error) => this.loseOutput(error));
    process.stderr.on("error", () => undefined);
  }

  /** Aborted by Ctrl-C, and when the output is closed. */
  get interrupted(): AbortSignal {
    return this.interruption.signal;
  }

  get showsColors(): boolean {
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

  /** The last lines might still be lost, because an error of a file or pipe is only reported later. */
  async flush(): Promise<void> {
    if (this.interruptionStatus === undefined) {
      await new Promise<void>((resolve) => {
        this.process.stdout.write("", (error) => {
          if (isError(error)) {
            this.loseOutput(error);
          }
          resolve();
        });
      });
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

  /** The reader of a pipe can close it when it has read enough. */
  private loseOutput(error: Error): void {
    if (!this.interrupted.aborted && !/^(?:EPIPE|EOF|ECONNRESET|ERR_STREAM_DESTROYED)$/.test(codeOf(error))) {
      this.outputFailure = error;
    }
    this.interruption.abort();
  }
}
