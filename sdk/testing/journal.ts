import type { IncomingHttpHeaders } from "node:http";
import { matchesRequest, type RequestFilter } from "./request-filter";
import type { ServiceName } from "./service-name";

/** One request as the emulator received it, and what became of it. Plain data: it can be compared and written. */
export interface RecordedRequest {
  /** 1 for the first request since the start, counted over all services in the order of arrival. */
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
  /** The status that was answered; `null` while under way, and when the connection ended without an answer. */
  readonly status: number | null;
  /** What the fault that hit this request did, such as `drop before` or `status 503`; `null` for none. */
  readonly fault: string | null;
}

/** Selects recorded requests; the parts that are given must all match. */
export interface JournalFilter extends RequestFilter {
  /** The status that was answered. */
  readonly status?: number;
}

/** Counters of one service, from the start, the last `reset()` or the last `journal.clear()` on. */
export interface Statistics {
  /** Requests received. */
  readonly requests: number;
  /** Requests answered; those which a fault cut off are missing here. */
  readonly answered: number;
  /** Requests under way now, open streams included. */
  readonly inFlight: number;
  /** The most requests that were under way at the same time. */
  readonly mostInFlight: number;
}

/** Every request that reached the emulator. It keeps the newest 100,000. */
export interface Journal {
  /** The requests that match, oldest first: copies, as they are now. Without a filter all of them. */
  requests(filter?: JournalFilter): RecordedRequest[];
  /** How many requests match. */
  count(filter?: JournalFilter): number;
  /** Forgets all requests and starts the statistics anew; state and faults stay. */
  clear(): void;
}

/** What is known when a request arrives. */
export interface Arrival {
  readonly service: ServiceName;
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly caller: string | null;
}

type MutableRequest = { -readonly [Key in keyof RecordedRequest]: RecordedRequest[Key] };
type Counters = { -readonly [Key in keyof Statistics]: Statistics[Key] };

const capacity = 100_000;

/** Filled by the servers while they work. */
export class RequestJournal implements Journal {
  private entries: MutableRequest[] = [];
  private number = 0;
  private counters = newCounters();

  /** Notes a request that has arrived. */
  open(arrival: Arrival): OpenRequest {
    const [path = "", search = ""] = splitOnce(arrival.target, "?");
    this.number += 1;
    const entry: MutableRequest = {
      number: this.number,
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

  private select(filter: JournalFilter): MutableRequest[] {
    return this.entries.filter(
      (entry) =>
        matchesRequest(filter, entry) && (filter.status === undefined || filter.status === entry.status),
    );
  }
}

/** A request under way. */
export class OpenRequest {
  private open = true;

  constructor(
    private readonly entry: MutableRequest,
    private readonly counters: Counters,
  ) {}

  get request(): RecordedRequest {
    return this.entry;
  }

  receivedBody(text: string | undefined): void {
    this.entry.body = text === undefined ? null : parseIfJson(text);
  }

  hitBy(fault: string): void {
    this.entry.fault = this.entry.fault === null ? fault : `${this.entry.fault}, ${fault}`;
  }

  /** Notes the status at the moment it is sent; the request counts as under way until {@link OpenRequest.ended}. */
  answered(status: number): void {
    this.entry.status = status;
    this.counters.answered += 1;
  }

  /** The request is over, with or without an answer. */
  ended(): void {
    if (this.open) {
      this.open = false;
      this.counters.inFlight -= 1;
    }
  }
}

function newCounters(): Record<ServiceName, Counters> {
  const zero = (): Counters => ({ requests: 0, answered: 0, inFlight: 0, mostInFlight: 0 });
  return { provisioning: zero(), secrets: zero(), scheduler: zero() };
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

function parseIfJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
