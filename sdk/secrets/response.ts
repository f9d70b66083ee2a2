import { ContractError, NotFoundError, TriviumError } from "../base/errors";
import type { Path } from "../base/path";
import type { Current, Fields } from "../resource/fields/field";
import type { HttpResponse } from "../http/transport";
import { parseDuration } from "../base/timing";
import { isObject } from "../base/json";

export interface Lease {
  /** Empty if the service returns none. */
  readonly id: string;
  readonly durationSeconds: number;
  readonly renewable: boolean;
}

export interface Content {
  /** `undefined` if the response has no body or `null`. */
  readonly data: unknown;
  readonly lease: Lease;
  readonly warnings: readonly string[];
}

/** A response without an envelope is its own content. */
export function contentOf({ body }: HttpResponse): Content {
  const envelope = isObject(body) ? body : {};
  const { lease_id: id, lease_duration: duration, renewable, warnings } = envelope;
  const data = "data" in envelope || "errors" in envelope ? envelope.data : body;
  return {
    data: data ?? undefined,
    lease: {
      id: typeof id === "string" ? id : "",
      durationSeconds: parseDuration(duration) ?? 0,
      renewable: renewable === true,
    },
    warnings: Array.isArray(warnings) ? warnings.filter((text) => typeof text === "string") : [],
  };
}

/** @throws ContractError for data about another object; the data may omit its id */
export function assertAbout(response: HttpResponse, id: string | undefined): void {
  const { data } = contentOf(response);
  if (id !== undefined && isObject(data) && (data.id ?? id) !== id) {
    const problem = `expected ${JSON.stringify(id)}`;
    throw new ContractError({ request: response.request, at: "data.id", problem });
  }
}

/**
 * Absent is a 404 with any JSON or without a body: the documentation shows no error bodies.
 *
 * @throws TriviumError for text: a proxy, or another server at this address, proves nothing
 */
export function isAbsent({ status, isText, request }: HttpResponse): boolean {
  if (status !== 404) {
    return false;
  }
  if (isText === true) {
    throw new TriviumError(
      `${request} returned 404 with text instead of JSON, which does not prove that the object does not exist.`,
      { advice: "Check that the address is that of the secrets service. State is unchanged." },
    );
  }
  return true;
}

/**
 * @param known what the response may lack; the response has priority
 * @throws NotFoundError without a state, ContractError when it lacks a required value
 */
export function resultOf<Rows, Result extends object>(
  fields: Fields<Rows>,
  known: object,
  state: Current<Rows> | undefined,
  { what, path }: { readonly what: string; readonly path: Path },
): Result {
  if (state === undefined) {
    throw new NotFoundError(`The ${what} does not exist.`);
  }
  const refuse = (member: string): ContractError =>
    new ContractError({ request: `GET ${path}`, at: `data.${member}`, problem: "expected a value" });
  return fields.result({ ...known, ...state }, state, refuse) as Result;
}
