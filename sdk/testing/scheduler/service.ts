import type { IncomingHttpHeaders } from "node:http";
import { isObject } from "../../base/json";
import {
  jsonResponse,
  parsedJson,
  type Service,
  type ServiceBasics,
  type ServiceRequest,
  type ServiceResponse,
  textResponse,
  unservedText,
} from "../response";
import { Router, type Endpoint } from "../router";
import { bearerToken, type Caller, Tokens } from "../tokens";
import { Acl, describeToken, SchedulerPermissions } from "./acl";
import type { EventStream } from "./event-stream";
import { readSubscription } from "./subscription";
import { type SchedulerTraits, schedulerTraits } from "./traits";
import type { AclTokenRecord, SchedulerEmulatorOptions } from "./types";
import type { SchedulerTokenOptions } from "./seeds";

interface SchedulerRequest extends ServiceRequest<SchedulerPermissions> {
  readonly caller: Caller<SchedulerPermissions>;
}

interface SchedulerEndpoint extends Endpoint {
  /** Whether it responds with any token, valid or not. Default false. */
  readonly open?: boolean;
  /** Whether it responds without a token, but not with an invalid one. Default false. */
  readonly anonymous?: boolean;
  /** Whether it ignores the region of a request. Default false. */
  readonly local?: boolean;
  handle(request: SchedulerRequest): ServiceResponse;
}

/** Additional endpoints of Nomad 2.0.5: command/agent/http.go. */
const unserved =
  /^\/v1\/(?:acl|agent|allocations?|client|deployments?|evaluations?|jobs?|metrics|namespaces?|nodes?|operator|plugins?|quotas?|quota-usages?|recommendations?|scaling|search|sentinel|services?|system|validate|vars?|volumes?)(?:\/|$)/;
const streamPath = "/v1/event/stream";
const agentPath = "/v1/agent/self";
/** The releases that the emulator imitates. */
const releases = {
  "1.10": { version: "1.10.5", unknownToken: "ACL token not found" },
  "2.0": { version: "2.0.5", unknownToken: undefined },
} as const;
const unreachable = "No path to region";
/** A dev agent is a client and a server. */
const healthy = { ok: true, message: "ok" };
const region = "global";
/** The RPC address of the only server. */
const leader = "127.0.0.1:4647";

export class SchedulerService implements Service<SchedulerPermissions, SchedulerTokenOptions> {
  readonly tokens: Tokens<SchedulerPermissions>;
  readonly acl: Acl;
  private readonly traits: SchedulerTraits;
  private readonly release: (typeof releases)[keyof typeof releases];
  private readonly router: Router<SchedulerEndpoint>;

  constructor(
    { dialect, clock, token }: ServiceBasics,
    private readonly events: EventStream,
    { release = "2.0" }: SchedulerEmulatorOptions = {},
  ) {
    this.release = releases[release];
    this.traits = schedulerTraits[dialect];
    this.tokens = new Tokens(token, new SchedulerPermissions());
    this.tokens.onRevoked((caller) => this.events.disconnect(caller));
    this.acl = new Acl(this.tokens, this.events, clock);
    this.router = new Router([
      { method: "GET", path: streamPath, local: true, handle: (request) => this.stream(request) },
      ...(this.traits.hasApi ? this.endpointsOfProduct() : []),
    ]);
  }

  permissionsOf({ access }: SchedulerTokenOptions = {}): SchedulerPermissions {
    return new SchedulerPermissions(access);
  }

  /** The product's own header takes precedence over a bearer token. */
  tokenOf(headers: IncomingHttpHeaders): string | undefined {
    const { tokenHeader } = this.traits;
    const own = tokenHeader && headers[tokenHeader];
    return typeof own === "string" && own !== "" ? own : bearerToken(headers.authorization);
  }

  respond(request: ServiceRequest<SchedulerPermissions>): ServiceResponse {
    const { method, path, headers, query, caller = nobody } = request;
    const { target: endpoint, allowedMethods } = this.router.find(method, path);
    const isStream = endpoint?.path === streamPath;
    if (endpoint !== undefined && endpoint.local !== true && this.isElsewhere(query)) {
      return noPathToRegion();
    }
    const isAnonymous = caller === nobody && this.tokenOf(headers) === undefined;
    if (caller === nobody && !(endpoint?.open === true || (endpoint?.anonymous === true && isAnonymous))) {
      const isUnknown = endpoint?.path === agentPath && this.tokenOf(headers) !== undefined;
      return isStream
        ? this.refuseStream()
        : permissionDenied(isUnknown ? this.release.unknownToken : undefined);
    }
    if (endpoint !== undefined) {
      return endpoint.handle({ ...request, caller });
    }
    if (this.traits.hasApi && allowedMethods.length === 0 && unserved.test(path)) {
      return textResponse(501, unservedText(`${method} ${path}`));
    }
    return allowedMethods.length === 0
      ? textResponse(404, "Not found")
      : textResponse(405, "Invalid method", { Allow: allowedMethods.join(", ") });
  }

  private isElsewhere(query: URLSearchParams): boolean {
    return this.traits.checksRegion && !["", region].includes(query.get("region") ?? "");
  }

  private endpointsOfProduct(): SchedulerEndpoint[] {
    return [
      {
        method: "GET",
        path: agentPath,
        local: true,
        handle: ({ caller }) =>
          caller.rights.mayReadAgent
            ? jsonResponse(200, agentDescription(this.release.version))
            : permissionDenied(),
      },
      { method: "GET", path: "/v1/status/leader", open: true, handle: () => jsonResponse(200, leader) },
      { method: "GET", path: "/v1/status/peers", open: true, handle: () => jsonResponse(200, [leader]) },
      {
        method: "GET",
        path: "/v1/regions",
        local: true,
        open: true,
        handle: () => jsonResponse(200, [region]),
      },
      {
        method: "GET",
        path: "/v1/agent/health",
        local: true,
        open: true,
        handle: ({ query }) =>
          this.isElsewhere(query)
            ? jsonResponse(500, { client: healthy, server: { ok: false, message: unreachable } })
            : jsonResponse(200, { client: healthy, server: healthy }),
      },
      {
        method: "GET",
        path: "/v1/agent/members",
        local: true,
        handle: ({ caller }) =>
          caller.rights.mayReadNodes
            ? jsonResponse(200, membersOf(this.release.version))
            : permissionDenied(),
      },
      {
        method: "GET",
        path: "/v1/namespaces",
        anonymous: true,
        handle: ({ caller }) => jsonResponse(200, this.namespacesFor(caller)),
      },
      { method: "POST", path: "/v1/acl/login", open: true, handle: (request) => this.logIn(request) },
      {
        method: "GET",
        path: "/v1/acl/token/self",
        anonymous: true,
        handle: ({ caller, headers }) => {
          if (caller === nobody) {
            return jsonResponse(200, anonymousToken);
          }
          const stored = this.acl.storedOf(caller);
          const record = stored?.record ?? testTokenRecord(caller, this.tokenOf(headers) ?? "");
          return jsonResponse(200, describeToken(record, stored?.createIndex));
        },
      },
    ];
  }

  /** Namespaces exist as soon as a policy or an event names them. */
  private namespacesFor({ rights }: Caller<SchedulerPermissions>): readonly object[] {
    const { frames } = this.events.inspect();
    const ofEvents = frames.flatMap(({ Events }) => Events.map(({ Namespace }) => Namespace));
    const known = new Set(["default", ...this.acl.namespaces(), ...ofEvents]);
    return [...known]
      .filter((name) => !["", "*"].includes(name) && rights.mayList(name))
      .sort()
      .map((name) => ({ Name: name, Description: "", Quota: "", CreateIndex: 1, ModifyIndex: 1 }));
  }

  /** A body that is not a JSON object counts as empty. */
  private logIn({ body = "" }: SchedulerRequest): ServiceResponse {
    const parsed = parsedJson(body);
    const { AuthMethodName: method, LoginToken: jwt } = isObject(parsed) ? parsed : {};
    const result = this.acl.logIn(String(method), String(jwt));
    switch (result) {
      case "unknown":
        return textResponse(400, `auth-method ${JSON.stringify(method)} not found`);
      case "refused":
        return textResponse(401, "unable to validate provided token: invalid claims");
      default:
        return jsonResponse(200, describeToken(result));
    }
  }

  private stream({ query, body, caller }: SchedulerRequest): ServiceResponse {
    if (body !== undefined) {
      return textResponse(400, "This request takes no body");
    }
    const subscription = readSubscription(query, this.traits);
    if (typeof subscription === "string") {
      return textResponse(400, subscription);
    }
    if (this.isElsewhere(query)) {
      return this.events.refusal === "silence" ? this.refuseStream() : noPathToRegion();
    }
    const { topics, namespace } = subscription;
    return topics.every(({ topic }) => caller.rights.maySubscribe(topic, namespace, this.traits))
      ? streamResponse((output) => this.events.subscribe(output, subscription, caller))
      : this.refuseStream();
  }

  private refuseStream(): ServiceResponse {
    return this.events.refusal === "silence"
      ? streamResponse((output) => this.events.keepSilent(output))
      : permissionDenied();
  }
}

/** Nomad 2.0.5, nomad/structs/acl.go, AnonymousACLToken. */
const anonymousToken = {
  AccessorID: "anonymous",
  SecretID: "",
  Name: "Anonymous Token",
  Type: "client",
  Policies: ["anonymous"],
  Roles: null,
  Global: false,
  Hash: null,
  ExpirationTTL: "",
  ExpirationTime: null,
  CreateTime: "0001-01-01T00:00:00Z",
  CreateIndex: 0,
  ModifyIndex: 0,
};

/** A missing or invalid token. */
const nobody: Caller<SchedulerPermissions> = {
  name: "",
  rights: new SchedulerPermissions({}),
  tokenHash: "",
};

function agentDescription(version: string): unknown {
  return {
    config: {
      ACL: { Enabled: true },
      Datacenter: "dc1",
      Name: "emulator",
      Region: region,
      Server: { Enabled: true },
      Version: { Version: version, VersionPrerelease: "", VersionMetadata: "" },
    },
  };
}

/** Nomad 2.0.5, nomad/structs/structs.go, ServerMembersResponse. */
function membersOf(version: string): unknown {
  const [address = "", port] = leader.split(":");
  const tags = { bootstrap: "1", build: version, dc: "dc1", id: "emulator", region, role: "nomad" };
  const protocol = { ProtocolMin: 1, ProtocolMax: 5, ProtocolCur: 2 };
  const delegate = { DelegateMin: 2, DelegateMax: 5, DelegateCur: 4 };
  const member = { Name: `emulator.${region}`, Addr: address, Port: Number(port), Tags: tags };
  return {
    ServerName: "emulator",
    ServerRegion: region,
    ServerDC: "dc1",
    Members: [{ ...member, Status: "alive", ...protocol, ...delegate }],
  };
}

/** A token that a test set up has no record. */
function testTokenRecord(
  { name, rights, tokenHash }: Caller<SchedulerPermissions>,
  secretId: string,
): AclTokenRecord {
  return {
    accessorId: tokenHash.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5"),
    secretId,
    name: name === "main" ? "Bootstrap Token" : name,
    type: rights.isManagement ? "management" : "client",
    policies: [],
    global: true,
    createdAt: new Date(0).toISOString(),
  };
}

function noPathToRegion(): ServiceResponse {
  return textResponse(500, unreachable);
}

function permissionDenied(reason = "Permission denied"): ServiceResponse {
  return textResponse(403, reason);
}

function streamResponse(stream: NonNullable<ServiceResponse["stream"]>): ServiceResponse {
  return {
    status: 200,
    headers: { "Content-Type": "application/json", "Cache-Control": "no-cache" },
    stream,
  };
}
