import type { IncomingHttpHeaders } from "node:http";
import { parsedJson } from "./response";
import type {
  Journal,
  JournalFilter,
  RecordedRequest,
  RequestFilter,
  ServiceName,
  Statistics,
} from "./types";

type Mutable<Record> = { -readonly [Key in keyof Record]: Record[Key] };

const capacity = 100_000;

export class RequestJournal implements Journal {
  private entries: RecordedRequest[] = [];
  private number = 0;
  private counters = newCounters();

  open({ headers, target, ...arrival }: Arrival): OpenRequest {
    this.number += 1;
    const [path = ""] = target.split("?", 1);
    const entry: RecordedRequest = {
      number: this.number,
      ...arrival,
      target,
      path,
      query: readQuery(target.slice(path.length)),
      headers: maskHeaders(headers),
      body: null,
      status: null,
      fault: null,
    };
    this.entries.push(entry);
    if (this.entries.length > capacity) {
      this.entries.shift();
    }
    const counters = this.counters[arrival.service];
    counters.requests += 1;
    counters.inFlight += 1;
    counters.mostInFlight = Math.max(counters.mostInFlight, counters.inFlight);
    return new OpenRequest(entry, counters);
  }

  requests(filter: JournalFilter = {}): RecordedRequest[] {
    return this.select(filter).map((entry) => structuredClone(entry));
  }

  count(filter: JournalFilter = {}): number {
    return this.select(filter).length;
  }

  clear(): void {
    this.entries = [];
    this.number = 0;
    this.counters = newCounters();
  }

  statistics(service: ServiceName): Statistics {
    return { ...this.counters[service] };
  }

  private select(filter: JournalFilter): RecordedRequest[] {
    const { status } = filter;
    return this.entries.filter(
      (entry) => matchesRequest(filter, entry) && (status === undefined || status === entry.status),
    );
  }
}

export class OpenRequest {
  private open = true;

  constructor(
    private readonly entry: Mutable<RecordedRequest>,
    private readonly counters: Mutable<Statistics>,
  ) {}

  get request(): RecordedRequest {
    return this.entry;
  }

  receivedBody(text: string | undefined): void {
    const value = text === undefined ? null : parsedJson(text);
    this.entry.body = value === undefined ? text : value;
  }

  addFault(fault: string): void {
    this.entry.fault = this.entry.fault === null ? fault : `${this.entry.fault}, ${fault}`;
  }

  /** The request stays in flight until {@link OpenRequest.ended}. */
  responded(status: number): void {
    this.entry.status = status;
    this.counters.answered += 1;
  }

  ended(): void {
    if (this.open) {
      this.open = false;
      this.counters.inFlight -= 1;
    }
  }
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
    // Unlike `test`, `search` ignores the `lastIndex` of a global expression.
    return path.search(expected) !== -1;
  }
  const segments = path.split("/");
  const expectedSegments = expected.split("/");
  return (
    expectedSegments.length === segments.length &&
    expectedSegments.every((segment, index) => {
      const actual = segments[index] ?? "";
      return segment === actual || (actual !== "" && (segment === "*" || segment.startsWith(":")));
    })
  );
}

type Arrival = Pick<RecordedRequest, "service" | "method" | "target" | "caller"> & {
  readonly headers: IncomingHttpHeaders;
};

function readQuery(search: string): RecordedRequest["query"] {
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
    Object.entries(headers).map(([name, value = ""]) => {
      const text = [value].flat().join(", ");
      if (name === "authorization") {
        return [name, text.replace(/^(Bearer +)?.*$/is, "$1***")];
      }
      return [name, name.includes("token") ? "***" : text];
    }),
  );
}

function newCounters(): Record<ServiceName, Mutable<Statistics>> {
  const zero = () => ({ requests: 0, answered: 0, inFlight: 0, mostInFlight: 0 });
  return { provisioning: zero(), secrets: zero(), scheduler: zero() };
}
