import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { BrokenConnection, jsonAnswer, textAnswer, type Answer, type Service } from "./answer";
import type { EmulatorClock } from "./clock";
import { toMilliseconds } from "./duration";
import type { FaultInjector, Strike } from "./fault-injector";
import type { DelayFault, FaultMoment, StatusFault } from "./faults";
import type { OpenRequest, RequestJournal } from "./journal";
import type { ServiceName } from "./dialect";
import type { Caller, Tokens } from "./tokens";

/** What the handling of a request shares with all others, of whichever service. */
export interface SharedByServices {
  readonly journal: RequestJournal;
  readonly faults: FaultInjector;
  readonly clock: EmulatorClock;
  /** Changes with every reset: a request from before must not touch the state after. */
  readonly generation: () => number;
}

/** What the handling of a request needs to know. */
export interface ExchangeParts<Rights> extends SharedByServices {
  readonly name: ServiceName;
  readonly service: Service<Rights>;
  /** Asked at each request: the port is known only once the server listens. */
  readonly address: () => string;
  readonly tokens: Tokens<Rights>;
}

const longestBody = 16 * 1024 * 1024;

class BodyTooLarge extends Error {}

/** One request: received, noted, struck by faults, applied, answered. Never throws. */
export class Exchange<Rights> {
  private readonly entry: OpenRequest;
  private readonly caller: Caller<Rights> | undefined;
  private readonly generation: number;

  constructor(
    private readonly parts: ExchangeParts<Rights>,
    private readonly message: IncomingMessage,
    private readonly response: ServerResponse,
  ) {
    const { headers, method = "", url: target = "" } = message;
    this.generation = parts.generation();
    this.caller = parts.tokens.find(parts.service.tokenOf(headers));
    const caller = this.caller?.name ?? null;
    this.entry = parts.journal.open({ service: parts.name, method, target, headers, caller });
    response.once("close", () => this.entry.ended());
    // A client that goes away while its response is written is none of the emulator's business.
    response.on("error", () => undefined);
  }

  async run(): Promise<void> {
    try {
      const body = await this.readBody();
      this.entry.receivedBody(body);
      const strikes = this.parts.faults.strike(this.entry.request);
      for (const { description } of strikes) {
        this.entry.hitBy(description);
      }
      if ((await this.strikes("before", strikes)) === "goes on") {
        const answer = await this.process(body);
        if ((await this.strikes("after", strikes, answer)) === "goes on") {
          this.send(answer);
        }
      }
    } catch (error) {
      this.failed(error);
    }
  }

  private async readBody(): Promise<string | undefined> {
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of this.message as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length <= longestBody) {
        chunks.push(chunk);
      }
    }
    if (length > longestBody) {
      throw new BodyTooLarge();
    }
    return length === 0 ? undefined : Buffer.concat(chunks).toString("utf8");
  }

  private async process(body: string | undefined): Promise<Answer> {
    const { service, address } = this.parts;
    const { method, path, target } = this.entry.request;
    const { headers } = this.message;
    const query = new URLSearchParams(target.slice(path.length));
    const request = { method, path, query, headers, body, address: address() };
    return this.caller === undefined
      ? service.unauthorized(request)
      : service.respond({ ...request, caller: this.caller });
  }

  /** Lets the faults strike that are due at this moment. `answer` is what the service said, once it has. */
  private async strikes(
    moment: FaultMoment,
    strikes: readonly Strike[],
    answer?: Answer,
  ): Promise<"goes on" | "is over"> {
    for (const { fault, removed } of strikes) {
      if ("latency" in fault && moment === "before") {
        await sleep(toMilliseconds(fault.latency), undefined, { ref: false });
      } else if ("delay" in fault && (fault.when ?? "before") === moment) {
        if (!(await this.stall(fault, removed))) {
          return this.cut();
        }
      } else if ("drop" in fault && fault.drop === moment) {
        return this.cut();
      } else if ("status" in fault && (fault.when ?? "before") === moment) {
        return this.send(answerOf(fault));
      } else if ("truncate" in fault && answer !== undefined) {
        return this.sendHalf(answer);
      }
    }
    return this.generation === this.parts.generation() ? "goes on" : this.cut();
  }

  /** @returns whether the request goes on */
  private async stall({ delay }: DelayFault, removed: AbortSignal): Promise<boolean> {
    const removal = removed.aborted ? Promise.resolve() : once(removed, "abort");
    if (delay === "forever") {
      await Promise.race([removal, once(this.response, "close")]);
      return false;
    }
    return Promise.race([this.parts.clock.wait(toMilliseconds(delay)), removal.then(() => true)]);
  }

  private send(answer: Answer): "is over" {
    if (this.message.socket.destroyed) {
      return this.cut();
    }
    this.entry.answered(answer.status);
    this.response.writeHead(answer.status, this.headersOf(answer));
    if (answer.stream !== undefined) {
      this.response.flushHeaders();
      answer.stream(this.response);
      return "is over";
    }
    this.entry.ended();
    this.response.end(hasBody(answer) ? answer.body : undefined);
    return "is over";
  }

  private sendHalf(answer: Answer): "is over" {
    const body = Buffer.from(hasBody(answer) ? (answer.body ?? "") : "");
    if (body.length < 2) {
      return this.cut();
    }
    this.entry.ended();
    this.response.writeHead(answer.status, this.headersOf(answer));
    this.response.write(body.subarray(0, body.length / 2), () => this.message.socket.destroy());
    return "is over";
  }

  private headersOf(answer: Answer): Record<string, string | number> {
    const length = hasBody(answer) ? Buffer.byteLength(answer.body ?? "") : 0;
    const sized = answer.stream === undefined && answer.status !== 204 && answer.status !== 304;
    const date = new Date(this.parts.clock.now());
    const dated = Object.keys(answer.headers ?? {}).some((name) => name.toLowerCase() === "date");
    return {
      ...(dated || Number.isNaN(date.getTime()) ? {} : { Date: date.toUTCString() }),
      ...answer.headers,
      ...(sized ? { "Content-Length": length } : {}),
    };
  }

  private cut(): "is over" {
    this.entry.ended();
    this.message.socket.destroy();
    return "is over";
  }

  private failed(error: unknown): void {
    const isOver = this.message.socket.destroyed || this.response.headersSent;
    if (isOver || error instanceof BrokenConnection) {
      this.cut();
      return;
    }
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.send(
      error instanceof BodyTooLarge
        ? textAnswer(413, "The body is larger than 16 MiB.")
        : textAnswer(500, `The emulator failed: ${reason}`),
    );
  }
}

function answerOf(fault: StatusFault): Answer {
  const { status, body, headers = {} } = fault;
  if (body === undefined) {
    return { status, headers };
  }
  const answer =
    typeof body === "string"
      ? { headers: { "Content-Type": body.startsWith("<") ? "text/html" : "text/plain" }, body }
      : jsonAnswer(status, body);
  const own = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const implied = Object.entries(answer.headers ?? {}).filter(([name]) => !own.has(name.toLowerCase()));
  return { status, headers: { ...Object.fromEntries(implied), ...headers }, body: answer.body ?? "" };
}

function hasBody({ status, body }: Answer): boolean {
  return body !== undefined && status !== 204 && status !== 304;
}
