import type { Connection } from "./connection";
import { InputError, type RequestDescription } from "../base/errors";
import type { WireRequest } from "./exchange";
import type { Operation, QueryValue } from "./transport";

// Compression saves little on a local network, and delays streams.
const commonHeaders = {
  accept: "application/vnd.api+json, application/json",
  "accept-encoding": "identity",
};

/** Omits the query, which may contain search terms. */
export function describeRequest(connection: Connection, operation: Operation): RequestDescription {
  const { summary, method, path } = operation;
  return { summary, method, url: connection.origin + connection.fullPath(path) };
}

export function wireRequest(
  connection: Connection,
  operation: Operation,
  headers: Readonly<Record<string, string>>,
): WireRequest {
  const { method, path, query = {}, body } = operation;
  const mediaType = operation.mediaType ?? (body === undefined ? undefined : "application/json");
  return {
    origin: connection.origin,
    path: connection.fullPath(path) + encodeQuery(query),
    method,
    headers: {
      ...commonHeaders,
      ...(mediaType === undefined ? {} : { "content-type": mediaType }),
      ...headers,
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  };
}

// URLSearchParams encodes a space as a plus sign, which not every server decodes.
function encodeQuery(query: NonNullable<Operation["query"]>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (value === undefined ? [] : [value].flat()).map(
      (each) => `${encodeURIComponent(name)}=${encodeURIComponent(wellFormed(name, each))}`,
    ),
  );
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

function wellFormed(name: string, value: QueryValue): QueryValue {
  if (typeof value === "string" && /\p{Surrogate}/u.test(value)) {
    throw new InputError(`${name} is not well-formed Unicode.`);
  }
  return value;
}
