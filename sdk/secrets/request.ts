import type { Advice } from "../base/errors";
import type { Path } from "../base/path";

export interface SecretsRequest {
  /** A description of the request; starts with a verb. */
  readonly summary: string;
  readonly path: Path;
  /**
   * The advice by status. For a read, that of 404 is shown if the path does not exist, because an absent
   * object is not an error.
   */
  readonly advice?: Advice;
  /** The advice if the response is lost, for requests that are not idempotent. */
  readonly ifLost?: string;
  /** The ID of the resource that a read or a deletion is about. */
  readonly resource?: string | undefined;
  /** Default: only the service's own message shows that an object does not exist. */
  readonly listed?: Listed;
}

export interface ListRequest extends SecretsRequest {
  /** Documented as a plain `GET`, without `list=true`. */
  readonly isPlain?: true | undefined;
}

/**
 * Lists that show whether an object exists if a response might come from a gateway, because error bodies are
 * not documented.
 */
export interface Listed {
  /**
   * The object's name in the lists. Default: the lists do not contain the object, but show that the service
   * is there.
   */
  readonly as?: string | undefined;
  /** The lists, requested in turn until one returns names. */
  readonly lists: readonly ListRequest[];
}
