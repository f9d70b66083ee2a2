import type { IncomingHttpHeaders } from "node:http";
import { textAnswer, type Answer, type Service, type ServiceRequest } from "../answer";
import type { EmulatorClock } from "../clock";
import type { EmulatorOptions } from "../options";
import { Router, type Endpoint } from "../router";
import { bearerToken } from "../tokens";
import { EventStream, type EventStreamInspection } from "./event-stream";
import type { SchedulerPermissions } from "./rights";
import { readSubscription } from "./subscription";

interface SchedulerEndpoint extends Endpoint {
  handle(request: ServiceRequest<SchedulerPermissions>): Answer;
}

/** The state of the scheduler. */
export type SchedulerInspection = EventStreamInspection;

/** The scheduler: its event stream. */
export class SchedulerService implements Service<SchedulerPermissions> {
  readonly events: EventStream;
  private readonly router = new Router<SchedulerEndpoint>([
    { method: "GET", path: "/v1/event/stream", handle: (request) => this.stream(request) },
  ]);

  constructor(options: EmulatorOptions, clock: EmulatorClock) {
    this.events = new EventStream(clock, options.scheduler?.eventBufferSize ?? 100);
  }

  tokenOf(headers: IncomingHttpHeaders): string | undefined {
    return bearerToken(headers.authorization);
  }

  unauthorized(): Answer {
    return textAnswer(403, "Permission denied");
  }

  respond(request: ServiceRequest<SchedulerPermissions>): Answer {
    const found = this.router.find(request.method, request.path);
    if (found === undefined) {
      return textAnswer(404, "Not found");
    }
    if ("allowedMethods" in found) {
      return textAnswer(405, "Invalid method", { Allow: found.allowedMethods.join(", ") });
    }
    return found.target.handle(request);
  }

  inspect(): SchedulerInspection {
    return this.events.inspect();
  }

  clear(): void {
    this.events.clear();
  }

  private stream({ query, body, caller }: ServiceRequest<SchedulerPermissions>): Answer {
    if (body !== undefined) {
      return textAnswer(400, "This request takes no body");
    }
    const subscription = readSubscription(query);
    if (typeof subscription === "string") {
      return textAnswer(400, subscription);
    }
    if (
      !subscription.topics.every(({ topic }) => caller.rights.maySubscribe(topic, subscription.namespace))
    ) {
      return this.events.refusal === "silence"
        ? streamAnswer((output) => void output.end())
        : textAnswer(403, "Permission denied");
    }
    return streamAnswer((output) => this.events.subscribe(output, subscription, caller));
  }
}

function streamAnswer(stream: NonNullable<Answer["stream"]>): Answer {
  return {
    status: 200,
    headers: { "Content-Type": "application/json", "Cache-Control": "no-cache" },
    stream,
  };
}
