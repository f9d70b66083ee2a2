import type { Answer, Service, ServiceRequest } from "../answer";
import type { EmulatorOptions } from "../options";
import { Router } from "../router";
import { bearerToken } from "../tokens";
import { pathPrefix, type ProvisioningEndpoint } from "./endpoint";
import { mediaType, parseJson, refusalAnswer } from "./json-api";
import {
  createOrganizationsArea,
  type OrganizationsInspection,
  type OrganizationsSetup,
} from "./organizations";
import { createProjectsArea, type ProjectsInspection, type ProjectsSetup } from "./projects";
import { readQuery } from "./query";
import { Records } from "./records";
import { badRequest, notFound, Refusal } from "./refusal";
import type { ProvisioningPermissions } from "./rights";

/** The state of the provisioning service. */
export interface ProvisioningInspection extends OrganizationsInspection, ProjectsInspection {}

/** What can be set up and changed in the provisioning service without a request. */
export interface ProvisioningSetup extends OrganizationsSetup, ProjectsSetup {}

/** Everything the service offers: one area a line. */
function createAreas(records: Records, options: EmulatorOptions) {
  return {
    organizations: createOrganizationsArea(records),
    projects: createProjectsArea(records, options.provisioning?.projectNameLimit ?? 36),
  };
}

/** The provisioning service: what all its endpoints have in common, and its areas. */
export class ProvisioningService implements Service<ProvisioningPermissions> {
  readonly setup: ProvisioningSetup;
  private readonly areas: ReturnType<typeof createAreas>;
  private readonly router: Router<ProvisioningEndpoint>;

  constructor(options: EmulatorOptions) {
    this.areas = createAreas(new Records(), options);
    const areas = Object.values(this.areas);
    this.setup = { ...this.areas.organizations.setup, ...this.areas.projects.setup };
    this.router = new Router(
      areas
        .flatMap(({ endpoints }) => endpoints)
        .map((endpoint) => ({ ...endpoint, path: pathPrefix + endpoint.path })),
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

  inspect(): ProvisioningInspection {
    return { ...this.areas.organizations.inspect(), ...this.areas.projects.inspect() };
  }

  clear(): void {
    for (const area of Object.values(this.areas)) {
      area.clear();
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
