import { createHmac } from "node:crypto";
import { once } from "node:events";
import { request as requestHttp, type IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import { StringDecoder } from "node:string_decoder";
import { codeOf, messageOf } from "../../base/errors";
import { timerMilliseconds } from "../../base/timing";
import type { EmulatorClock } from "../clock";
import { verificationBody } from "./notification-bodies";
import type { DeliveryResponse, NotificationConfigurationRecord, NotificationDelivery } from "./types";
import type { ProvisioningTraits } from "./traits";

export interface ReceiverOptions {
  /** Milliseconds of real time. */
  readonly timeout: number;
  /** PEM; `undefined` for the authorities that Node trusts. */
  readonly certificateAuthority: string | undefined;
}

export interface Verification {
  /** The response, whatever its status; absent if no request was needed or there was no response. */
  readonly response?: DeliveryResponse;
  /** Why the configuration cannot be enabled. */
  readonly failure?: string;
}

/** Header names are in lower case, and `body` is only the beginning. */
type Receipt = Pick<DeliveryResponse, "headers" | "body"> & { readonly status: number };

type Target = Pick<NotificationConfigurationRecord, "id" | "name" | "destinationType" | "url" | "token">;

const longestBody = 4 * 1024;

const reasons: ReadonlyMap<string, string> = new Map([
  ["ECONNREFUSED", "connection refused"],
  ["ECONNRESET", "the connection was closed before a response"],
  ["ENOTFOUND", "the host name is unknown"],
  ["EAI_AGAIN", "the host name is unknown"],
]);

/** Reports failures as results; nothing here throws. */
export class Notifier {
  constructor(
    private readonly receivers: ReceiverOptions,
    private readonly clock: EmulatorClock,
    private readonly ended: AbortSignal,
    private readonly traits: ProvisioningTraits,
  ) {}

  /** Succeeds without a request for email and for a configuration without a URL. */
  async verify(target: Target): Promise<Verification> {
    const { url } = target;
    if (target.destinationType === "email" || url === null) {
      return {};
    }
    const now = new Date(this.clock.now()).toISOString().replace(/\..*$/, "");
    const sentAt = this.traits.timesHaveOffset ? `${now}+00:00` : `${now.replace("T", " ")} UTC`;
    const receipt = await this.post(target, url, verificationBody(target));
    if (typeof receipt === "string") {
      return { failure: receipt };
    }
    const { status, headers, body } = receipt;
    const successful = status >= 200 && status < 300;
    const response = { url, body, code: String(status), headers, sentAt, successful: String(successful) };
    return { response, ...(successful ? {} : { failure: `HTTP ${status}` }) };
  }

  async deliver(target: Target, url: string, body: unknown): Promise<NotificationDelivery> {
    const receipt = await this.post(target, url, body);
    const failed = typeof receipt === "string";
    return {
      notificationConfigurationId: target.id,
      status: failed ? null : receipt.status,
      failure: failed ? receipt : null,
    };
  }

  /** Does not follow redirects. @returns the response, or the reason why there is none */
  private async post(
    { destinationType, token }: Target,
    url: string,
    content: unknown,
  ): Promise<Receipt | string> {
    const { timeout } = this.receivers;
    const body = JSON.stringify(content);
    const signatureHeader = this.traits.signature;
    const headers: Record<string, string> =
      destinationType === "generic" && token !== null
        ? { [signatureHeader]: createHmac("sha512", token).update(body).digest("hex") }
        : {};
    const expiry = AbortSignal.timeout(timerMilliseconds(timeout / 1_000));
    try {
      return await this.exchange(url, body, headers, AbortSignal.any([this.ended, expiry]));
    } catch (error) {
      if (this.ended.aborted) {
        return reasonOf(this.ended.reason);
      }
      return expiry.aborted ? `no response within ${timeout / 1_000} s` : reasonOf(error);
    }
  }

  private async exchange(
    url: string,
    body: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Receipt> {
    const { certificateAuthority } = this.receivers;
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
    // Once a response has begun, errors surface when it is read.
    request.on("error", () => undefined);
    request.on("socket", (socket) => socket.unref());
    const responded = once(request, "response") as Promise<[IncomingMessage]>;
    request.end(body);
    const [response] = await responded;
    const received = Object.entries(response.headersDistinct).map(([name, values = []]) => [name, values]);
    return {
      status: response.statusCode ?? 0,
      headers: Object.fromEntries(received) as Receipt["headers"],
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
  // The decoder drops an incomplete character at the end.
  return new StringDecoder("utf8").write(Buffer.concat(chunks).subarray(0, longestBody));
}

function reasonOf(error: unknown): string {
  return reasons.get(codeOf(error)) ?? messageOf(error);
}
