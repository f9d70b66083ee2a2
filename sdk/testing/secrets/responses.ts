import { randomUUID } from "node:crypto";
import { jsonResponse, type ServiceResponse } from "../response";
import type { LeaseRecord } from "./leases";
import type { Refusal } from "./refusal";

/** A response of the secrets service. */
export interface SecretsResponse extends ServiceResponse {
  /** What is in the body, where that is the envelope of the service. */
  readonly envelope?: Envelope;
}

interface Envelope {
  readonly [member: string]: unknown;
  readonly warnings: readonly string[] | null;
}

/** What a response can hold besides its data. */
export interface EnvelopeOptions {
  readonly warnings?: readonly string[];
  /** The lease under which the data was issued. */
  readonly lease?: Pick<LeaseRecord, "id" | "renewable" | "duration">;
}

/** 200 with data in the envelope of the service. @param data `null` when there are only warnings */
export function dataResponse(
  data: Readonly<Record<string, unknown>> | null,
  { warnings = [], lease }: EnvelopeOptions = {},
): SecretsResponse {
  return enveloped({
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

/** 200 with a token in the envelope of the service. */
export function authResponse(auth: Readonly<Record<string, unknown>>): SecretsResponse {
  return enveloped({
    request_id: randomUUID(),
    lease_id: "",
    renewable: false,
    lease_duration: 0,
    data: null,
    wrap_info: null,
    warnings: null,
    auth,
  });
}

/** A response with more warnings, where there is an envelope for them. */
export function withWarnings(response: SecretsResponse, warnings: readonly string[]): SecretsResponse {
  const { envelope } = response;
  return envelope === undefined || warnings.length === 0
    ? response
    : enveloped({ ...envelope, warnings: [...(envelope.warnings ?? []), ...warnings] });
}

/** 200 with the keys in their order; the products answer nothing when there are none. */
export function listResponse(keys: readonly string[], isHashicorp: boolean): SecretsResponse | undefined {
  return isHashicorp && keys.length === 0 ? undefined : dataResponse({ keys });
}

/** The same; in the documented dialect without the envelope. */
export function namesResponse(names: readonly string[], isHashicorp: boolean): SecretsResponse | undefined {
  return isHashicorp ? listResponse(names, true) : jsonResponse(200, names);
}

/** The same as `listResponse`, with details of each object. */
export function describedListResponse<Item extends { readonly id: string }>(
  items: readonly Item[],
  describe: (item: Item) => unknown,
): SecretsResponse | undefined {
  const keys = items.map(({ id }) => id);
  const key_info = Object.fromEntries(items.map((item) => [item.id, describe(item)]));
  return keys.length === 0 ? undefined : dataResponse({ key_info, keys });
}

function enveloped(envelope: Envelope): SecretsResponse {
  return { ...jsonResponse(200, envelope), envelope };
}

export function refusalResponse({ status, errors }: Refusal): ServiceResponse {
  return jsonResponse(status, { errors });
}
