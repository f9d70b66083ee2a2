import type { Answer, Service, ServiceRequest } from "../answer";
import { combineAreas } from "../area";
import type { EmulatorClock } from "../clock";
import { toMilliseconds } from "../duration";
import type { EmulatorOptions } from "../options";
import { Router } from "../router";
import { bearerToken } from "../tokens";
import { createAdminOrganizationsArea } from "./admin-organizations";
import { pathPrefix, type ProvisioningEndpoint } from "./endpoint";
import { mediaType, parseJson, refusalAnswer } from "./json-api";
import { createNotificationConfigurationsArea } from "./notification-configurations";
import { createOrganizationsArea } from "./organizations";
import { createProjectsArea } from "./projects";
import { readQuery } from "./query";
import { Receivers } from "./receivers";
import { Records } from "./records";
import { badRequest, notFound, Refusal } from "./refusal";
import type { ProvisioningPermissions } from "./rights";

/** Everything the service offers: one area a line. */
function createAreas(records: Records, { provisioning = {} }: EmulatorOptions, clock: EmulatorClock) {
  const receivers = new Receivers({
    timeout: toMilliseconds(provisioning.receiverTimeout ?? "10s"),
    certificateAuthority: provisioning.receiverCertificateAuthority,
  });
  return combineAreas(
    createOrganizationsArea(records),
    createProjectsArea(records, provisioning.projectNameLimit ?? 36),
    createNotificationConfigurationsArea(records, clock, receivers),
    createAdminOrganizationsArea(records),
  );
}

type Areas = ReturnType<typeof createAreas>;

/** The state of the provisioning service. */
export type ProvisioningInspection = ReturnType<Areas["inspect"]>;

/** What can be set up and changed in the provisioning service without a request. */
export type ProvisioningSetup = Areas["setup"];

/** The provisioning service: what all its endpoints have in common, and its areas. */
export class ProvisioningService implements Service<ProvisioningPermissions> {
  readonly areas: Areas;
  private readonly router: Router<ProvisioningEndpoint>;

  constructor(options: EmulatorOptions, clock: EmulatorClock) {
    this.areas = createAreas(new Records(), options, clock);
    this.router = new Router(
      this.areas.endpoints.map((endpoint) => ({ ...endpoint, path: pathPrefix + endpoint.path })),
    );
  }

  tokenOf(headers: { readonly authorization?: string }): string | undefined {
    return bearerToken(headers.authorization);
  }

  unauthorized(): Answer {
    return refusalAnswer(new Refusal(401, "unauthorized", "The token is missing or not valid."));
  }

  async respond(request: ServiceRequest<ProvisioningPermissions>): Promise<Answer> {
    try {
      return await this.dispatch(request);
    } catch (error) {
      if (error instanceof Refusal) {
        return refusalAnswer(error);
      }
      throw error;
    }
  }

  private async dispatch(request: ServiceRequest<ProvisioningPermissions>): Promise<Answer> {
    const found = this.router.find(request.method, request.path);
    if (found === undefined) {
      throw notFound();
    }
    if ("allowedMethods" in found) {
      const allowed = found.allowedMethods.join(", ");
      const refusal = new Refusal(405, "method not allowed", `This path knows ${allowed}.`);
      return { ...refusalAnswer(refusal), headers: { "Content-Type": mediaType, Allow: allowed } };
    }
    const { target: endpoint, parameters } = found;
    requireMediaType(request);
    const query = readQuery(request.query, endpoint.query ?? []);
    if (request.body !== undefined && !endpoint.takesBody) {
      throw badRequest("This request takes no body.");
    }
    return endpoint.handle({
      parameter: (name) => parameters[name] ?? "",
      query,
      body: request.body === undefined ? undefined : parseJson(request.body),
      permissions: request.caller.rights,
      url: request.address + request.path,
    });
  }
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
