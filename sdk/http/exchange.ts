import { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import type { RequestPhase } from "../base/errors";

export interface ExchangeLimits {
  readonly timeoutMilliseconds: number;
  /** Whether the time limit only covers the start of the response. */
  readonly endless: boolean;
  readonly signal?: AbortSignal | undefined;
  /** How long a written request may continue after the signal, to learn its outcome. */
  readonly graceMilliseconds?: number | undefined;
}

/** The owner reads the body to the end or destroys it. */
export interface WireResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable;
}

export class ExchangeFailure extends Error {
  constructor(
    readonly kind: "connection" | "timeout" | "cancelled",
    readonly phase: RequestPhase,
    override readonly cause: Error,
  ) {
    super(cause.message);
  }

  get sent(): boolean {
    return this.phase !== "connect";
  }
}

/** @throws ExchangeFailure */
export function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  limits: ExchangeLimits,
): Promise<WireResponse> {
  return new Promise((resolve, reject) => {
    // Only our own time limit applies: undici's limits would have to be explained too.
    const options = { ...request, headersTimeout: 0, bodyTimeout: 0 };
    dispatcher.dispatch(options, new ExchangeHandler(limits, resolve, reject));
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
      // Creating an error is slow, so responses that were read to the end do not get one.
      if (this.outcome === "open") {
        this.fail("cancelled", error ?? new Error("the response was not read to its end"));
      }
      callback(error);
    },
  });

  constructor(
    private readonly limits: ExchangeLimits,
    private readonly begun: (response: WireResponse) => void,
    private readonly failed: (failure: ExchangeFailure) => void,
  ) {
    const { timeoutMilliseconds, signal } = limits;
    this.timer = setTimeout(() => this.fail("timeout", new Error("timed out")), timeoutMilliseconds);
    // Without a reader, a failure must not crash the process.
    this.body.on("error", () => undefined);
    signal?.addEventListener("abort", this.onAbort, { once: true });
    if (signal?.aborted === true) {
      this.onAbort();
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // undici calls this right before it writes. An exchange that failed is not written, and none is written twice.
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
): WireResponse["headers"] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value].flat().join(", ")]),
  );
}

/** @returns the received bytes, and why they are incomplete: `failure`, or more than `limit` bytes */
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
        break;
      }
    }
  } catch (error) {
    // Bodies are only destroyed with such a failure.
    return { bytes: Buffer.concat(chunks), tooLong: false, failure: error as ExchangeFailure };
  }
  return { bytes: Buffer.concat(chunks, Math.min(length, limit)), tooLong: length > limit };
}
