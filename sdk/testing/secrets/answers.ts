import { randomUUID } from "node:crypto";
import { jsonAnswer, type Answer } from "../answer";
import type { LeaseRecord } from "./leases";
import { notFound, type Refusal } from "./refusal";

/** What an answer can hold besides its data. */
export interface EnvelopeOptions {
  readonly warnings?: readonly string[];
  /** The lease under which the data was issued. */
  readonly lease?: Pick<LeaseRecord, "id" | "renewable" | "duration">;
}

/** 204: done, and nothing to say. */
export const noContent: Answer = { status: 204 };

/** 200 with data in the envelope of the service. @param data `null` when there are only warnings */
export function dataAnswer(
  data: Readonly<Record<string, unknown>> | null,
  { warnings = [], lease }: EnvelopeOptions = {},
): Answer {
  return jsonAnswer(200, {
    request_id: randomUUID(),
    lease_id: lease?.id ?? "",
    renewable: lease?.renewable ?? false,
    lease_duration: lease?.duration ?? 0,
    data,
    wrap_info: null,
    warnings: warnings.length > 0 ? warnings : null,
    auth: null,
  });
}

/**
 * 200 with the keys in their order, and what is to be said about each when that is given.
 *
 * @throws Refusal 404 when there are none
 */
export function listAnswer(keys: readonly string[], information?: Readonly<Record<string, unknown>>): Answer {
  if (keys.length === 0) {
    throw notFound();
  }
  return dataAnswer({ ...(information === undefined ? {} : { key_info: information }), keys });
}

export function refusalAnswer({ status, errors }: Refusal): Answer {
  return jsonAnswer(status, { errors });
}
