import type { IncomingHttpHeaders } from "node:http";
import type { AnonymousRequest, Service, ServiceRequest, ServiceResponse } from "../response";
import { type Area, combineAreas } from "../area";
import type { EmulatorClock } from "../clock";
import type { EmulatorDialect } from "../dialect";
import { bearerToken, type Tokens } from "../tokens";
import { refusalResponse, withWarnings, type SecretsResponse } from "./responses";
import { Body } from "./body";
import { secretsDialects, type SecretsDialect } from "./dialect";
import { createDirectoryEngineArea } from "./directory/engine";
import type { EngineEndpoint, FixedEndpoint, SecretsEndpoint, SecretsRequest } from "./endpoint";
import { createFoundationArea } from "./foundation";
import { createEntityAliasesArea } from "./identity/entity-aliases";
import { createPushMethodsArea } from "./mfa/push-methods";
import { createTotpMethods, createTotpMethodsArea } from "./mfa/totp-methods";
import { createTotpSecretsArea } from "./mfa/totp-secrets";
import { createLoginsArea, type LoginSetup } from "./logins";
import type { EngineType } from "./mounts";
import { readOperation, type Operation } from "./operation";
import { Records } from "./records";
import { notFound, permissionDenied, Refusal, unknownRoute } from "./refusal";
import { SecretsPermissions, type SecretsTokenOptions } from "./rights";
import { Routes } from "./routes";
import type { EmulatedScheduler } from "./scheduler/emulated-scheduler";
import { createSchedulerEngineArea, type SecretsEmulatorOptions } from "./scheduler/engine";
import { createSystemArea } from "./system/system";

/** Below which every path of the service lies. */
const pathPrefix = "/v1/";

/** Everything the service offers: one area a line. */
function createAreas(
  records: Records,
  scheduler: EmulatedScheduler,
  options: SecretsEmulatorOptions,
  logins: Area<FixedEndpoint, object, LoginSetup>,
) {
  const totpMethods = createTotpMethods();
  return combineAreas(
    createFoundationArea(records),
    createEntityAliasesArea(records),
    createTotpMethodsArea(records, totpMethods),
    createTotpSecretsArea(records, totpMethods),
    createPushMethodsArea(records),
    createDirectoryEngineArea(records),
    createSchedulerEngineArea(records, scheduler, options),
    createSystemArea(records),
    logins,
  );
}

type Areas = ReturnType<typeof createAreas>;

/** The state of the secrets service. */
export type SecretsInspection = ReturnType<Areas["inspect"]>;

/** The contents of the secrets service that can be changed without a request. */
export type SecretsSetup = Areas["setup"];

/** The secrets service: what all its endpoints have in common, and its areas. */
export class SecretsService implements Service<SecretsPermissions> {
  readonly areas: Areas;
  private readonly dialect: SecretsDialect;
  private readonly records: Records;
  private readonly fixed: Routes<FixedEndpoint>;
  private readonly engines: Readonly<Record<EngineType, Routes<EngineEndpoint>>>;

  /**
   * @param scheduler what the scheduler engine issues tokens of
   * @param tokens all that the service accepts
   */
  constructor(
    dialect: EmulatorDialect,
    options: SecretsEmulatorOptions,
    clock: EmulatorClock,
    scheduler: EmulatedScheduler,
    tokens: () => Tokens<SecretsPermissions>,
  ) {
    this.dialect = secretsDialects[dialect];
    this.records = new Records(clock, dialect);
    const logins = createLoginsArea(this.records, tokens, (more) => this.permissionsOf(more));
    this.areas = createAreas(this.records, scheduler, options, logins);
    const endpoints: readonly SecretsEndpoint[] = this.areas.endpoints;
    const ofEngine = (engine: EngineType): Routes<EngineEndpoint> =>
      new Routes(endpoints.flatMap((endpoint) => (endpoint.engine === engine ? [endpoint] : [])));
    this.fixed = new Routes(
      endpoints.flatMap((endpoint) => (endpoint.engine === undefined ? [endpoint] : [])),
    );
    this.engines = { directory: ofEngine("directory"), scheduler: ofEngine("scheduler") };
  }

  /** @throws Error when the entity that they name does not exist */
  permissionsOf(options: SecretsTokenOptions = {}): SecretsPermissions {
    const { entities, clock } = this.records;
    if (options.entityId !== undefined) {
      entities.known(options.entityId);
    }
    return new SecretsPermissions(options, this.dialect.grants, clock.now());
  }

  tokenOf(headers: IncomingHttpHeaders): string | undefined {
    const { tokenHeader, takesBearerTokens } = this.dialect;
    const header = headers[tokenHeader];
    if (typeof header === "string") {
      return header;
    }
    return takesBearerTokens ? bearerToken(headers.authorization) : undefined;
  }

  async unauthorized(request: AnonymousRequest): Promise<ServiceResponse> {
    const path = request.path.slice(pathPrefix.length);
    if (!this.dialect.publicPaths.test(path)) {
      return refusalResponse(permissionDenied());
    }
    const rights = this.permissionsOf({ access: "none", paths: { [path]: "full" } });
    return this.respond({ ...request, caller: { name: "nobody", rights, tokenHash: "" } });
  }

  async respond(request: ServiceRequest<SecretsPermissions>): Promise<ServiceResponse> {
    try {
      return await this.dispatch(request);
    } catch (error) {
      if (error instanceof Refusal) {
        return refusalResponse(error);
      }
      throw error;
    }
  }

  private async dispatch(request: ServiceRequest<SecretsPermissions>): Promise<ServiceResponse> {
    const { method, path: sent, query } = request;
    const { rights } = request.caller;
    const { mounts, clock } = this.records;
    const path = sent.startsWith(pathPrefix) ? sent.slice(pathPrefix.length) : undefined;
    if (path === undefined) {
      throw unknownRoute(sent);
    }
    const operation = readOperation(method, query, this.dialect.bodyRules.unknown);
    if (clock.now() >= (rights.expiresAt ?? Infinity) || !rights.may(operation, decoded(path))) {
      throw permissionDenied();
    }
    const mounted = mounts.find(path.split("/"));
    if (mounted !== undefined) {
      const { mount, engine, rest } = mounted;
      const { target, parameters } = this.engines[engine].find(operation, rest);
      const read = this.readRequest(request, target, parameters);
      return responseOf(operation, await target.handle({ ...read, mount }), read);
    }
    if (!this.dialect.ownPaths.some((beginning) => path.startsWith(beginning))) {
      throw unknownRoute(path);
    }
    const { target, parameters } = this.fixed.find(operation, `/${path}`);
    const read = this.readRequest(request, target, parameters);
    return responseOf(operation, await target.handle(read), read);
  }

  private readRequest(
    { body, headers, caller: { rights, tokenHash } }: ServiceRequest<SecretsPermissions>,
    { fields: known = [] }: FixedEndpoint | EngineEndpoint,
    parameters: Readonly<Record<string, string>>,
  ): SecretsRequest {
    const { displayName, entityId } = rights;
    const token = this.tokenOf(headers) ?? "";
    const rules = this.dialect.bodyRules;
    return {
      parameter: (name: string) => parameters[name] ?? "",
      body: Body.parse(body, { known, captured: Object.keys(parameters), rules }),
      caller: { displayName, entityId, tokenHash, token, rights },
    };
  }
}

function responseOf(
  operation: Operation,
  response: SecretsResponse | undefined,
  { body: { warnings } }: SecretsRequest,
): ServiceResponse {
  if (response !== undefined) {
    return withWarnings(response, warnings);
  }
  if (operation === "GET" || operation === "LIST") {
    throw notFound();
  }
  return { status: 204 };
}

/** For the comparison with a token's rights; a path that cannot be decoded stays as it is, and leads nowhere. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
