import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { isError } from "../base/errors";
import { longestTimer } from "../base/timing";
import type { EmulatorClock } from "./clock";
import { toMilliseconds } from "./duration";
import { descriptionOf, type FaultInjector, type TriggeredFault } from "./faults";
import type { OpenRequest, RequestJournal } from "./journal";
import { BrokenConnection, textResponse, type Service, type ServiceResponse } from "./response";
import type { Caller } from "./tokens";
import type { DelayFault, FaultMoment, ServiceName, StatusFault } from "./types";

export interface SharedByServices {
  readonly journal: RequestJournal;
  readonly faults: FaultInjector;
  readonly clock: EmulatorClock;
}

export interface ExchangeParts<Rights> extends SharedByServices {
  readonly name: ServiceName;
  readonly service: Omit<Service<Rights>, "permissionsOf">;
  readonly address: string;
  /** Aborted by a reset, because a request that began before the reset must not get a response. */
  readonly ended: AbortSignal;
}

/** Handles one request, from receipt to response. Never throws. */
export class Exchange<Rights> {
  private readonly entry: OpenRequest;
  private readonly caller: Caller<Rights> | undefined;

  constructor(
    private readonly parts: ExchangeParts<Rights>,
    private readonly message: IncomingMessage,
    private readonly outgoing: ServerResponse,
  ) {
    const { headers, method = "", url: target = "" } = message;
    this.caller = parts.service.tokens.find(parts.service.tokenOf(headers));
    const caller = this.caller?.name ?? null;
    this.entry = parts.journal.open({ service: parts.name, method, target, headers, caller });
    outgoing.once("close", () => this.entry.ended());
    // A client that disconnects during the response is not an error.
    outgoing.on("error", () => undefined);
  }

  async run(): Promise<void> {
    try {
      const body = await this.readBody();
      this.entry.receivedBody(body);
      const triggered = this.parts.faults.trigger(this.entry.request);
      for (const { fault } of triggered) {
        this.entry.addFault(descriptionOf(fault));
      }
      if (!(await this.applyFaults("before", triggered))) {
        const response = await this.process(body);
        if (!(await this.applyFaults("after", triggered, response))) {
          this.send(response);
        }
      }
    } catch (error) {
      this.fail(error);
    }
  }

  private async readBody(): Promise<string | undefined> {
    const chunks: Buffer[] = [];
    for await (const chunk of this.message as AsyncIterable<Buffer>) {
      chunks.push(chunk);
    }
    return chunks.length === 0 ? undefined : Buffer.concat(chunks).toString("utf8");
  }

  private async process(body: string | undefined): Promise<ServiceResponse> {
    const { service, address } = this.parts;
    const { method, path, target } = this.entry.request;
    const { headers } = this.message;
    const query = new URLSearchParams(target.slice(path.length));
    const { caller } = this;
    return service.respond({ method, path, query, headers, body, address, caller });
  }

  /** @returns whether the exchange has ended */
  private async applyFaults(
    moment: FaultMoment,
    triggered: readonly TriggeredFault[],
    response?: ServiceResponse,
  ): Promise<boolean> {
    for (const { fault, removed } of triggered) {
      if ("latency" in fault && moment === "before") {
        await sleep(Math.min(toMilliseconds(fault.latency), longestTimer), undefined, { ref: false });
      } else if ("delay" in fault && (fault.when ?? "before") === moment) {
        if (!(await this.stall(fault, removed))) {
          return this.cut();
        }
      } else if ("drop" in fault && fault.drop === moment) {
        return this.cut();
      } else if ("status" in fault && (fault.when ?? "before") === moment) {
        return this.send(responseOf(fault));
      } else if ("truncate" in fault && response !== undefined) {
        return this.sendHalf(response);
      }
    }
    return this.parts.ended.aborted && this.cut();
  }

  /** @returns whether the request continues */
  private async stall({ delay }: DelayFault, removed: AbortSignal): Promise<boolean> {
    const removal = removed.aborted ? Promise.resolve() : once(removed, "abort");
    if (delay === "forever") {
      await Promise.race([removal, once(this.outgoing, "close")]);
      return false;
    }
    const end = new Promise<void>((resolve) => {
      this.parts.clock.after(toMilliseconds(delay), resolve);
    });
    await Promise.race([removal, end]);
    return true;
  }

  private send(response: ServiceResponse): true {
    if (this.message.socket.destroyed) {
      return this.cut();
    }
    this.entry.responded(response.status);
    this.writeHead(response);
    if (response.stream === undefined) {
      this.entry.ended();
      this.outgoing.end(bodyOf(response));
    } else {
      this.outgoing.flushHeaders();
      response.stream(this.outgoing);
    }
    return true;
  }

  private sendHalf(response: ServiceResponse): true {
    const body = Buffer.from(bodyOf(response));
    if (body.length < 2) {
      return this.cut();
    }
    this.entry.ended();
    this.writeHead(response);
    this.outgoing.write(body.subarray(0, body.length / 2), () => this.message.socket.destroy());
    return true;
  }

  private writeHead(response: ServiceResponse): void {
    const { status, stream, headers } = response;
    const date = new Date(this.parts.clock.now());
    if (!Number.isNaN(date.getTime())) {
      this.outgoing.setHeader("Date", date.toUTCString());
    }
    const isSized = stream === undefined && !bodiless.includes(status);
    const length = isSized ? { "Content-Length": Buffer.byteLength(bodyOf(response)) } : {};
    this.outgoing.writeHead(status, { ...headers, ...length });
  }

  private cut(): true {
    this.entry.ended();
    this.message.socket.destroy();
    return true;
  }

  private fail(error: unknown): void {
    if (this.message.socket.destroyed || this.outgoing.headersSent || error instanceof BrokenConnection) {
      this.cut();
      return;
    }
    const reason = isError(error) ? (error.stack ?? error.message) : String(error);
    this.send(textResponse(500, `The emulator failed: ${reason}`));
  }
}

const bodiless: readonly number[] = [204, 304];

function bodyOf({ status, body = "" }: ServiceResponse): string {
  return bodiless.includes(status) ? "" : body;
}

function responseOf({ status, body, headers = {} }: StatusFault): ServiceResponse {
  if (body === undefined) {
    return { status, headers };
  }
  const isText = typeof body === "string";
  const type = isText ? (body.startsWith("<") ? "text/html" : "text/plain") : "application/json";
  const hasContentType = Object.keys(headers).some((name) => name.toLowerCase() === "content-type");
  const derived: Record<string, string> = hasContentType ? {} : { "Content-Type": type };
  return { status, headers: { ...derived, ...headers }, body: isText ? body : JSON.stringify(body) };
}
