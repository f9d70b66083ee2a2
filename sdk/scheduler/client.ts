import type { Dialect } from "../base/settings";
import { ContractError, type TriviumError } from "../base/errors";
import { path } from "../base/path";
import type { AnswerStream, Transport } from "../http/transport";
import type { Caller } from "../base/caller";
import type { ServiceProtocol } from "../connection/service";
import { type SchedulerDialect, schedulerDialects } from "./dialect";
import { silentRefusal, withRights } from "./refusal";
import { Translation } from "./translation";

/** What a reader of the event stream wants to get. */
export interface Subscription {
  /** `"Node"` or `"Deployment:web"`; everything when absent. */
  readonly topics?: readonly string[] | undefined;
  /** `*` for all; the connection's own when absent. */
  readonly namespace?: string | undefined;
}

/** What a connection's settings mean to its client. */
export interface SchedulerClientSettings {
  /** The namespace that is meant when nobody names one. */
  readonly namespace?: string | undefined;
  /** How often a first connection is tried again that fails. Default: 5. */
  readonly maxRetries?: number | undefined;
  /** Default: documented. */
  readonly dialect?: Dialect | undefined;
}

const summary = "follow the scheduler's events";

/** The scheduler's interface: its event stream. */
export class SchedulerClient {
  readonly maxRetries: number;
  /** How this scheduler speaks. */
  readonly dialect: SchedulerDialect;
  private readonly namespace: string | undefined;

  constructor(
    private readonly transport: Transport,
    readonly caller: Caller,
    { namespace, maxRetries = 5, dialect = "documented" }: SchedulerClientSettings,
  ) {
    this.namespace = namespace;
    this.maxRetries = maxRetries;
    this.dialect = schedulerDialects[dialect];
  }

  /** How this scheduler says what a subscription asks for. */
  translationFor({ topics }: Subscription): Translation {
    return new Translation(topics, this.dialect);
  }

  /**
   * Opens the event stream once.
   *
   * @param index where to begin
   * @throws as {@link Transport.stream}; a refusal says which rights the subscription needs
   */
  async openEventStream(
    { topics, namespace = this.namespace }: Subscription,
    index: number,
    signal: AbortSignal,
  ): Promise<AnswerStream> {
    const stream = await this.transport
      .stream({
        summary,
        method: "GET",
        path: path`/event/stream`,
        query: { index, namespace, topic: this.translationFor({ topics }).wireTopics },
        idempotent: true,
        signal,
        progress: this.caller.progress,
      })
      .catch((error: unknown) => {
        throw withRights(error, topics, namespace);
      });
    const encoding = stream.headers["content-encoding"] ?? "identity";
    if (encoding !== "identity") {
      stream.close();
      throw this.malformed(`it comes in the encoding ${encoding}, which was not asked for`);
    }
    return stream;
  }

  /** The stream was accepted again and again, and closed each time without a byte. */
  silentRefusal({ topics, namespace = this.namespace }: Subscription): TriviumError {
    return silentRefusal(summary, topics, namespace);
  }

  /** What came over the stream is not as documented. */
  malformed(problem: string, hint?: string): ContractError {
    return new ContractError({ request: "GET /event/stream", problem, hint });
  }
}

/** How the scheduler is spoken to. */
export const schedulerProtocol: ServiceProtocol<SchedulerClient> = {
  authenticationHeader: ({ dialect }) => schedulerDialects[dialect].authenticationHeader,
  clients: (transport, settings) => (caller) => new SchedulerClient(transport, caller, settings),
};
