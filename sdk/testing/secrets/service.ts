import type { IncomingHttpHeaders } from "node:http";
import { combineAreas } from "../area";
import type { EmulatorClock } from "../clock";
import {
  jsonResponse,
  type Service,
  type ServiceBasics,
  type ServiceRequest,
  type ServiceResponse,
} from "../response";
import { Router } from "../router";
import { bearerToken, type Caller, Tokens } from "../tokens";
import { Body } from "./body";
import { createClientsArea } from "./clients/area";
import { refusalOf } from "./clients/unserved";
import { readWrapTtl, Wrapping } from "./clients/wrapping";
import { withOneName } from "./directory/names";
import { createDirectoryEngineArea } from "./directory/engine";
import type { EngineEndpoint, FixedEndpoint, SecretsEndpoint, SecretsRequest } from "./endpoint";
import { createFoundationArea } from "./foundation";
import { createEntityAliasesArea } from "./identity/entity-aliases";
import { createLeasesArea } from "./lease-endpoints";
import { createLoginsArea } from "./logins";
import { createPushMethodsArea } from "./mfa/push-methods";
import { createTotpMethodsArea } from "./mfa/totp-methods";
import { createTotpSecretsArea } from "./mfa/totp-secrets";
import { decoded, type EngineType } from "./mounts";
import { Policies } from "./policies";
import { Records } from "./records";
import {
  badRequest,
  notImplemented,
  permissionDenied,
  Refusal,
  unknownRoute,
  unsupportedPath,
} from "./refusal";
import { dataResponse, withWarnings } from "./responses";
import { SecretsPermissions } from "./rights";
import { findEndpoint, type Operation, readOperation } from "./routes";
import type { EmulatedScheduler } from "./scheduler/access";
import { createSchedulerEngineArea } from "./scheduler/engine";
import { createTokensArea, policiesOf, TokenStore } from "./tokens";
import type { SecretsEmulatorOptions } from "./types";
import type { SecretsTokenOptions } from "./seeds";
import { type SecretsTraits, secretsTraits } from "./traits";

const pathPrefix = "/v1/";
/** Paths of the products that do not require a token. */
const publicPaths = /^sys\/(?:health|init|leader|seal-status|wrapping\/(?:lookup|rewrap|unwrap))$/;
const loginPath = /^auth\/(?!token\/).+\/login(?:\/[^/]+)?$/;

/** The paths of engines with an existence check, in OpenBao 2.6 and the engines of Vault. */
const namedObjects =
  /^\/(?:config|config\/access|role\/.+|static-role\/.+|library\/(?!manage\/|.*\/(?:check-in|check-out)$).+)$/;

function createAreas(
  records: Records,
  scheduler: EmulatedScheduler,
  options: SecretsEmulatorOptions,
  store: TokenStore,
  wrapping: Wrapping,
  policies: Policies,
) {
  return combineAreas(
    createFoundationArea(records),
    createLoginsArea(records, store),
    createTokensArea(records, store, wrapping, policies),
    createEntityAliasesArea(records),
    createTotpMethodsArea(records),
    createTotpSecretsArea(records),
    createPushMethodsArea(records),
    createDirectoryEngineArea(records),
    createSchedulerEngineArea(records, scheduler, options),
    createLeasesArea(records),
    createClientsArea(records, store.tokens, wrapping, policies),
  );
}

type Areas = ReturnType<typeof createAreas>;

/** The contents of the secrets service that can be changed without a request. */
export type SecretsSetup = Areas["setup"];

export class SecretsService implements Service<SecretsPermissions, SecretsTokenOptions> {
  readonly areas: Areas;
  readonly tokens: Tokens<SecretsPermissions>;
  private readonly traits: SecretsTraits;
  private readonly clock: EmulatorClock;
  private readonly records: Records;
  private readonly wrapping: Wrapping;
  private readonly policies = new Policies();
  private readonly namespaces: ReadonlySet<string>;
  private readonly fixed: Router<FixedEndpoint>;
  private readonly engines: Readonly<Record<EngineType, Router<EngineEndpoint>>>;

  constructor(
    { dialect, clock, token }: ServiceBasics,
    options: SecretsEmulatorOptions,
    scheduler: EmulatedScheduler,
  ) {
    this.traits = secretsTraits[dialect];
    this.clock = clock;
    this.records = new Records(
      clock,
      this.traits,
      dialect === "documented" ? dialect : (options.directoryEngine ?? "vault"),
    );
    this.tokens = new Tokens(token, this.permissionsOf({ displayName: "root" }));
    this.wrapping = new Wrapping(this.records);
    this.namespaces = new Set(["", "root", ...(options.namespaces ?? []).map(normalizedNamespace)]);
    const store = new TokenStore(this.records, this.tokens, (more) => this.permissionsOf(more));
    this.areas = createAreas(this.records, scheduler, options, store, this.wrapping, this.policies);
    const endpoints: readonly SecretsEndpoint[] = this.areas.endpoints;
    const ofEngine = (engine: EngineType): Router<EngineEndpoint> =>
      new Router(endpoints.filter((endpoint) => endpoint.engine === engine));
    this.fixed = new Router(endpoints.filter((endpoint) => endpoint.engine === undefined));
    this.engines = { directory: ofEngine("directory"), scheduler: ofEngine("scheduler") };
  }

  /** @throws Error if the entity does not exist */
  permissionsOf(options: SecretsTokenOptions = {}): SecretsPermissions {
    const entity = options.entityId === undefined ? undefined : this.records.entities.get(options.entityId);
    const policies = options.policies && { policies: policiesOf(options.policies, true) };
    return new SecretsPermissions(
      { ...options, ...policies },
      this.traits,
      this.policies,
      this.clock.now(),
      entity?.policies,
    );
  }

  /** The products also accept the token in the `Authorization` header. */
  tokenOf(headers: IncomingHttpHeaders): string | undefined {
    const header = headers[this.traits.tokenHeader];
    if (typeof header === "string") {
      return header;
    }
    return this.traits.takesBearerTokens ? bearerToken(headers.authorization) : undefined;
  }

  async respond(request: ServiceRequest<SecretsPermissions>): Promise<ServiceResponse> {
    const { "x-vault-namespace": namespace } = request.headers;
    const response = await this.dispatch(request).catch((error: unknown) => {
      if (error instanceof Refusal) {
        return jsonResponse(error.status, { errors: error.errors });
      }
      throw error;
    });
    if (!this.traits.hasNamespaces) {
      return response;
    }
    const named: Readonly<Record<string, string>> =
      typeof namespace === "string" ? { "X-Vault-Namespace": namespace } : {};
    const usual = { "Cache-Control": "no-store", "Content-Type": "application/json" };
    return { ...response, headers: { ...usual, ...response.headers, ...named } };
  }

  private async dispatch(request: ServiceRequest<SecretsPermissions>): Promise<ServiceResponse> {
    const { path: sent, query, headers } = request;
    const path = this.pathIn(request);
    const isProbe = this.traits.answersToHead && path === "sys/health" && request.method === "HEAD";
    const method = isProbe ? "GET" : request.method;
    const wrapTtl = this.traits.wrapsResponses ? readWrapTtl(headers["x-vault-wrap-ttl"]) : 0;
    const caller = request.caller ?? this.anonymousAt(path, this.tokenOf(headers) ?? "");
    if (!sent.startsWith(pathPrefix)) {
      throw unknownRoute(sent);
    }
    const { rights } = caller;
    const isExpired = this.clock.now() >= (rights.expiresAt ?? Infinity);
    if (this.traits.describesPaths && query.get("help") && !isExpired) {
      return this.describe(path);
    }
    const operation = readOperation(method, query, this.traits);
    // For the rights, the path is decoded as a whole or not at all.
    const isFirst =
      operation === "POST" && rights.isEnforced && (await this.isFirstWrite(request, path, caller));
    if (isExpired || !rights.may(operation, decoded(path), isFirst)) {
      throw permissionDenied(this.traits.numbersDenials && !isExpired);
    }
    const response = await this.answer(request, operation, path, caller);
    const shownPath = operation === "LIST" ? `${path}/` : path;
    return wrapTtl > 0 ? this.wrapping.wrap(response, shownPath, wrapTtl) : response;
  }

  private async answer(
    request: ServiceRequest<SecretsPermissions>,
    operation: Operation,
    path: string,
    caller: Caller<SecretsPermissions>,
  ): Promise<ServiceResponse> {
    const mounted = this.records.mounts.find(path.split("/"));
    if (mounted !== undefined) {
      const { mount, engine, rest } = mounted;
      const isNamed = this.traits.takesNamesWithSlashes && engine === "directory" && operation !== "LIST";
      const at = isNamed ? withOneName(rest) : rest;
      const { target, parameters } = findEndpoint(this.engines[engine], operation, at);
      const read = this.readRequest(request, operation, caller, target, parameters);
      return responseOf(operation, await target.handle({ ...read, mount }), read);
    }
    // Paths of the service itself, independent of mounts.
    if (!this.traits.ownPaths.test(path)) {
      throw unknownRoute(path);
    }
    // Where the login of an auth method is depends on its mount.
    const at = loginPath.test(path) ? path.replace("auth", "/login") : `/${path}`;
    const missing = this.traits.hasProductPaths ? refusalOf(path, this.records.mounts) : unsupportedPath();
    const { target, parameters } = findEndpoint(this.fixed, operation, at, missing);
    const read = this.readRequest(request, operation, caller, target, parameters);
    return responseOf(operation, await target.handle(read), read);
  }

  /** In the products each valid token is allowed to read the description of a path. */
  private describe(path: string): ServiceResponse {
    const { engine, rest } = this.records.mounts.find(path.split("/")) ?? { rest: `/${path}` };
    const router: Router<FixedEndpoint | EngineEndpoint> =
      engine === undefined ? this.fixed : this.engines[engine];
    const found = router.all(rest);
    if (found.length === 0) {
      throw engine === undefined ? unknownRoute(path) : unsupportedPath();
    }
    const names = found.flatMap(({ target, parameters }) => [
      ...Object.keys(parameters).filter((name) => name !== "*"),
      ...(target.fields ?? []),
    ]);
    return jsonResponse(200, { help: descriptionOf(rest.slice(1), names), see_also: null });
  }

  /** Where an engine can look up whether there is an object, its first write needs another capability. */
  private async isFirstWrite(
    request: ServiceRequest<SecretsPermissions>,
    path: string,
    caller: Caller<SecretsPermissions>,
  ): Promise<boolean> {
    const rest = this.records.mounts.find(path.split("/"))?.rest ?? "";
    if (!namedObjects.test(rest)) {
      return false;
    }
    const read = { ...request, method: "GET", body: undefined };
    return this.answer(read, "GET", path, caller).then(
      () => false,
      (error: unknown) => error instanceof Refusal && error.status === 404,
    );
  }

  /**
   * The products accept a slash at the end of a path that is read or listed, and namespaces before the path.
   */
  private pathIn({ method, path: sent, headers }: ServiceRequest<SecretsPermissions>): string {
    const path = sent.slice(pathPrefix.length);
    if (!this.traits.hasNamespaces) {
      return path;
    }
    const header = normalizedNamespace(String(headers["x-vault-namespace"] ?? ""));
    if (!this.namespaces.has(header)) {
      throw path === "sys/health"
        ? badRequest("operation unavailable in namespaces")
        : new Refusal(404, ["namespace not found"]);
    }
    if (/^P(?:OST|UT)$/.test(method) && path.endsWith("/")) {
      throw badRequest("cannot write to a path ending in '/'");
    }
    const own = [...this.namespaces].find((name) => name !== "" && path.startsWith(`${name}/`)) ?? "";
    return path.slice(own === "" ? 0 : own.length + 1).replace(/\/$/, "");
  }

  /** @throws Refusal 403 where a token is required */
  private anonymousAt(path: string, token: string): Caller<SecretsPermissions> {
    // A token for a wrapped response can be used once, and only for this.
    if (!publicPaths.test(path) && this.wrapping.discard(token)) {
      throw path.startsWith("cubbyhole/") ? notImplemented(path) : permissionDenied(true);
    }
    if (!this.traits.hasProductPaths || !(publicPaths.test(path) || loginPath.test(path))) {
      throw permissionDenied();
    }
    const rights = this.permissionsOf({ access: "none", paths: { [path]: "full" } });
    return { name: "nobody", rights, tokenHash: "" };
  }

  private readRequest(
    { body: sent, headers, query }: ServiceRequest<SecretsPermissions>,
    operation: Operation,
    caller: Caller<SecretsPermissions>,
    { fields: known = [] }: FixedEndpoint | EngineEndpoint,
    parameters: Readonly<Record<string, string>>,
  ): SecretsRequest {
    const { traits } = this;
    // If a request does not have a body, the products read its query instead.
    const body = traits.readsQueryAsBody && operation !== "POST" ? textOfQuery(query) : sent;
    return {
      parameter: (name: string) => parameters[name] ?? "",
      query,
      body: Body.parse(body, { known, captured: Object.keys(parameters), traits }),
      caller: { ...caller, token: this.tokenOf(headers) ?? "" },
    };
  }
}

function textOfQuery(query: URLSearchParams): string {
  const names = [...new Set(query.keys())].filter((name) => name !== "list");
  return JSON.stringify(
    Object.fromEntries(
      names.map((name) => {
        const [first, ...more] = query.getAll(name);
        return [name, more.length === 0 ? first : [first, ...more]];
      }),
    ),
  );
}

/** As sdk/framework/path.go of OpenBao 2.6.2 writes it, without types and descriptions. */
function descriptionOf(request: string, names: readonly string[]): string {
  const parameters = [...new Set(names)].sort().map((name) => `    ${name} (type not described)\n`);
  return [`Request:        ${request}\n`, "## PARAMETERS\n", ...parameters].join("\n");
}

function normalizedNamespace(name: string): string {
  return name.replace(/^\/+|\/+$/g, "");
}

function responseOf(
  operation: Operation,
  response: ServiceResponse | undefined,
  { body: { warnings } }: SecretsRequest,
): ServiceResponse {
  if (response !== undefined) {
    return withWarnings(response, warnings);
  }
  if (operation === "LIST" && warnings.length > 0) {
    return dataResponse({}, { warnings });
  }
  if (operation === "GET" || operation === "LIST") {
    throw new Refusal(404, []);
  }
  return { status: 204 };
}
