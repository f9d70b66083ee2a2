import { rightsFor } from "./rights";
import { isProduct } from "../base/settings";
import { advisedOtherwise } from "../base/errors";
import { path } from "../base/path";
import type { ResponseStream, Transport } from "../http/transport";
import type { Caller } from "../base/caller";
import type { ServiceProtocol, LoginProtocol } from "../connection/service";
import { malformed } from "./decoder";
import {
  explainSilence,
  isRefusal,
  type SchedulerClientSettings,
  type Silence,
  type Subscription,
  summary,
} from "./refusal";
import { Translation } from "./subscription";

export class SchedulerClient {
  constructor(
    private readonly transport: Transport,
    readonly caller: Caller,
    readonly settings: SchedulerClientSettings,
  ) {}

  /**
   * @throws the errors of {@link Transport.stream}; a rejection names the permissions that the subscription
   * requires
   */
  async openEventStream(
    { topics, namespace = this.settings.namespace }: Subscription,
    index: number | bigint,
    signal: AbortSignal,
  ): Promise<ResponseStream> {
    const stream = await this.transport
      .stream({
        summary,
        method: "GET",
        path: path`/event/stream`,
        query: {
          index: String(index),
          namespace,
          topic: new Translation(topics, this.settings.dialect).wireTopics,
        },
        idempotent: true,
        signal,
        progress: this.caller.progress,
      })
      .catch((error: unknown) => {
        throw isRefusal(error)
          ? advisedOtherwise(error, `${error.advice ?? ""} ${rightsFor(topics, namespace)}`.trim())
          : error;
      });
    const encoding = stream.headers["content-encoding"] ?? "identity";
    if (encoding !== "identity") {
      stream.close();
      throw malformed(`expected no content encoding, got ${encoding}`);
    }
    return stream;
  }

  /** @throws the errors of {@link explainSilence} */
  whySilent(subscription: Subscription, signal: AbortSignal): Promise<Silence> {
    return explainSilence(this.transport, this.settings, subscription, { ...this.caller, signal });
  }
}

/** Nomad cannot renew such a token, and the token cannot revoke itself. */
const login: LoginProtocol = {
  request: ({ method: AuthMethodName = "", jwt: LoginToken = "" }) => ({
    method: "POST",
    path: path`/acl/login`,
    body: { AuthMethodName, LoginToken },
  }),

  grantIn({ SecretID: token, CreateTime, ExpirationTime }) {
    // Both times are from the scheduler's clock, which might differ from this machine's.
    const life = Date.parse(String(ExpirationTime)) - Date.parse(String(CreateTime));
    const seconds = Number.isNaN(life) ? 0 : Math.max(1, Math.floor(life / 1000));
    return { token, seconds };
  },

  lookUp: { method: "GET", path: path`/acl/token/self` },
};

export const schedulerProtocol: ServiceProtocol<SchedulerClient> = {
  // Nomad releases before 1.3.2 do not support the other header.
  authenticationHeader:
    ({ dialect }) =>
    (token): Readonly<Record<string, string>> =>
      isProduct[dialect] ? { "x-nomad-token": token } : { authorization: `Bearer ${token}` },
  login: () => login,
  // The event stream always exists.
  saysAbsence: () => false,
  clients: (transport, settings) => (caller) => new SchedulerClient(transport, caller, settings),
};
