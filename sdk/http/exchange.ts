import { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import type { RequestPhase } from "../base/errors";

/** A request in the form in which it goes over the wire. */
export interface WireRequest {
  readonly origin: string;
  /** With base path and query. */
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** How long an exchange may take. */
export interface ExchangeLimits {
  readonly timeoutMilliseconds: number;
  /** Whether the time limit ends with the beginning of the answer. */
  readonly endless: boolean;
  readonly signal?: AbortSignal | undefined;
  /** How long it may go on after the signal once the request has been written. */
  readonly graceMilliseconds?: number | undefined;
}

/** An answer whose body is still to be read. Whoever has it reads the body to its end or destroys it. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Reads no faster than it is consumed; fails with an {@link ExchangeFailure}. */
  readonly body: Readable;
}

/** Why there is no answer, or no complete one. */
export class ExchangeFailure extends Error {
  constructor(
    readonly kind: "connection" | "timeout" | "cancelled",
    /** How far it came. */
    readonly phase: RequestPhase,
    override readonly cause: Error,
  ) {
    super(cause.message);
  }

  /** Whether any of the request was written to a connection. */
  get sent(): boolean {
    return this.phase !== "connect";
  }
}

/**
 * Makes one request, once: no redirect is followed and nothing is repeated.
 *
 * @throws ExchangeFailure
 */
export function exchange(
  dispatcher: Dispatcher,
  request: WireRequest,
  limits: ExchangeLimits,
): Promise<WireAnswer> {
  return new Promise((resolve, reject) => {
    const handler = new ExchangeHandler(limits, resolve, reject);
    const { origin, path, method, headers, body = null } = request;
    // The client's own time limits are switched off: one limit for the whole is easier to explain.
    const options = { origin, path, method, headers, body, headersTimeout: 0, bodyTimeout: 0 };
    dispatcher.dispatch(options, handler);
  });
}

class ExchangeHandler implements Dispatcher.DispatchHandler {
  private phase: RequestPhase = "connect";
  private controller: Dispatcher.DispatchController | undefined;
  private outcome: "open" | "complete" | ExchangeFailure = "open";
  private readonly timer: NodeJS.Timeout;
  private graceTimer: NodeJS.Timeout | undefined;
  private readonly body = new Readable({
    read: () => this.controller?.resume(),
    destroy: (error, callback) => {
      // To make an error takes longer than all else that is done about an answer that was read to its end.
      if (this.outcome === "open") {
        this.fail("cancelled", error ?? new Error("the answer was not read to its end"));
      }
      callback(error);
    },
  });

  constructor(
    private readonly limits: ExchangeLimits,
    private readonly begun: (answer: WireAnswer) => void,
    private readonly failed: (failure: ExchangeFailure) => void,
  ) {
    const { timeoutMilliseconds, signal } = limits;
    this.timer = setTimeout(() => this.fail("timeout", new Error("timed out")), timeoutMilliseconds);
    // Who reads the body learns of its failure there; before that it must not bring the process down.
    this.body.on("error", () => undefined);
    signal?.addEventListener("abort", this.onAbort, { once: true });
    if (signal?.aborted === true) {
      this.onAbort();
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // The client calls this right before it writes. A failed exchange is not written any more, and none twice.
    if (this.outcome !== "open" || this.phase !== "connect") {
      controller.abort(new Error("over"));
      return;
    }
    this.controller = controller;
    this.phase = "headers";
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (status < 200 || this.outcome !== "open") {
      return;
    }
    this.phase = "body";
    if (this.limits.endless) {
      clearTimeout(this.timer);
    }
    this.begun({ status, headers: joinRepeated(headers), body: this.body });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.outcome === "open" && !this.body.push(chunk)) {
      controller.pause();
    }
  }

  onResponseEnd(): void {
    if (this.outcome === "open") {
      this.outcome = "complete";
      this.cleanUp();
      this.body.push(null);
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail("connection", error);
  }

  private readonly onAbort = (): void => {
    const { graceMilliseconds = 0 } = this.limits;
    if (this.phase === "connect" || graceMilliseconds === 0) {
      this.cancel();
    } else {
      this.graceTimer = setTimeout(this.cancel, graceMilliseconds);
    }
  };

  private readonly cancel = (): void => this.fail("cancelled", new Error("cancelled"));

  private fail(kind: ExchangeFailure["kind"], cause: Error): void {
    if (this.outcome !== "open") {
      return;
    }
    const failure = new ExchangeFailure(kind, this.phase, cause);
    this.outcome = failure;
    this.cleanUp();
    this.controller?.abort(failure);
    this.failed(failure);
    this.body.destroy(failure);
  }

  private cleanUp(): void {
    clearTimeout(this.timer);
    clearTimeout(this.graceTimer);
    this.limits.signal?.removeEventListener("abort", this.onAbort);
  }
}

function joinRepeated(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(", ") : value]],
    ),
  );
}

/**
 * Reads a body up to a number of bytes and closes it.
 *
 * @returns what arrived, and why it is not all: `failure`, or more than `limit` bytes
 */
export async function collect(
  body: Readable,
  limit: number,
): Promise<{ readonly bytes: Buffer; readonly tooLong: boolean; readonly failure?: ExchangeFailure }> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > limit) {
        return { bytes: Buffer.concat(chunks).subarray(0, limit), tooLong: true };
      }
    }
    return { bytes: Buffer.concat(chunks), tooLong: false };
  } catch (error) {
    if (error instanceof ExchangeFailure) {
      return { bytes: Buffer.concat(chunks), tooLong: false, failure: error };
    }
    throw error;
  }
}
