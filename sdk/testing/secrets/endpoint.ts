import type { ServiceResponse } from "../response";
import type { Body } from "./body";
import type { EngineType } from "./mounts";
import type { SecretsPermissions } from "./rights";
import type { Operation } from "./routes";
import type { MountRecord } from "./types";

/** The caller. */
export interface SecretsCaller {
  /** The name that templates and issued credentials show. */
  readonly displayName: string;
  /** `undefined` for a token that belongs to no entity. */
  readonly entityId: string | undefined;
  /** A salted hash: the same for every request with this token, and of no use for anything else. */
  readonly tokenHash: string;
  readonly token: string;
  readonly rights: SecretsPermissions;
}

/** A request that has passed what is the same for all endpoints: token, rights, query, JSON, known attributes. */
export interface SecretsRequest {
  /** The value of a parameter of the path, decoded. */
  readonly parameter: (name: string) => string;
  readonly body: Body;
  readonly caller: SecretsCaller;
}

/** A request to an engine. */
export interface EngineRequest extends SecretsRequest {
  /** The mount that it goes to: an engine can be mounted several times, each with a state of its own. */
  readonly mount: MountRecord;
}

/**
 * What is done about a request. It throws a `Refusal` for every response that is not success. `undefined`
 * means 404 without a body for a read, and 204 for other operations.
 */
type Handle<Request> = (
  request: Request,
) => ServiceResponse | undefined | Promise<ServiceResponse | undefined>;

interface Endpoint<Request> {
  readonly operation: Operation;
  /** `:name` matches any one segment, `*` at the end matches the rest. */
  readonly path: string;
  /** Attributes that the body may hold. Default none. */
  readonly fields?: readonly string[];
  readonly handle: Handle<Request>;
}

export const reads = <Request>(path: string, handle: Handle<Request>): Endpoint<Request> => {
  return { operation: "GET", path, handle };
};

export const lists = <Request>(path: string, handle: Handle<Request>): Endpoint<Request> => {
  return { operation: "LIST", path, handle };
};

/** @param fields attributes that the body may hold */
export const writes = <Request>(
  path: string,
  fields: readonly string[],
  handle: Handle<Request>,
): Endpoint<Request> => {
  return { operation: "POST", path, fields, handle };
};

export const deletes = <Request>(path: string, remove: (request: Request) => unknown): Endpoint<Request> => ({
  operation: "DELETE",
  path,
  handle(request) {
    remove(request);
  },
});

/** An endpoint whose path below the prefix is fixed, such as `/identity/entity-alias`. */
export interface FixedEndpoint extends Endpoint<SecretsRequest> {
  readonly engine?: undefined;
}

/** An endpoint of an engine; its path, such as `/config`, is below wherever the engine is mounted. */
export type EngineEndpoint = Endpoint<EngineRequest>;

/** Any endpoint of the secrets service. */
export type SecretsEndpoint = FixedEndpoint | (EngineEndpoint & { readonly engine: EngineType });
