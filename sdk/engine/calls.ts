import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";

/**
 * Calls as gRPC makes them over HTTP/2, each with one request and one response. `@grpc/grpc-js` does much more and
 * takes 40 ms to load, for which every command of the CLI would wait.
 */

/** As large as a message of the engine may be. */
const largestMessage = 400 * 1024 * 1024;

/** Before each message: a byte that says whether it is compressed, and its length. */
const prefixLength = 5;

/** The states of gRPC that a server here answers with. */
const statuses = { ok: 0, unknown: 2, resourceExhausted: 8, unimplemented: 12 } as const;

/** What a call failed with, for its caller. */
export interface CallFailure {
  /** What may be shown. */
  readonly message: string;
  /** A `google.rpc.Status`, encoded. */
  readonly details?: Buffer;
}

/**
 * Answers one kind of call.
 *
 * @param signal is aborted when nobody waits for the response any more
 */
export type CallHandler = (request: Buffer, signal: AbortSignal) => Promise<Buffer>;

/**
 * A server that does not listen yet.
 *
 * @param handlerOf finds the handler of a path, `/package.Service/Method`; there is none for a method that is not implemented
 * @param failureOf converts what a handler has thrown
 */
export function callServer(
  handlerOf: (path: string) => CallHandler | undefined,
  failureOf: (error: unknown) => CallFailure,
): Http2Server {
  // The limits of Node.js are for strangers: with them, a large estate would lose calls.
  const unlimited = Number.MAX_SAFE_INTEGER;
  const server = createServer({ maxSendHeaderBlockLength: unlimited, maxSessionMemory: unlimited });
  server.on("stream", (stream, headers) => {
    // The caller has gone, who alone would want to know.
    stream.on("error", () => undefined);
    const path = headers[":path"] ?? "";
    const handler = handlerOf(path);
    if (handler === undefined) {
      fail(stream, statuses.unimplemented, { message: `The plugin does not implement ${path}.` });
    } else {
      answer(stream, headers, handler, failureOf);
    }
  });
  return server;
}

function answer(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  handler: CallHandler,
  failureOf: (error: unknown) => CallFailure,
): void {
  const controller = new AbortController();
  const chunks: Buffer[] = [];
  let length = 0;
  stream.once("aborted", () => controller.abort());
  stream.on("data", (chunk: Buffer) => {
    length += chunk.length;
    if (length <= largestMessage + prefixLength) {
      chunks.push(chunk);
    }
  });
  stream.once("end", () => {
    if (length > largestMessage + prefixLength) {
      const message = `A message of ${length} bytes is too large.`;
      fail(stream, statuses.resourceExhausted, { message });
      return;
    }
    const [only = Buffer.alloc(0), ...others] = chunks;
    const request = others.length === 0 ? only : Buffer.concat(chunks);
    if (request[0] !== 0) {
      const message = `Messages with the encoding ${String(headers["grpc-encoding"])} are not understood.`;
      fail(stream, statuses.unimplemented, { message });
      return;
    }
    // A handler may also throw before it returns a promise.
    void (async () => handler(request.subarray(prefixLength), controller.signal))().then(
      (response) => succeed(stream, response),
      (error: unknown) => fail(stream, statuses.unknown, failureOf(error)),
    );
  });
}

const responseHeaders = { ":status": 200, "content-type": "application/grpc+proto" };

function succeed(stream: ServerHttp2Stream, response: Buffer): void {
  if (stream.destroyed || stream.closed) {
    return;
  }
  stream.respond(responseHeaders, { waitForTrailers: true });
  stream.once("wantTrailers", () => stream.sendTrailers({ "grpc-status": String(statuses.ok) }));
  stream.end(framed(response));
}

function fail(stream: ServerHttp2Stream, status: number, { message, details }: CallFailure): void {
  if (stream.destroyed || stream.closed) {
    return;
  }
  const headers: OutgoingHttpHeaders = {
    ...responseHeaders,
    "grpc-status": String(status),
    "grpc-message": encodeURI(Buffer.from(message).toString()),
    ...(details === undefined ? {} : { "grpc-status-details-bin": details.toString("base64") }),
  };
  stream.respond(headers, { endStream: true });
}

function framed(message: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(prefixLength + message.length);
  frame[0] = 0;
  frame.writeUInt32BE(message.length, 1);
  message.copy(frame, prefixLength);
  return frame;
}

/** Calls whose responses say nothing: what does not arrive is lost. */
export class MessageSender {
  private session: ClientHttp2Session | undefined;
  /** The calls under way, which keep the process running. An idle connection does not. */
  private readonly streams = new Set<ClientHttp2Stream>();

  /** @param address host and port */
  constructor(private readonly address: string) {}

  /** @param path `/package.Service/Method` */
  send(path: string, message: Buffer): void {
    const session = this.connected();
    const headers = { ":method": "POST", ":path": path, "content-type": "application/grpc", te: "trailers" };
    const stream = session.request(headers);
    this.streams.add(stream);
    session.ref();
    stream.on("error", () => undefined);
    stream.once("close", () => {
      this.streams.delete(stream);
      if (this.streams.size === 0 && !session.destroyed) {
        session.unref();
      }
    });
    stream.resume();
    stream.end(framed(message));
  }

  private connected(): ClientHttp2Session {
    if (this.session === undefined || this.session.closed || this.session.destroyed) {
      this.session = connect(`http://${this.address}`);
      this.session.on("error", () => undefined);
    }
    return this.session;
  }
}
