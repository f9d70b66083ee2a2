import type { Answer } from "../answer";
import type { Endpoint } from "../router";
import type { Query } from "./query";
import type { ProvisioningPermissions } from "./rights";

/** Below which every path of the service lies. */
export const pathPrefix = "/api/v2";

/** A request that has passed what is the same for all endpoints: token, media type, query, JSON. */
export interface ProvisioningRequest {
  /** The value of a parameter of the path, decoded. */
  parameter(name: string): string;
  readonly query: Query;
  /** Parsed; `undefined` when there was none. */
  readonly body: unknown;
  readonly permissions: ProvisioningPermissions;
  readonly caller: { readonly name: string; readonly userId: string };
  /** The absolute address of this path, without the query. */
  readonly url: string;
}

/** An endpoint of the provisioning service; its path is written below the prefix. */
export interface ProvisioningEndpoint extends Endpoint {
  /** Query parameters it knows; others are refused. Default none. */
  readonly query?: readonly string[];
  /** Whether it answers without a token too, or with a wrong one. Default false. */
  readonly open?: boolean;
  /** Whether it takes a body; one that does not refuses it. */
  readonly takesBody: boolean;
  /** Throws a `Refusal` for every answer that is not success. */
  handle(request: ProvisioningRequest): Answer | Promise<Answer>;
}
