import { isProduct } from "../base/settings";
import { advisedOtherwise, ServiceError, TriviumError } from "../base/errors";
import { path } from "../base/path";
import type { ResponseStream, Transport } from "../http/transport";
import type { Caller } from "../base/caller";
import type { ResolvedSettings } from "../connection/resolve";
import type { ServiceProtocol, LoginProtocol } from "../connection/service";
import { malformed } from "./decoder";
import { topicFilter, Translation } from "./subscription";

export interface Subscription {
  /** `"Node"` or `"Deployment:web"`; everything if absent. */
  readonly topics?: readonly string[] | undefined;
  /** `*` for all; the namespace of the connection if absent. */
  readonly namespace?: string | undefined;
}

export type SchedulerClientSettings = Pick<ResolvedSettings, "namespace" | "maxRetries" | "dialect">;

const summary = "follow the scheduler's events";

export class SchedulerClient {
  constructor(
    private readonly transport: Transport,
    readonly caller: Caller,
    readonly settings: SchedulerClientSettings,
  ) {}

  /** @throws as {@link Transport.stream}; a rejection names the permissions that the subscription requires */
  async openEventStream(
    { topics, namespace = this.settings.namespace }: Subscription,
    index: number,
    signal: AbortSignal,
  ): Promise<ResponseStream> {
    const stream = await this.transport
      .stream({
        summary,
        method: "GET",
        path: path`/event/stream`,
        query: { index, namespace, topic: new Translation(topics, this.settings.dialect).wireTopics },
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

  /** Newer schedulers check the token after they have started to respond, and then close the connection. */
  silentRefusal({ topics, namespace = this.settings.namespace }: Subscription): TriviumError {
    return new TriviumError(
      `Could not ${summary}: the scheduler accepted several connections and closed each without a response.`,
      { advice: `Some releases reject a token in this way. ${rightsFor(topics, namespace)}` },
    );
  }
}

/** Nomad neither renews such a token nor lets it revoke itself. */
const login: LoginProtocol = {
  request: ({ method: AuthMethodName = "", jwt: LoginToken = "" }) => ({
    method: "POST",
    path: path`/acl/login`,
    body: { AuthMethodName, LoginToken },
  }),

  grantIn({ SecretID: token, CreateTime, ExpirationTime }) {
    // Both times are from the scheduler's clock, which may differ from ours.
    const life = Date.parse(String(ExpirationTime)) - Date.parse(String(CreateTime));
    const seconds = Number.isNaN(life) ? 0 : Math.max(1, Math.floor(life / 1000));
    return { token, seconds };
  },

  lookUp: { method: "GET", path: path`/acl/token/self` },
};

export const schedulerProtocol: ServiceProtocol<SchedulerClient> = {
  // Releases of Nomad before 1.3.2 do not support the other header.
  authenticationHeader:
    ({ dialect }) =>
    (token): Readonly<Record<string, string>> =>
      isProduct[dialect] ? { "x-nomad-token": token } : { authorization: `Bearer ${token}` },
  login: () => login,
  clients: (transport, settings) => (caller) => new SchedulerClient(transport, caller, settings),
};

/** Some schedulers reject a subscription with a server error. */
export function isRefusal(error: unknown): error is ServiceError {
  return (
    ServiceError.isInstance(error) &&
    (error.status === 401 ||
      error.status === 403 ||
      (error.status === 500 && error.messages.some((text) => /permission denied/i.test(text))))
  );
}

const jobTopics = ["Job", "Allocation", "Deployment", "Evaluation"];
const nodeTopics = ["Node", "NodeDrain"];

export function rightsFor(topics: readonly string[] | undefined, namespace: string | undefined): string {
  const names = (topics ?? ["*"]).map((topic) => topicFilter(topic).name);
  const needed: string[] = [];
  if (names.some((name) => nodeTopics.includes(name))) {
    needed.push("node:read for nodes");
  }
  if (names.some((name) => jobTopics.includes(name))) {
    const where = namespace === "*" ? "in all namespaces" : `in the namespace ${namespace ?? "default"}`;
    needed.push(`namespace:read-job ${where} for jobs, allocations, deployments and evaluations`);
  }
  const others = names.filter((name) => !nodeTopics.includes(name) && !jobTopics.includes(name));
  if (others.length > 0) {
    needed.push(`a management token for ${others.includes("*") ? "all topics" : others.join(", ")}`);
  }
  const everywhere =
    namespace === "*"
      ? ' The namespace "*" requires a management token, or a policy for all namespaces.'
      : "";
  return `This subscription requires ${needed.join("; ")}.${everywhere} If one topic is not allowed, the whole subscription is rejected.`;
}
