import type { RecordedRequest } from "./recorded-request";
import type { ServiceName } from "./dialect";

/** Selects requests; the parts that are given must all match, an empty filter selects every request. */
export interface RequestFilter {
  readonly service?: ServiceName;
  /** An HTTP method such as `"POST"`, or several. */
  readonly method?: string | readonly string[];
  /**
   * The path as sent, with its prefix and without the query. A text must match whole; a segment `*` or `:name` in
   * it stands for any one segment: `/api/v2/projects/:id`.
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
