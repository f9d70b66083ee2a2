import { combineAreas } from "../area";
import type { EmulatorClock } from "../clock";
import { toMilliseconds } from "../duration";
import {
  parsedJson,
  type Service,
  type ServiceBasics,
  type ServiceRequest,
  type ServiceResponse,
} from "../response";
import { Router } from "../router";
import { bearerToken, type Caller, Tokens } from "../tokens";
import { gets, pathPrefix, type ProvisioningEndpoint, type ProvisioningRequest, readQuery } from "./endpoint";
import {
  badRequest,
  documentResponse,
  mediaType,
  notFound,
  notImplemented,
  Refusal,
  refusalResponse,
} from "./json-api";
import { createNotificationConfigurationsArea } from "./notification-configurations";
import { Notifier } from "./notifications";
import { createOrganizationsArea } from "./organizations";
import { createProjectsArea } from "./projects";
import { Records } from "./records";
import { ProvisioningPermissions } from "./rights";
import type { ProvisioningEmulatorOptions } from "./types";
import type { ProvisioningTokenOptions } from "./seeds";
import { type ProvisioningTraits, provisioningTraits } from "./traits";

function createAreas(
  options: ProvisioningEmulatorOptions,
  basics: ServiceBasics,
  traits: ProvisioningTraits,
) {
  const { receiverTimeout = "10s", receiverCertificateAuthority: certificateAuthority } = options;
  const receivers = { timeout: toMilliseconds(receiverTimeout), certificateAuthority };
  const records = new Records();
  return combineAreas(
    createOrganizationsArea(records, traits, options.unsentOrganizationSettings === "reset"),
    createProjectsArea(records, traits, options),
    createNotificationConfigurationsArea(
      records,
      basics,
      new Notifier(receivers, basics.clock, basics.ended, traits),
      traits,
      traits.mayClearUnsentUsers && options.unsentEmailUsers === "cleared",
    ),
  );
}

type Areas = ReturnType<typeof createAreas>;

/** The state of the provisioning service. */
export type ProvisioningInspection = ReturnType<Areas["inspect"]>;

/** The contents of the provisioning service that can be changed without a request. */
export type ProvisioningSetup = Areas["setup"];

/** The products send these with every response. */
const productHeaders: Readonly<Record<string, string>> = {
  "TFP-API-Version": "2.6",
  "TFP-AppName": "Terraform Enterprise",
  "X-TFE-Version": "v202507-1",
};
/** The rate limit that the product advertises, per second and token. */
const advertisedRate = 30;
const second = 1_000;

export class ProvisioningService implements Service<ProvisioningPermissions, ProvisioningTokenOptions> {
  readonly areas: Areas;
  readonly tokens: Tokens<ProvisioningPermissions>;
  private readonly traits: ProvisioningTraits;
  private readonly clock: EmulatorClock;
  private readonly router: Router<ProvisioningEndpoint>;
  /** Requests per caller in the current second. */
  private readonly counts = new Map<string, number>();
  private currentSecond = 0;

  constructor(
    basics: ServiceBasics,
    private readonly options: ProvisioningEmulatorOptions,
  ) {
    this.traits = provisioningTraits[basics.dialect];
    this.clock = basics.clock;
    this.tokens = new Tokens(basics.token, new ProvisioningPermissions());
    this.areas = createAreas(options, basics, this.traits);
    const endpoints = [...this.areas.endpoints, ...(this.traits.hasAccounts ? accountEndpoints : [])];
    this.router = new Router(
      endpoints.map((endpoint) => ({ ...endpoint, path: pathPrefix + endpoint.path })),
    );
  }

  permissionsOf(options?: ProvisioningTokenOptions): ProvisioningPermissions {
    return new ProvisioningPermissions(options);
  }

  tokenOf(headers: { readonly authorization?: string }): string | undefined {
    return bearerToken(headers.authorization);
  }

  async respond(request: ServiceRequest<ProvisioningPermissions>): Promise<ServiceResponse> {
    if (!this.traits.limitsRequests) {
      return this.process(request);
    }
    const { requestsPerSecond } = this.options;
    const limit = requestsPerSecond ?? advertisedRate;
    const count = this.count((request.caller ?? nobody).name);
    // Seconds left in the current window, not a point in time.
    const reset = (second - (this.clock.now() % second)) / second;
    const isExceeded = requestsPerSecond !== undefined && count > limit;
    const { status, headers, ...content } = isExceeded ? tooManyRequests(limit) : await this.process(request);
    return {
      status,
      headers: {
        ...productHeaders,
        "X-RateLimit-Limit": String(limit),
        "X-RateLimit-Remaining": String(Math.max(0, limit - count)),
        "X-RateLimit-Reset": reset.toFixed(3),
        ...headers,
      },
      ...content,
    };
  }

  private count(caller: string): number {
    const now = Math.floor(this.clock.now() / second);
    if (now !== this.currentSecond) {
      this.currentSecond = now;
      this.counts.clear();
    }
    const count = (this.counts.get(caller) ?? 0) + 1;
    this.counts.set(caller, count);
    return count;
  }

  private async process(request: ServiceRequest<ProvisioningPermissions>): Promise<ServiceResponse> {
    try {
      return await this.dispatch(request);
    } catch (error) {
      if (error instanceof Refusal) {
        return refusalResponse(error, this.traits);
      }
      throw error;
    }
  }

  private async dispatch(request: ServiceRequest<ProvisioningPermissions>): Promise<ServiceResponse> {
    const { target: endpoint, parameters, allowedMethods } = this.router.find(request.method, request.path);
    if (request.caller === undefined && endpoint?.open !== true) {
      throw new Refusal(401, "unauthorized", "The token is missing or not valid.");
    }
    if (endpoint === undefined) {
      const { method, path } = request;
      if (this.traits.hasAccounts && path.startsWith("/api/")) {
        throw notImplemented(`${method} ${path}`);
      }
      if (allowedMethods.length === 0) {
        throw notFound();
      }
      const allowed = allowedMethods.join(", ");
      const refusal = new Refusal(405, "method not allowed", `This path allows ${allowed}.`);
      const response = refusalResponse(refusal, this.traits);
      return { ...response, headers: { ...response.headers, Allow: allowed } };
    }
    // The documentation says that some requests have no body, but requires the header of a body.
    if (request.body !== undefined || this.traits.alwaysNeedsMediaType) {
      requireMediaType(request);
    }
    const query = readQuery(request.query, endpoint.query ?? [], this.traits);
    if (request.body !== undefined && endpoint.takesBody !== true) {
      throw badRequest("This request takes no body.");
    }
    const body = request.body === undefined ? undefined : parsedJson(request.body);
    if (request.body !== undefined && body === undefined) {
      throw badRequest("The body is not valid JSON.");
    }
    const { name, rights, tokenHash } = request.caller ?? nobody;
    const result = await endpoint.handle({
      parameter: (parameter) => parameters[parameter] ?? "",
      query,
      body,
      permissions: rights,
      caller: { name, userId: `user-${tokenHash.slice(0, userIdLength)}` },
      url: request.address + request.path,
      largestPage: this.traits.largestPage,
    });
    if (result === undefined) {
      return { status: 204 };
    }
    return "status" in result ? result : documentResponse(200, result);
  }
}

const userIdLength = 16;

/** A missing or invalid token. */
const nobody: Caller<ProvisioningPermissions> = {
  name: "",
  rights: new ProvisioningPermissions({ access: "none" }),
  tokenHash: "",
};

/** Endpoints of the products that the documented service does not have. */
const accountEndpoints: readonly ProvisioningEndpoint[] = [
  { method: "GET", path: "/ping", open: true, handle: () => undefined },
  gets("/account/details", (request) => ({ data: accountOf(request) })),
];

/** The token of an organization or a team belongs to a synthetic user, who has no email address. */
function accountOf({ caller, permissions }: ProvisioningRequest): unknown {
  const { siteAdministrator, serviceAccount } = permissions;
  return {
    id: caller.userId,
    type: "users",
    attributes: {
      username: caller.name,
      email: serviceAccount ? null : `${caller.name}@example.com`,
      "is-service-account": serviceAccount,
      "is-site-admin": siteAdministrator,
      "is-admin": siteAdministrator,
      permissions: { "can-create-organizations": siteAdministrator, "can-change-email": !serviceAccount },
    },
    links: { self: `${pathPrefix}/users/${caller.userId}` },
  };
}

/** Unlike in other errors, the products send `status` as a number. */
function tooManyRequests(limit: number): ServiceResponse {
  const detail = `No more than ${limit} requests per second are accepted for one token.`;
  return documentResponse(429, { errors: [{ status: 429, title: "Too many requests", detail }] });
}

/** The products require the media type on every write, even without a body. */
function requireMediaType({ method, headers }: ServiceRequest<unknown>): void {
  const [type = ""] = (headers["content-type"] ?? "").split(";");
  if (method !== "GET" && type.trim().toLowerCase() !== mediaType) {
    const detail = `${method} needs the header Content-Type: ${mediaType}.`;
    throw new Refusal(415, "unsupported media type", detail);
  }
}
