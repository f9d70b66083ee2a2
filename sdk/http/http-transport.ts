import { attemptCall, attemptStream } from "./attempt";
import type { AttemptFailure } from "./attempt-failure";
import type { Connection } from "./connection";
import { requestCancelled } from "../base/errors";
import type { Turn } from "./limiter";
import { describeRequest } from "./request";
import { decideRetry, type RetryDecision, type RetryQuestion } from "./retry";
import type { HttpResponse, Operation, ResponseStream, Transport } from "./transport";

/** The transport over a connection. */
export class HttpTransport implements Transport {
  constructor(private readonly connection: Connection) {}

  async send(operation: Operation): Promise<HttpResponse> {
    return new Call(this.connection, operation).response();
  }

  async stream(operation: Operation): Promise<ResponseStream> {
    return new Call(this.connection, operation).stream();
  }
}

/** One call with all its attempts. */
class Call {
  private attempts = 0;
  private readonly retries = { rateLimited: 0, other: 0 };
  private waitedMilliseconds = 0;
  // An earlier attempt may have been processed even if the last one was not.
  private mayHaveBeenProcessed = false;

  constructor(
    private readonly connection: Connection,
    private readonly operation: Operation,
  ) {}

  async response(): Promise<HttpResponse> {
    for (;;) {
      const ended = await this.attempt();
      if ("result" in ended) {
        return ended.result;
      }
      const { failed, decision } = ended;
      if (!decision.retry) {
        throw this.conclude(failed, decision.exhausted);
      }
      this.operation.progress?.(decision.reason);
      if (!decision.everybodyWaits) {
        const { runtime } = this.connection;
        await this.cancellable(runtime.sleep(decision.delayMilliseconds, this.operation.signal));
      }
    }
  }

  async stream(): Promise<ResponseStream> {
    const turn = await this.turn();
    try {
      const outcome = await attemptStream(this.connection, this.operation);
      if ("result" in outcome) {
        return outcome.result;
      }
      this.mayHaveBeenProcessed = outcome.failed.mayHaveBeenProcessed;
      throw this.conclude(outcome.failed, false);
    } finally {
      turn.end();
    }
  }

  /** Makes an attempt in its turn. A pause that it causes starts before the next turn. */
  private async attempt(): Promise<
    { readonly result: HttpResponse } | { readonly failed: AttemptFailure; readonly decision: RetryDecision }
  > {
    const { limiter } = this.connection;
    const turn = await this.turn();
    try {
      this.attempts++;
      const outcome = await attemptCall(this.connection, this.operation, this.attempts);
      if ("result" in outcome) {
        limiter.succeeded();
        return outcome;
      }
      const { failed } = outcome;
      this.mayHaveBeenProcessed ||= failed.mayHaveBeenProcessed;
      const decision = this.decide(failed);
      if (decision.retry && decision.everybodyWaits) {
        limiter.pause(decision.delayMilliseconds);
      }
      return { failed, decision };
    } finally {
      turn.end();
    }
  }

  private decide({ failure, sent, headers }: AttemptFailure): RetryDecision {
    const { maxRetries, runtime, reached } = this.connection;
    const { idempotent, method } = this.operation;
    const question: RetryQuestion = {
      idempotent,
      pureRead: idempotent && method === "GET",
      sent,
      failure,
      headers,
      retries: { ...this.retries },
      maxRetries,
      everReached: reached,
      waitedMilliseconds: this.waitedMilliseconds,
      random: runtime.random(),
      now: runtime.date(),
    };
    this.retries[failure.kind === "status" && failure.status === 429 ? "rateLimited" : "other"]++;
    const decision = decideRetry(question);
    this.waitedMilliseconds += decision.retry ? decision.delayMilliseconds : 0;
    return decision;
  }

  private turn(): Promise<Turn> {
    const again = this.attempts > 0;
    const { signal, progress } = this.operation;
    // For a retry, the progress has just been shown.
    return this.cancellable(
      this.connection.limiter.turn({ again, signal, progress: again ? undefined : progress }),
    );
  }

  private async cancellable<Value>(waiting: Promise<Value>): Promise<Value> {
    try {
      return await waiting;
    } catch (error) {
      if (this.operation.signal?.aborted !== true) {
        throw error;
      }
      const request = describeRequest(this.connection, this.operation);
      throw requestCancelled({ request, mayHaveBeenProcessed: this.mayHaveBeenProcessed });
    }
  }

  private conclude(failed: AttemptFailure, exhausted: boolean): Error {
    return failed.toError({ mayHaveBeenProcessed: this.mayHaveBeenProcessed, exhausted });
  }
}
