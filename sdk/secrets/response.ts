import type * as Zod from "zod";
import { ContractError, TriviumError } from "../base/errors";
import type { Path } from "../base/path";
import type { Current, Fields } from "../resource/fields/field";
import type { HttpResponse } from "../http/transport";
import type { Validation } from "../base/validation";
import { parseDuration } from "../base/duration";
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
  if (!isObject(body)) {
    return { data: body ?? undefined, lease: leaseOf({}), warnings: [] };
  }
  const enveloped = "data" in body || "errors" in body;
  return {
    data: enveloped ? (body.data ?? undefined) : body,
    lease: leaseOf(body),
    warnings: Array.isArray(body.warnings) ? body.warnings.filter((text) => typeof text === "string") : [],
  };
}

function leaseOf(envelope: Readonly<Record<string, unknown>>): Lease {
  const { lease_id: id, lease_duration: duration, renewable } = envelope;
  return {
    id: typeof id === "string" ? id : "",
    durationSeconds: parseDuration(duration) ?? 0,
    renewable: renewable === true,
  };
}

/** Missing and null mean the same. */
export function textIfGiven(z: Validation): Zod.ZodType<string | undefined, string | null | undefined> {
  return z
    .string()
    .nullish()
    .transform((text) => text ?? undefined);
}

/** @throws ContractError for data about another object; the data may omit its id */
export function assertAbout(response: HttpResponse, id: string): void {
  const { data } = contentOf(response);
  const told = isObject(data) ? (data.id ?? id) : id;
  if (told !== id) {
    throw new ContractError({
      request: response.request,
      at: "data.id",
      problem: `expected ${JSON.stringify(id)}`,
    });
  }
}

/** `data.keys`, or a bare array; `undefined` when it is neither. */
export function namesOf(data: unknown): readonly unknown[] | undefined {
  const names = isObject(data) ? data.keys : data;
  return Array.isArray(names) ? names : undefined;
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

/** @returns what the service says if it has no such path; `undefined` for a missing object */
export function notOffered({ status, body }: HttpResponse): string | undefined {
  const errors = isObject(body) && Array.isArray(body.errors) ? body.errors : [];
  const texts = status === 404 ? errors.filter((text) => typeof text === "string") : [];
  return texts.map((text) => /unsupported path|no handler for route/i.exec(text)?.[0]).find(Boolean);
}

/** @throws ContractError when the response lacks a required value */
export function resultOf<Rows, Result extends object>(
  fields: Fields<Rows>,
  known: object,
  state: Current<Rows>,
  path: Path,
): Result {
  const refuse = (member: string): ContractError =>
    new ContractError({ request: `GET ${path}`, at: `data.${member}`, problem: "expected a value" });
  return fields.result(known, state, refuse) as Result;
}
