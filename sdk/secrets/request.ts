import type { Advice } from "../base/errors";
import type { Path } from "../base/path";

export interface SecretsRequest {
  /** Starts with a verb. */
  readonly summary: string;
  readonly path: Path;
  /** Of a read, that for 404 is shown if the service has no such path: an absent object is not an error. */
  readonly advice?: Advice;
  /** The advice if the response is lost, for requests that are not idempotent. */
  readonly ifLost?: string;
  /** The ID of the resource that a read or a deletion is about. */
  readonly resource?: string | undefined;
  /** Default: only the service's own words say that something does not exist. */
  readonly listed?: Listed;
}

export interface ListRequest extends SecretsRequest {
  /** Documented as a plain `GET`, without `list=true`. */
  readonly isPlain?: true | undefined;
}

/** What shows whether an object exists where a response may come from a gateway: the documentation has no error bodies. */
export interface Listed {
  /** Its name in the list. Default: no list names it, but one shows that the service is there. */
  readonly as?: string | undefined;
  /** Asked in turn until one responds with names. */
  readonly lists: readonly ListRequest[];
}
