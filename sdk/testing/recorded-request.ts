import type { IncomingHttpHeaders } from "node:http";
import type { ServiceName } from "./dialect";

/** One request as the emulator received it, and its outcome, as plain data. */
export interface RecordedRequest {
  /** 1 for the first request since the start, `reset()` or `journal.clear()`, over all services as they arrived. */
  readonly number: number;
  readonly service: ServiceName;
  readonly method: string;
  /** Path and query exactly as sent, for checking how a client encodes. */
  readonly target: string;
  /** The path as sent, without the query. */
  readonly path: string;
  /** The query, decoded; a list for a parameter that was given more than once. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  /** Names in lower case. Values that carry a token are masked: `Bearer ***`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The name of the token that was used (`main` is the service's own), `null` when it was missing or wrong. */
  readonly caller: string | null;
  /** The body: parsed when it is JSON, else the text; `null` when there was none. */
  readonly body: unknown;
  /** The status of the response; `null` while in flight, and if the connection ended without a response. */
  readonly status: number | null;
  /** The fault that affected this request, such as `drop before` or `status 503`; `null` for none. */
  readonly fault: string | null;
}

/** Selects requests; all given parts must match, and an empty filter selects every request. */
export interface RequestFilter {
  readonly service?: ServiceName;
  /** An HTTP method such as `"POST"`, or several. */
  readonly method?: string | readonly string[];
  /**
   * The path as sent, with its prefix and without the query. A string must match completely; a segment `*` or
   * `:name` in it matches any one segment: `/api/v2/projects/:id`.
   */
  readonly path?: string | RegExp | ((path: string) => boolean);
  /** Anything else, decided on the whole request. */
  readonly where?: (request: RecordedRequest) => boolean;
}

export function matchesRequest(filter: RequestFilter, request: RecordedRequest): boolean {
  return (
    (filter.service === undefined || filter.service === request.service) &&
    (filter.method === undefined || [filter.method].flat().includes(request.method)) &&
    (filter.path === undefined || matchesPath(filter.path, request.path)) &&
    (filter.where === undefined || filter.where(request))
  );
}

function matchesPath(expected: NonNullable<RequestFilter["path"]>, path: string): boolean {
  if (typeof expected === "function") {
    return expected(path);
  }
  if (expected instanceof RegExp) {
    // Unlike test(), search() pays no heed to where a global expression stopped the last time.
    return path.search(expected) !== -1;
  }
  const segments = path.split("/");
  const wanted = expected.split("/");
  return (
    wanted.length === segments.length &&
    wanted.every((segment, index) => {
      const actual = segments[index] ?? "";
      return segment === actual || (actual !== "" && (segment === "*" || segment.startsWith(":")));
    })
  );
}

/** A request whose outcome is still to be written. */
export type MutableRequest = { -readonly [Key in keyof RecordedRequest]: RecordedRequest[Key] };

/** What is known when a request arrives. */
export interface Arrival {
  readonly service: ServiceName;
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly caller: string | null;
}

export function recordArrival(number: number, arrival: Arrival): MutableRequest {
  const [path = "", search = ""] = splitOnce(arrival.target, "?");
  return {
    number,
    service: arrival.service,
    method: arrival.method,
    target: arrival.target,
    path,
    query: readQuery(search),
    headers: maskHeaders(arrival.headers),
    caller: arrival.caller,
    body: null,
    status: null,
    fault: null,
  };
}

function splitOnce(text: string, separator: string): string[] {
  const position = text.indexOf(separator);
  return position === -1 ? [text] : [text.slice(0, position), text.slice(position + 1)];
}

function readQuery(search: string): Record<string, string | string[]> {
  const parameters = new URLSearchParams(search);
  return Object.fromEntries(
    [...new Set(parameters.keys())].map((name) => {
      const values = parameters.getAll(name);
      return [name, values.length > 1 ? values : (values[0] ?? "")];
    }),
  );
}

function maskHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const text = Array.isArray(value) ? value.join(", ") : (value ?? "");
      if (name === "authorization") {
        return [name, text.replace(/^(Bearer +)?.*$/is, "$1***")];
      }
      return [name, name.includes("token") ? "***" : text];
    }),
  );
}
