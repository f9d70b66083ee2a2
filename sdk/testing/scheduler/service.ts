import type { IncomingHttpHeaders } from "node:http";
import { isObject } from "../../base/json";
import { jsonResponse, textResponse, type AnonymousRequest, type Service } from "../response";
import type { ServiceBasics, ServiceRequest, ServiceResponse } from "../response";
import { Router, type Endpoint } from "../router";
import { bearerToken, type Caller, Tokens } from "../tokens";
import { Acl, describeToken, SchedulerPermissions } from "./acl";
import { EventStream } from "./event-stream";
import { readSubscription } from "./subscription";
import type { AclInspection, AclTokenRecord, SchedulerEmulatorOptions, SchedulerInspection } from "./types";
import type { SchedulerTokenOptions } from "./types";

interface SchedulerEndpoint extends Endpoint {
  /** The response to a request without a token; an invalid token is always rejected. */
  readonly anonymous?: (request: AnonymousRequest) => ServiceResponse;
  handle(request: ServiceRequest<SchedulerPermissions>): ServiceResponse;
}

const streamPath = "/v1/event/stream";
/** The release that the emulator imitates. */
const version = "1.10.5";
const region = "global";
const datacenter = "dc1";
/** The RPC address of the only server. */
const leader = "127.0.0.1:4647";

export class SchedulerService implements Service<SchedulerPermissions, SchedulerTokenOptions> {
  readonly events: EventStream;
  readonly tokens: Tokens<SchedulerPermissions>;
  readonly acl: Acl;
  private readonly isHashicorp: boolean;
  private readonly router: Router<SchedulerEndpoint>;

  constructor({ dialect, clock, token }: ServiceBasics, { eventBufferSize = 100 }: SchedulerEmulatorOptions) {
    this.isHashicorp = dialect === "hashicorp";
    this.events = new EventStream(clock, eventBufferSize, this.isHashicorp);
    this.tokens = new Tokens(token, new SchedulerPermissions());
    this.tokens.onRevoked((caller) => this.events.disconnectCaller(caller));
    this.acl = new Acl(this.tokens, this.events, clock);
    this.router = new Router([
      { method: "GET", path: streamPath, handle: (request) => this.stream(request) },
      ...(this.isHashicorp ? this.endpointsOfProduct() : []),
    ]);
  }

  permissionsOf({ access }: SchedulerTokenOptions = {}): SchedulerPermissions {
    return new SchedulerPermissions(access);
  }

  /** The product's own header takes precedence over a bearer token. */
  tokenOf(headers: IncomingHttpHeaders): string | undefined {
    const own = this.isHashicorp ? headers["x-nomad-token"] : undefined;
    return typeof own === "string" && own !== "" ? own : bearerToken(headers.authorization);
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

  inspect(): SchedulerInspection & AclInspection {
    return { ...this.events.inspect(), ...this.acl.inspect() };
  }

  clear(): void {
    this.events.clear();
    this.acl.clear();
  }

  private endpointsOfProduct(): SchedulerEndpoint[] {
    const tellLeader = (): ServiceResponse => jsonResponse(200, leader);
    const logIn = (request: AnonymousRequest): ServiceResponse => this.respondToLogin(request);
    return [
      {
        method: "GET",
        path: "/v1/agent/self",
        handle: ({ caller }) =>
          caller.rights.mayReadAgent ? jsonResponse(200, agentDescription()) : permissionDenied(),
      },
      { method: "GET", path: "/v1/status/leader", anonymous: tellLeader, handle: tellLeader },
      { method: "POST", path: "/v1/acl/login", anonymous: logIn, handle: logIn },
      {
        method: "GET",
        path: "/v1/acl/token/self",
        handle: ({ caller, headers }) => {
          const made = this.acl.recordOf(caller);
          return jsonResponse(200, describeToken(made ?? setUpToken(caller, this.tokenOf(headers) ?? "")));
        },
      },
    ];
  }

  private respondToLogin({ body = "" }: AnonymousRequest): ServiceResponse {
    const { AuthMethodName: method, LoginToken: jwt } = parseObject(body);
    const made = this.acl.logIn(String(method), String(jwt));
    switch (made) {
      case "unknown":
        return textResponse(400, `auth-method ${JSON.stringify(method)} not found`);
      case "refused":
        return textResponse(401, "unable to validate provided token: invalid claims");
      default:
        return jsonResponse(200, describeToken(made));
    }
  }

  private stream({ query, body, caller }: ServiceRequest<SchedulerPermissions>): ServiceResponse {
    if (body !== undefined) {
      return textResponse(400, "This request takes no body");
    }
    const subscription = readSubscription(query, this.isHashicorp);
    if (typeof subscription === "string") {
      return textResponse(400, subscription);
    }
    const { topics, namespace } = subscription;
    return topics.every(({ topic }) => caller.rights.maySubscribe(topic, namespace, this.isHashicorp))
      ? streamResponse((output) => this.events.subscribe(output, subscription, caller))
      : this.refuseStream();
  }

  private refuseStream(): ServiceResponse {
    return this.events.refusal === "silence"
      ? streamResponse((output) => void output.end())
      : permissionDenied();
  }
}

function agentDescription(): unknown {
  return {
    config: {
      ACL: { Enabled: true },
      Datacenter: datacenter,
      Name: "emulator",
      Region: region,
      Server: { Enabled: true },
      Version: { Version: version, VersionPrerelease: "", VersionMetadata: "" },
    },
    member: {
      Addr: "127.0.0.1",
      Name: `emulator.${region}`,
      Port: 4_648,
      Status: "alive",
      Tags: { build: version, dc: datacenter, region, role: "nomad" },
    },
    stats: { nomad: { leader: "true", leader_addr: leader, server: "true" } },
  };
}

/** A token that a test set up has no record. */
function setUpToken(
  { name, rights, tokenHash }: Caller<SchedulerPermissions>,
  secretId: string,
): AclTokenRecord {
  return {
    accessorId: tokenHash.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5"),
    secretId,
    name,
    type: rights.isManagement ? "management" : "client",
    policies: [],
    global: true,
    createdAt: new Date(0).toISOString(),
  };
}

/** A body that is not a JSON object counts as empty. */
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
