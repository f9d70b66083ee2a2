import { Duplex, PassThrough, pipeline, Readable } from "node:stream";
import { isError } from "../base/errors";
import { ExchangeFailure, type WireResponse } from "./sockets";

/** Loaded with the first compressed response. */
const zlib = () => require("node:zlib") as typeof import("node:zlib");

/** Each decoder writes its output at once, because a stream of events can pause. */
function decoderOf(encoding: string): Duplex | undefined {
  const { constants, createBrotliDecompress, createGunzip } = zlib();
  const flushBrotli = constants.BROTLI_OPERATION_FLUSH;
  switch (encoding) {
    case "identity":
    case "":
      return new PassThrough();
    case "gzip":
    case "x-gzip":
      return createGunzip(atOnce());
    case "deflate":
      return Duplex.from(inflated);
    case "br":
      return createBrotliDecompress({ flush: flushBrotli, finishFlush: flushBrotli });
    default:
      return undefined;
  }
}

function atOnce() {
  const flush = zlib().constants.Z_SYNC_FLUSH;
  return { flush, finishFlush: flush };
}

/** Some servers omit the header that the standard requires, whose first byte names the method 8. */
async function* inflated(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const { createInflate, createInflateRaw } = zlib();
  const chunks = source[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done === true) {
    return;
  }
  const begin = first.value;
  async function* whole(): AsyncGenerator<Buffer> {
    yield begin;
    yield* { [Symbol.asyncIterator]: () => chunks };
  }
  const decoder = ((begin[0] ?? 0) & 15) === 8 ? createInflate(atOnce()) : createInflateRaw(atOnce());
  yield* pipeline(whole, decoder, () => undefined) as AsyncIterable<Buffer>;
}

/**
 * Some gateways compress without being asked. A body that cannot be decoded stays unchanged, with its header.
 */
export function decoded(response: WireResponse): WireResponse {
  const { "content-encoding": encodings, ...headers } = response.headers;
  // Encodings are listed in the order in which they were applied.
  const decoders = (encodings?.split(",") ?? []).map((each) => decoderOf(each.trim().toLowerCase()));
  const usable = decoders.filter((decoder) => decoder !== undefined);
  if (usable.length === 0 || usable.length < decoders.length) {
    return response;
  }
  const last = usable.toReversed().reduce<Readable>((source, decoder) => {
    pipeline(source, decoder, () => undefined);
    return decoder;
  }, response.body);
  const body = Readable.from(failingAsExchange(last), { objectMode: false });
  body.on("error", () => undefined).on("close", () => response.body.destroy());
  return { ...response, headers, body };
}

async function* failingAsExchange(body: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* body as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw error instanceof ExchangeFailure || !isError(error)
      ? error
      : new ExchangeFailure("connection", "body", error);
  }
}
