import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { TLSSocket } from "node:tls";
import type * as Undici from "undici";
import type { RequestPhase } from "../base/errors";
import { TimeLimit } from "../base/timing";
import type { Proxy } from "./proxy";
import { dispatcherOf, forwarding } from "./proxy-sockets";
import { maxHeaderSize, tidyHeads } from "./response-heads";
import { type Certificates, tlsOptions } from "./tls";
import type { TransportSettings } from "./transport";

type Connector = Undici.buildConnector.connector;

const longestConnect = 10_000;
/** How long an idle connection is kept: services might close it after a longer time. */
const longestUnused = 4000;

export interface ExchangeLimits {
  readonly timeoutMilliseconds: number;
  /** Whether the time limit only covers the start of the response. */
  readonly endless: boolean;
  readonly signal?: AbortSignal | undefined;
  /** How long a written request can continue after the signal, to learn its outcome. */
  readonly graceMilliseconds?: number | undefined;
}

export type WireRequest = Omit<Undici.Dispatcher.DispatchOptions, "headers"> & {
  readonly headers: Record<string, string>;
};

/** The body, which the owner must read to the end or destroy. */
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
}

/**
 * The settings of sockets. They can change in a long process, when files are replaced or variables are set.
 */
export interface Making {
  readonly certificates: Certificates;
  readonly proxy: Proxy | undefined;
}

/** Sockets with the same TLS and proxy settings. The first socket is opened before the first request. */
export class Sockets {
  readonly dispatcher: Undici.Dispatcher;
  // Keyed by local port, which is all that undici's error reports about the socket.
  private readonly alerts = new Map<number, Error>();
  private opening: Promise<Socket | null> | undefined;
  private readonly connect: Connector;

  /** @throws ConfigurationError if a certificate or key is invalid */
  constructor(
    settings: TransportSettings,
    private readonly address: URL,
    readonly made: Making,
  ) {
    const { certificates, proxy } = made;
    const timeout = Math.min(longestConnect, settings.requestTimeoutMilliseconds ?? longestConnect);
    const { trust, ...own } = tlsOptions(settings, certificates);
    const tls = { ...trust, ...own, timeout };
    const { Agent, buildConnector } = undici();
    this.connect = this.watched(buildConnector(tls));
    if (proxy === undefined) {
      const connect: Connector = (...parameters) => this.connectFirst(...parameters);
      this.dispatcher = new Agent({ connect, maxHeaderSize });
    } else {
      const toProxy = this.watched(buildConnector({ ...trust, timeout }));
      this.dispatcher = dispatcherOf(undici(), proxy, {
        toProxy,
        toService: this.connect,
        tls,
        maxHeaderSize,
        headersTimeout: settings.requestTimeoutMilliseconds ?? 30_000,
      });
    }
  }

  /** Connects before the first request, which then does not wait for TCP and TLS. */
  open(): void {
    if (this.made.proxy !== undefined) {
      return;
    }
    const { host, hostname, protocol, port } = this.address;
    // undici also passes an IPv6 address without brackets.
    const options = { host, hostname: hostname.replace(/^\[|\]$/g, ""), protocol, port };
    this.opening = new Promise((resolve) => {
      this.connect(options, (_error, socket) => {
        // An unused socket must not keep the process running, and its failure must not crash it.
        socket?.unref().on("error", () => undefined);
        // Data before the first request makes the socket unusable. The end of a socket is only noticed while reading.
        socket?.on("data", refuse).setTimeout(longestUnused, refuse);
        resolve(socket);
      });
    });
  }

  /** @throws ExchangeFailure */
  exchange(request: WireRequest, limits: ExchangeLimits): Promise<WireResponse> {
    return new Promise((resolve, reject) => {
      // Only the library's own time limit applies, because undici's limits would have to be explained too.
      const addressed = { ...request, ...forwarding(this.made.proxy, this.address, request) };
      const options = { ...addressed, headersTimeout: 0, bodyTimeout: 0 };
      const causeOf = (error: Error): Error => this.alertBefore(error) ?? error;
      this.dispatcher.dispatch(options, new Exchange(limits, causeOf, resolve, reject));
    });
  }

  /** In TLS 1.3 a service rejects a client certificate after the request was written: undici reports a closed socket. */
  private alertBefore(error: Error): Error | undefined {
    const { socket } = error as { readonly socket?: { readonly localPort?: number } };
    return socket?.localPort === undefined ? undefined : this.alerts.get(socket.localPort);
  }

  private watched(connect: Connector): Connector {
    // undici returns the socket, although its types do not declare this.
    const begin: (...parameters: Parameters<Connector>) => unknown = connect;
    return (options, callback) => {
      let hasAgreed = false;
      const begun = begin(options, (...result) => {
        this.watch(result[1]);
        callback(...(result[0] === null || hasAgreed ? result : [withoutAgreement(result[0]), null]));
      });
      if (begun instanceof TLSSocket) {
        begun.on("keylog", () => (hasAgreed = true));
      }
    };
  }

  private watch(socket: Socket | null): void {
    const port = socket?.localPort;
    if (socket !== null && port !== undefined) {
      // An alert of an earlier socket on this port is obsolete.
      this.alerts.delete(port);
      socket.on("error", (error: NodeJS.ErrnoException) => {
        if (error.code?.includes("ALERT") === true) {
          this.alerts.set(port, error);
        }
      });
      tidyHeads(socket);
    }
  }

  private connectFirst(...[options, callback]: Parameters<Connector>): void {
    const opening = this.opening ?? Promise.resolve(null);
    this.opening = undefined;
    void opening.then((socket) => {
      // undici omits the socket if there was an error.
      if (socket?.destroyed === false) {
        socket.off("data", refuse).setTimeout(0, refuse).pause().ref();
        callback(null, socket);
      } else {
        this.connect(options, callback);
      }
    });
  }
}

class Exchange implements Undici.Dispatcher.DispatchHandler {
  private phase: RequestPhase = "connect";
  private controller: Undici.Dispatcher.DispatchController | undefined;
  private isOpen = true;
  private readonly limit: TimeLimit;
  private grace: TimeLimit | undefined;
  private readonly body = new Readable({
    read: () => this.controller?.resume(),
    destroy: (error, callback) => {
      // Creating an error is slow, so it is skipped for responses that were read to the end.
      if (this.isOpen) {
        this.fail("cancelled", error ?? new Error("the response was not read to the end"));
      }
      callback(error);
    },
  });

  constructor(
    private readonly limits: ExchangeLimits,
    private readonly causeOf: (error: Error) => Error,
    private readonly begun: (response: WireResponse) => void,
    private readonly failed: (failure: ExchangeFailure) => void,
  ) {
    const { timeoutMilliseconds, signal } = limits;
    this.limit = new TimeLimit(timeoutMilliseconds, () => this.fail("timeout", new Error("timed out")));
    // Without a reader, a failure must not crash the process.
    this.body.on("error", () => undefined);
    signal?.addEventListener("abort", this.onAbort, { once: true });
    if (signal?.aborted === true) {
      this.onAbort();
    }
  }

  onRequestStart(controller: Undici.Dispatcher.DispatchController): void {
    // undici calls this right before it writes. A failed exchange is not written, and an exchange is never
    // written twice.
    if (!this.isOpen || this.phase !== "connect") {
      controller.abort(new Error("over"));
      return;
    }
    this.controller = controller;
    this.phase = "headers";
  }

  onResponseStart(
    _controller: Undici.Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (status < 200 || !this.isOpen) {
      return;
    }
    this.phase = "body";
    if (this.limits.endless) {
      this.limit.clear();
    }
    const joined = Object.entries(headers).map(([name, value]) => [name, [value].flat().join(", ")]);
    this.begun({ status, headers: Object.fromEntries(joined) as WireResponse["headers"], body: this.body });
  }

  onResponseData(controller: Undici.Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.isOpen && !this.body.push(chunk)) {
      controller.pause();
    }
  }

  onResponseEnd(): void {
    if (this.isOpen) {
      this.isOpen = false;
      this.cleanUp();
      this.body.push(null);
    }
  }

  onResponseError(_controller: Undici.Dispatcher.DispatchController, error: Error): void {
    this.fail("connection", this.causeOf(error));
  }

  private readonly onAbort = (): void => {
    const { graceMilliseconds = 0 } = this.limits;
    if (this.phase === "connect" || graceMilliseconds === 0) {
      this.cancel();
    } else {
      this.grace = new TimeLimit(graceMilliseconds, this.cancel);
    }
  };

  private readonly cancel = (): void => this.fail("cancelled", new Error("cancelled"));

  private fail(kind: ExchangeFailure["kind"], cause: Error): void {
    if (!this.isOpen) {
      return;
    }
    const failure = new ExchangeFailure(kind, this.phase, cause);
    this.isOpen = false;
    this.cleanUp();
    this.controller?.abort(failure);
    this.failed(failure);
    this.body.destroy(failure);
  }

  private cleanUp(): void {
    this.limit.clear();
    this.grace?.clear();
    this.limits.signal?.removeEventListener("abort", this.onAbort);
  }
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

/**
 * The alert for a missing client certificate is the same as for missing ciphers, but is sent after the key
 * exchange.
 */
function withoutAgreement(error: Error & { readonly code?: string }): Error {
  return error.code?.includes("ALERT_HANDSHAKE_FAILURE") === true
    ? Object.assign(error, { code: "NO_SHARED_CIPHER" })
    : error;
}

function refuse(this: Socket): void {
  this.destroy();
}

/** Loaded with the first transport. Bun replaces "undici" with a shim that has no dispatch. */
const undici = (): typeof Undici => require("undici/index.js") as typeof Undici;
