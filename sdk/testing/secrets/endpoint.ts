import type { SecretsAnswer } from "./answers";
import type { Fields } from "./fields";
import type { EngineType, MountRecord } from "./mounts";
import type { SecretsPermissions } from "./rights";

/** Below which every path of the service lies. */
export const pathPrefix = "/v1/";

/** What a request asks for. `PUT` counts as `POST`, and `GET` with `list=true` as `LIST`. */
export type Operation = "GET" | "LIST" | "POST" | "DELETE";

/** Who asks. */
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
  readonly fields: Fields;
  readonly caller: SecretsCaller;
}

/** A request to an engine. */
export interface EngineRequest extends SecretsRequest {
  /** The mount that it goes to: an engine can be mounted several times, each with a state of its own. */
  readonly mount: MountRecord;
}

interface EndpointDescription {
  readonly operation: Operation;
  /** `:name` stands for any one segment, `*` at the end for all the rest. */
  readonly path: string;
  /** Attributes that the body may hold besides. Default none. */
  readonly fields?: readonly string[];
}

/** An endpoint whose path below the prefix is fixed, such as `/identity/entity-alias`. */
export interface FixedEndpoint extends EndpointDescription {
  readonly engine?: undefined;
  /** Throws a `Refusal` for every answer that is not success. */
  handle(request: SecretsRequest): SecretsAnswer | Promise<SecretsAnswer>;
}

/** An endpoint of an engine; its path, such as `/config`, is below wherever the engine is mounted. */
export interface EngineEndpoint extends EndpointDescription {
  readonly engine: EngineType;
  /** Throws a `Refusal` for every answer that is not success. */
  handle(request: EngineRequest): SecretsAnswer | Promise<SecretsAnswer>;
}

/** Any endpoint of the secrets service. */
export type SecretsEndpoint = FixedEndpoint | EngineEndpoint;
