import { once } from "node:events";
import { request as requestHttp, type IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import { StringDecoder } from "node:string_decoder";

/** How to reach the receivers of notifications. */
export interface ReceiverOptions {
  /** How long one may take to respond, in milliseconds of real time. */
  readonly timeout: number;
  /** PEM text; `undefined` for the authorities that Node trusts. */
  readonly certificateAuthority: string | undefined;
}

/** What a receiver returned. */
export interface Receipt {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  /** Its beginning. */
  readonly body: string;
}

/** There was no response; the message says why. */
export class NoReceipt extends Error {}

const longestBody = 4 * 1024;

const reasons: ReadonlyMap<string, string> = new Map([
  ["ECONNREFUSED", "connection refused"],
  ["ECONNRESET", "the connection was closed before a response"],
  ["ENOTFOUND", "the host name is unknown"],
  ["EAI_AGAIN", "the host name is unknown"],
]);

/** Sends to the receivers of notifications. */
export class Receivers {
  private readonly underWay = new Set<AbortController>();

  constructor(private readonly options: ReceiverOptions) {}

  /**
   * One POST of JSON; redirects are not followed.
   *
   * @throws NoReceipt when there is no complete response in time
   */
  async post(url: string, body: string, headers: Readonly<Record<string, string>>): Promise<Receipt> {
    const { timeout } = this.options;
    const end = new AbortController();
    const timer = setTimeout(() => {
      end.abort(new NoReceipt(`no response within ${timeout / 1_000} s`));
    }, timeout);
    // An emulator that was closed must not keep a finished test run alive.
    timer.unref();
    this.underWay.add(end);
    try {
      return await this.exchange(url, body, headers, end.signal);
    } catch (error) {
      throw end.signal.reason instanceof NoReceipt
        ? end.signal.reason
        : new NoReceipt(reasonOf(error), { cause: error });
    } finally {
      clearTimeout(timer);
      this.underWay.delete(end);
    }
  }

  /** Gives up all that is under way. */
  abandon(): void {
    for (const delivery of this.underWay) {
      delivery.abort(new NoReceipt("the emulator was reset"));
    }
  }

  private async exchange(
    url: string,
    body: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Receipt> {
    const { certificateAuthority } = this.options;
    const target = new URL(url);
    const send = target.protocol === "https:" ? requestHttps : requestHttp;
    const request = send(target, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        "Content-Length": Buffer.byteLength(body),
        "User-Agent": "pulumi-trivium-emulator",
        ...headers,
      },
      agent: false,
      signal,
      ...(certificateAuthority === undefined ? {} : { ca: certificateAuthority }),
    });
    // Once there is a response, it alone tells how the rest goes.
    request.on("error", () => undefined);
    request.on("socket", (socket) => socket.unref());
    const responded = once(request, "response") as Promise<[IncomingMessage]>;
    request.end(body);
    const [response] = await responded;
    return {
      status: response.statusCode ?? 0,
      headers: Object.fromEntries(
        Object.entries(response.headersDistinct).map(([name, values = []]) => [name, values]),
      ),
      body: await readBeginning(response),
    };
  }
}

async function readBeginning(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= longestBody) {
      break;
    }
  }
  // The decoder keeps back a character that was cut in two.
  return new StringDecoder("utf8").write(Buffer.concat(chunks).subarray(0, longestBody));
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return reasons.get(code) ?? (error instanceof Error ? error.message : String(error));
}
