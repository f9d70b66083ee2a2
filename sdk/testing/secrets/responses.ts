import { randomUUID } from "node:crypto";
import { isObject } from "../../base/json";
import { jsonResponse, type ServiceResponse } from "../response";
import type { LeaseRecord } from "./types";

export interface EnvelopeOptions {
  readonly warnings?: readonly string[];
  readonly lease?: Pick<LeaseRecord, "id" | "renewable" | "duration">;
  readonly auth?: Readonly<Record<string, unknown>>;
}

export function dataResponse(
  data: Readonly<Record<string, unknown>> | null,
  options?: EnvelopeOptions,
): ServiceResponse {
  return jsonResponse(200, envelopeOf(data, options));
}

function envelopeOf(
  data: Readonly<Record<string, unknown>> | null,
  { warnings = [], lease, auth }: EnvelopeOptions = {},
): Readonly<Record<string, unknown>> {
  return {
    request_id: randomUUID(),
    lease_id: lease?.id ?? "",
    renewable: lease?.renewable ?? false,
    lease_duration: lease?.duration ?? 0,
    data,
    wrap_info: null,
    warnings: warnings.length > 0 ? warnings : null,
    auth: auth ?? null,
  };
}

/** The products repeat the data of paths below `sys/` outside of the envelope's `data`. */
export function flatResponse(data: Readonly<Record<string, unknown>>): ServiceResponse {
  return jsonResponse(200, { ...data, ...envelopeOf(data) });
}

/** Does nothing to a response without an envelope. */
export function withWarnings(response: ServiceResponse, warnings: readonly string[]): ServiceResponse {
  const content: unknown = warnings.length > 0 && response.body ? JSON.parse(response.body) : undefined;
  return isObject(content) && "warnings" in content
    ? jsonResponse(200, { ...content, warnings: [...((content.warnings ?? []) as string[]), ...warnings] })
    : response;
}

/** The products return 404 for an empty list. */
export function listResponse(
  keys: readonly string[],
  isMissingIfEmpty: boolean,
): ServiceResponse | undefined {
  return isMissingIfEmpty && keys.length === 0 ? undefined : dataResponse({ keys });
}

/** The documented dialect returns it without the envelope. */
export function namesResponse(names: readonly string[], isWrapped: boolean): ServiceResponse | undefined {
  return isWrapped ? listResponse(names, true) : jsonResponse(200, names);
}

export function describedListResponse<Item extends { readonly id: string }>(
  items: readonly Item[],
  describe: (item: Item) => unknown,
): ServiceResponse | undefined {
  const keys = items.map(({ id }) => id);
  const key_info = Object.fromEntries(items.map((item) => [item.id, describe(item)]));
  return keys.length === 0 ? undefined : dataResponse({ key_info, keys });
}
