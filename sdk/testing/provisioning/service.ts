import type { AnonymousRequest, Service, ServiceRequest, ServiceResponse } from "../response";
import { combineAreas } from "../area";
import type { EmulatorClock } from "../clock";
import type { EmulatorDialect } from "../dialect";
import { toMilliseconds, type Duration } from "../duration";
import { Router } from "../router";
import { bearerToken, type Caller } from "../tokens";
import { accountEndpoints } from "./account";
import { provisioningDialects, type ProvisioningDialect } from "./dialect";
import { pathPrefix, readQuery, type ProvisioningEndpoint } from "./endpoint";
import {
  badRequest,
  documentResponse,
  mediaType,
  notFound,
  parseJson,
  Refusal,
  refusalResponse,
} from "./json-api";
import { createNotificationConfigurationsArea } from "./notification-configurations";
import { Deliveries } from "./notification-delivery";
import { createOrganizationsArea } from "./organizations";
import { createProjectsArea } from "./projects";
import { Receivers } from "./receivers";
import { Records } from "./records";
import { RequestRate } from "./request-rate";
import { ProvisioningPermissions } from "./rights";

/** How the provisioning service is emulated. */
export interface ProvisioningEmulatorOptions {
  /** Longest name of a project, in characters. Default 36; 40 in the hashicorp dialect. */
  readonly projectNameLimit?: number;
  /** The time limit for the receiver of a notification, in real time. Default 10 s. */
  readonly receiverTimeout?: Duration;
  /**
   * The rate limit per token and second of the emulator's time, above which requests return 429; only in the
   * hashicorp dialect, since no limit is documented. Default: none, although headers announce 30.
   */
  readonly requestsPerSecond?: number;
  /**
   * The PEM certificate of the authority to trust for receivers with HTTPS. Default: those that Node trusts.
   */
  readonly receiverCertificateAuthority?: string;
}

/** Everything the service offers: one area a line. */
function createAreas(
  records: Records,
  options: ProvisioningEmulatorOptions,
  clock: EmulatorClock,
  dialect: ProvisioningDialect,
) {
  const receivers = new Receivers({
    timeout: toMilliseconds(options.receiverTimeout ?? "10s"),
    certificateAuthority: options.receiverCertificateAuthority,
  });
  return combineAreas(
    createOrganizationsArea(records, dialect),
    createProjectsArea(records, dialect),
    createNotificationConfigurationsArea(records, clock, new Deliveries(receivers, clock, dialect), dialect),
  );
}

type Areas = ReturnType<typeof createAreas>;

/** The state of the provisioning service. */
export type ProvisioningInspection = ReturnType<Areas["inspect"]>;

/** The contents of the provisioning service that can be changed without a request. */
export type ProvisioningSetup = Areas["setup"];

/** The provisioning service: what all its endpoints have in common, and its areas. */
export class ProvisioningService implements Service<ProvisioningPermissions> {
  readonly areas: Areas;
  private readonly dialect: ProvisioningDialect;
  private readonly rate: RequestRate | undefined;
  private readonly router: Router<ProvisioningEndpoint>;

  constructor(dialect: EmulatorDialect, options: ProvisioningEmulatorOptions, clock: EmulatorClock) {
    const { projectNameLimit, requestsPerSecond } = options;
    this.dialect = {
      ...provisioningDialects[dialect],
      ...(projectNameLimit === undefined ? {} : { projectNameLimit }),
    };
    const { product } = this.dialect;
    const records = new Records();
    this.areas = createAreas(records, options, clock, this.dialect);
    const endpoints = [...this.areas.endpoints, ...(product ? accountEndpoints : [])];
    this.router = new Router(
      endpoints.map((endpoint) => ({ ...endpoint, path: pathPrefix + endpoint.path })),
    );
    this.rate = product && new RequestRate(clock, product.requestsPerSecond, requestsPerSecond);
  }

  tokenOf(headers: { readonly authorization?: string }): string | undefined {
    return bearerToken(headers.authorization);
  }

  async unauthorized(request: AnonymousRequest): Promise<ServiceResponse> {
    const found = this.router.find(request.method, request.path);
    return found !== undefined && "target" in found && found.target.open === true
      ? this.respond({ ...request, caller: nobody })
      : this.signed(nobody, () => {
          throw new Refusal(401, "unauthorized", "The token is missing or not valid.");
        });
  }

  async respond(request: ServiceRequest<ProvisioningPermissions>): Promise<ServiceResponse> {
    return this.signed(request.caller, () => this.dispatch(request));
  }

  clear(): void {
    this.areas.clear();
    this.rate?.clear();
  }

  /** A response with what the product returns about itself in every one. */
  private async signed(
    caller: Caller<unknown>,
    response: () => ServiceResponse | Promise<ServiceResponse>,
  ): Promise<ServiceResponse> {
    const report = this.rate?.count(caller.name);
    const { status, headers, ...content } = await this.explained(() =>
      report?.exceeded === true ? tooManyRequests(report.headers) : response(),
    );
    return {
      status,
      headers: { ...this.dialect.product?.headers, ...report?.headers, ...headers },
      ...content,
    };
  }

  private async explained(
    response: () => ServiceResponse | Promise<ServiceResponse>,
  ): Promise<ServiceResponse> {
    try {
      return await response();
    } catch (error) {
      if (error instanceof Refusal) {
        return refusalResponse(error, this.dialect);
      }
      throw error;
    }
  }

  private async dispatch(request: ServiceRequest<ProvisioningPermissions>): Promise<ServiceResponse> {
    const found = this.router.find(request.method, request.path);
    if (found === undefined) {
      throw notFound();
    }
    if ("allowedMethods" in found) {
      const allowed = found.allowedMethods.join(", ");
      const refusal = new Refusal(405, "method not allowed", `This path knows ${allowed}.`);
      return {
        ...refusalResponse(refusal, this.dialect),
        headers: { "Content-Type": mediaType, Allow: allowed },
      };
    }
    const { target: endpoint, parameters } = found;
    requireMediaType(request);
    const query = readQuery(request.query, endpoint.query ?? [], this.dialect);
    if (request.body !== undefined && endpoint.takesBody !== true) {
      throw badRequest("This request takes no body.");
    }
    const result = await endpoint.handle({
      parameter: (name) => parameters[name] ?? "",
      query,
      body: request.body === undefined ? undefined : parseJson(request.body),
      permissions: request.caller.rights,
      caller: {
        name: request.caller.name,
        userId: `user-${request.caller.tokenHash.slice(0, userIdLength)}`,
      },
      url: request.address + request.path,
    });
    if (result === undefined) {
      return { status: 204 };
    }
    return "status" in result ? result : documentResponse(200, result);
  }
}

const userIdLength = 16;

/** Whose token is missing or wrong. */
const nobody: Caller<ProvisioningPermissions> = {
  name: "",
  rights: new ProvisioningPermissions({ access: "none" }),
  tokenHash: "",
};

/** Unlike all other refusals it has a number for its status. */
function tooManyRequests({
  "X-RateLimit-Limit": limit = "",
}: Readonly<Record<string, string>>): ServiceResponse {
  const detail = `No more than ${limit} requests a second are taken from one token.`;
  return documentResponse(429, { errors: [{ status: 429, title: "Too many requests", detail }] });
}

/** The service wants the media type on everything that changes something, with a body or without. */
function requireMediaType({ method, headers }: ServiceRequest<unknown>): void {
  const [type = ""] = (headers["content-type"] ?? "").split(";");
  if (method !== "GET" && type.trim().toLowerCase() !== mediaType) {
    throw new Refusal(
      415,
      "unsupported media type",
      `${method} needs the header Content-Type: ${mediaType}.`,
    );
  }
}
