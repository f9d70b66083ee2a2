import type { IncomingHttpHeaders } from "node:http";
import {
  jsonResponse,
  textResponse,
  type AnonymousRequest,
  type ServiceResponse,
  type Service,
  type ServiceRequest,
} from "../response";
import type { EmulatorClock } from "../clock";
import type { EmulatorDialect } from "../dialect";
import { Router, type Endpoint } from "../router";
import { bearerToken, type Caller } from "../tokens";
import { isObject } from "../../base/json";
import type { Acl, AclTokenRecord } from "./acl";
import { agentDescription, leader, newTokenDescription, tokenDescription } from "./agent";
import { schedulerDialects, type SchedulerDialect } from "./dialect";
import { EventStream, type EventStreamInspection } from "./event-stream";
import type { SchedulerPermissions } from "./rights";
import { readSubscription } from "./subscription";

/** How the scheduler is emulated. */
export interface SchedulerEmulatorOptions {
  /** How many frames the event stream buffers for late or slow subscribers. Default 100. */
  readonly eventBufferSize?: number;
}

interface SchedulerEndpoint extends Endpoint {
  /** The permissions without a token; an invalid token is always rejected. Default: none. */
  readonly anonymous?: (request: AnonymousRequest) => ServiceResponse;
  handle(request: ServiceRequest<SchedulerPermissions>): ServiceResponse;
}

/** The state of the scheduler. */
export type SchedulerInspection = EventStreamInspection;

const streamPath = "/v1/event/stream";

/** The scheduler: its event stream, and what the product tells of itself. */
export class SchedulerService implements Service<SchedulerPermissions> {
  readonly events: EventStream;
  private readonly dialect: SchedulerDialect;
  private readonly router: Router<SchedulerEndpoint>;

  /**
   * @param recordOf the token with which somebody calls, where the scheduler has made it
   * @param logIn makes a token for somebody who logs in
   */
  constructor(
    dialect: EmulatorDialect,
    { eventBufferSize = 100 }: SchedulerEmulatorOptions,
    clock: EmulatorClock,
    private readonly recordOf: (caller: Caller<SchedulerPermissions>) => AclTokenRecord | undefined,
    private readonly logIn: Acl["logIn"],
  ) {
    this.dialect = schedulerDialects[dialect];
    this.events = new EventStream(clock, eventBufferSize, this.dialect);
    const { version } = this.dialect;
    this.router = new Router([
      { method: "GET", path: streamPath, handle: (request) => this.stream(request) },
      ...(version === undefined ? [] : this.endpointsOfProduct(version)),
    ]);
  }

  tokenOf(headers: IncomingHttpHeaders): string | undefined {
    const plain = this.dialect.tokenHeaders
      .map((name) => headers[name])
      .find((value) => typeof value === "string" && value !== "");
    return typeof plain === "string" ? plain : bearerToken(headers.authorization);
  }

  unauthorized(request: AnonymousRequest): ServiceResponse {
    const { method, path, headers } = request;
    const found = this.router.find(method, path);
    const endpoint = found !== undefined && "target" in found ? found.target : undefined;
    if (endpoint?.anonymous !== undefined && this.tokenOf(headers) === undefined) {
      return endpoint.anonymous(request);
    }
    return endpoint?.path === streamPath ? this.refuseStream() : permissionDenied();
  }

  respond(request: ServiceRequest<SchedulerPermissions>): ServiceResponse {
    const found = this.router.find(request.method, request.path);
    if (found === undefined) {
      return textResponse(404, "Not found");
    }
    if ("allowedMethods" in found) {
      return textResponse(405, "Invalid method", { Allow: found.allowedMethods.join(", ") });
    }
    return found.target.handle(request);
  }

  inspect(): SchedulerInspection {
    return this.events.inspect();
  }

  clear(): void {
    this.events.clear();
  }

  private endpointsOfProduct(version: string): SchedulerEndpoint[] {
    const tellLeader = (): ServiceResponse => jsonResponse(200, leader);
    return [
      {
        method: "GET",
        path: "/v1/agent/self",
        handle: ({ caller }) =>
          caller.rights.mayReadAgent ? jsonResponse(200, agentDescription(version)) : permissionDenied(),
      },
      { method: "GET", path: "/v1/status/leader", anonymous: tellLeader, handle: tellLeader },
      {
        method: "POST",
        path: "/v1/acl/login",
        anonymous: (request) => this.answerLogin(request),
        handle: (request) => this.answerLogin(request),
      },
      {
        method: "GET",
        path: "/v1/acl/token/self",
        handle: ({ caller, headers }) =>
          jsonResponse(200, tokenDescription(this.tokenOf(headers) ?? "", caller, this.recordOf(caller))),
      },
    ];
  }

  private answerLogin({ body = "" }: AnonymousRequest): ServiceResponse {
    const { AuthMethodName: method, LoginToken: jwt } = parseObject(body);
    const made = this.logIn(String(method), String(jwt));
    switch (made) {
      case "unknown":
        return textResponse(400, `auth-method ${JSON.stringify(method)} not found`);
      case "refused":
        return textResponse(401, "unable to validate provided token: invalid claims");
      default:
        return jsonResponse(200, newTokenDescription(made));
    }
  }

  private stream({ query, body, caller }: ServiceRequest<SchedulerPermissions>): ServiceResponse {
    if (body !== undefined) {
      return textResponse(400, "This request takes no body");
    }
    const subscription = readSubscription(query, this.dialect);
    if (typeof subscription === "string") {
      return textResponse(400, subscription);
    }
    const { topics, namespace } = subscription;
    const { rights } = this.dialect;
    return topics.every(({ topic }) => caller.rights.maySubscribe(topic, namespace, rights))
      ? streamResponse((output) => this.events.subscribe(output, subscription, caller))
      : this.refuseStream();
  }

  private refuseStream(): ServiceResponse {
    return this.events.refusal === "silence"
      ? streamResponse((output) => void output.end())
      : permissionDenied();
  }
}

/** A body that is no JSON object says nothing. */
function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function permissionDenied(): ServiceResponse {
  return textResponse(403, "Permission denied");
}

function streamResponse(stream: NonNullable<ServiceResponse["stream"]>): ServiceResponse {
  return {
    status: 200,
    headers: { "Content-Type": "application/json", "Cache-Control": "no-cache" },
    stream,
  };
}
