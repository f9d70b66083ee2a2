import type { Area } from "../area";
import type { ServiceResponse } from "../response";
import type { Caller } from "../tokens";
import type { Body } from "./body";
import type { EngineType } from "./mounts";
import type { SecretsPermissions } from "./rights";
import type { Operation } from "./routes";
import type { MountRecord, SecretsInspection } from "./types";
import type { SecretsTraits } from "./traits";

export interface SecretsCaller extends Caller<SecretsPermissions> {
  readonly token: string;
}

/** A request that has passed the checks common to all endpoints: token, rights, query, JSON, known attributes. */
export interface SecretsRequest {
  /** The decoded value of a path parameter. */
  readonly parameter: (name: string) => string;
  readonly body: Body;
  readonly query: URLSearchParams;
  readonly caller: SecretsCaller;
}

export interface EngineRequest extends SecretsRequest {
  /** An engine can be mounted several times, each mount with its own state. */
  readonly mount: MountRecord;
}

/** Throws a `Refusal` unless it succeeds. `undefined` means 404 for a read, and 204 for other operations. */
type Handle<Request> = (
  request: Request,
) => ServiceResponse | undefined | Promise<ServiceResponse | undefined>;

interface Endpoint<Request> {
  readonly method: Operation;
  /** `:name` matches any one segment, `*` at the end matches the rest. */
  readonly path: string;
  /** The attributes that the body can have. Default: none. */
  readonly fields?: readonly string[];
  readonly handle: Handle<Request>;
}

/** @param fields query parameters of the products */
export const reads = <Request>(
  path: string,
  handle: Handle<Request>,
  fields: readonly string[] = [],
): Endpoint<Request> => {
  return { method: "GET", path, fields, handle };
};

export const lists = <Request>(path: string, handle: Handle<Request>): Endpoint<Request> => {
  return { method: "LIST", path, handle };
};

export const writes = <Request>(
  path: string,
  fields: readonly string[],
  handle: Handle<Request>,
): Endpoint<Request> => {
  return { method: "POST", path, fields, handle };
};

export const deletes = <Request>(path: string, remove: (request: Request) => unknown): Endpoint<Request> => {
  return { method: "DELETE", path, handle: (request) => void remove(request) };
};

/** An endpoint with a fixed path below the prefix, such as `/identity/entity-alias`. */
export interface FixedEndpoint extends Endpoint<SecretsRequest> {
  readonly engine?: undefined;
}

/** `path` is relative to the engine's mount. */
export type EngineEndpoint = Endpoint<EngineRequest>;

export type SecretsEndpoint = FixedEndpoint | (EngineEndpoint & { readonly engine: EngineType });

/** Endpoints of the products that the documentation does not have. */
export function productArea(
  { traits }: { readonly traits: SecretsTraits },
  endpoints: readonly FixedEndpoint[],
): Area<FixedEndpoint, object, object> {
  return { endpoints: traits.hasProductPaths ? endpoints : [], setup: {}, inspect: () => ({}) };
}

export type SecretsArea<Endpoint, Shown extends keyof SecretsInspection, Setup> = Area<
  Endpoint,
  Pick<SecretsInspection, Shown>,
  Setup
>;
