import type { IncomingHttpHeaders } from "node:http";
import type { Answer, Service, ServiceRequest } from "../answer";
import { combineAreas } from "../area";
import type { EmulatorClock } from "../clock";
import type { EmulatorOptions } from "../options";
import type { Caller } from "../tokens";
import { refusalAnswer } from "./answers";
import { createDirectoryEngineArea } from "./directory/engine";
import {
  pathPrefix,
  type EngineEndpoint,
  type FixedEndpoint,
  type SecretsCaller,
  type SecretsEndpoint,
} from "./endpoint";
import { Fields } from "./fields";
import { createFoundationArea } from "./foundation";
import { createEntityAliasesArea } from "./identity/entity-aliases";
import { createPushMethodsArea } from "./mfa/push-methods";
import { createTotpMethodsArea } from "./mfa/totp-methods";
import { createTotpSecretsArea } from "./mfa/totp-secrets";
import type { EngineType } from "./mounts";
import { readOperation } from "./operation";
import { Records } from "./records";
import { permissionDenied, Refusal, unknownRoute } from "./refusal";
import { SecretsPermissions, type SecretsTokenOptions } from "./rights";
import { Routes } from "./routes";
import type { EmulatedScheduler } from "./scheduler/emulated-scheduler";
import { createSchedulerEngineArea } from "./scheduler/engine";

/** Everything the service offers: one area a line. */
function createAreas(records: Records, scheduler: EmulatedScheduler, { secrets = {} }: EmulatorOptions) {
  return combineAreas(
    createFoundationArea(records),
    createEntityAliasesArea(records),
    createTotpMethodsArea(records),
    createTotpSecretsArea(records),
    createPushMethodsArea(records),
    createDirectoryEngineArea(records),
    createSchedulerEngineArea(records, scheduler, secrets),
  );
}

type Areas = ReturnType<typeof createAreas>;

/** The state of the secrets service. */
export type SecretsInspection = ReturnType<Areas["inspect"]>;

/** What can be set up and changed in the secrets service without a request. */
export type SecretsSetup = Areas["setup"];

/** The secrets service: what all its endpoints have in common, and its areas. */
export class SecretsService implements Service<SecretsPermissions> {
  readonly areas: Areas;
  private readonly records: Records;
  private readonly fixed: Routes<FixedEndpoint>;
  private readonly engines: Readonly<Record<EngineType, Routes<EngineEndpoint>>>;

  /** @param scheduler what the scheduler engine issues tokens of */
  constructor(options: EmulatorOptions, clock: EmulatorClock, scheduler: EmulatedScheduler) {
    this.records = new Records(clock);
    this.areas = createAreas(this.records, scheduler, options);
    const endpoints: readonly SecretsEndpoint[] = this.areas.endpoints;
    const ofEngine = (engine: EngineType): Routes<EngineEndpoint> =>
      new Routes(endpoints.filter((endpoint): endpoint is EngineEndpoint => endpoint.engine === engine));
    this.fixed = new Routes(
      endpoints.filter((endpoint): endpoint is FixedEndpoint => endpoint.engine === undefined),
    );
    this.engines = { directory: ofEngine("directory"), scheduler: ofEngine("scheduler") };
  }

  /** @throws Error when the entity that they name does not exist */
  permissionsOf(options: SecretsTokenOptions = {}): SecretsPermissions {
    if (options.entityId !== undefined) {
      this.records.entities.known(options.entityId);
    }
    return new SecretsPermissions(options);
  }

  tokenOf(headers: IncomingHttpHeaders): string | undefined {
    const header = headers["x-secrets-token"];
    return typeof header === "string" ? header : undefined;
  }

  unauthorized(): Answer {
    return refusalAnswer(permissionDenied());
  }

  async respond(request: ServiceRequest<SecretsPermissions>): Promise<Answer> {
    try {
      return await this.dispatch(request);
    } catch (error) {
      if (error instanceof Refusal) {
        return refusalAnswer(error);
      }
      throw error;
    }
  }

  private async dispatch({
    method,
    path: sent,
    query,
    body,
    caller,
  }: ServiceRequest<SecretsPermissions>): Promise<Answer> {
    const path = sent.startsWith(pathPrefix) ? sent.slice(pathPrefix.length) : undefined;
    if (path === undefined) {
      throw unknownRoute(sent);
    }
    const operation = readOperation(method, query);
    if (!caller.rights.may(operation, decoded(path))) {
      throw permissionDenied();
    }
    const mounted = this.records.mounts.find(path.split("/"));
    if (mounted !== undefined) {
      const { mount, engine, rest } = mounted;
      const { target, parameters } = this.engines[engine].find(operation, rest);
      return target.handle({ ...readRequest(target, parameters, body, caller), mount });
    }
    if (!/^(?:identity|sys)\//.test(path)) {
      throw unknownRoute(path);
    }
    const { target, parameters } = this.fixed.find(operation, `/${path}`);
    return target.handle(readRequest(target, parameters, body, caller));
  }
}

function readRequest(
  { fields = [] }: SecretsEndpoint,
  parameters: Readonly<Record<string, string>>,
  body: string | undefined,
  { rights, tokenHash }: Caller<SecretsPermissions>,
) {
  const caller: SecretsCaller = { displayName: rights.displayName, entityId: rights.entityId, tokenHash };
  return {
    parameter: (name: string) => parameters[name] ?? "",
    fields: Fields.parse(body, fields),
    caller,
  };
}

/** For the comparison with a token's rights; a path that cannot be decoded stays as it is, and leads nowhere. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
