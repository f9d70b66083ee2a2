import {
  matchesRequest,
  recordArrival,
  type Arrival,
  type MutableRequest,
  type RecordedRequest,
  type RequestFilter,
} from "./recorded-request";
import type { ServiceName } from "./dialect";

/** Selects recorded requests; all given parts must match. */
export interface JournalFilter extends RequestFilter {
  /** The status of the response. */
  readonly status?: number;
}

/** Counters of one service, of requests that arrived since the start, `reset()` or `journal.clear()`. */
export interface Statistics {
  /** Requests received. */
  readonly requests: number;
  /** Requests with a response; those that a fault cut off do not count. */
  readonly answered: number;
  /** Requests in flight, including open streams. */
  readonly inFlight: number;
  /** The maximum number of concurrent requests. */
  readonly mostInFlight: number;
}

/** Every request that reached the emulator. It keeps the newest 100,000. */
export interface Journal {
  /** The requests that match, oldest first: copies, as they are now. Without a filter all of them. */
  requests(filter?: JournalFilter): RecordedRequest[];
  /** How many requests match. */
  count(filter?: JournalFilter): number;
  /** Removes all requests and resets the statistics; state and faults are kept. */
  clear(): void;
}

type Counters = { -readonly [Key in keyof Statistics]: Statistics[Key] };

const capacity = 100_000;

/** Filled by the servers while they work. */
export class RequestJournal implements Journal {
  private entries: MutableRequest[] = [];
  private number = 0;
  private counters = newCounters();

  /** Notes a request that has arrived. */
  open(arrival: Arrival): OpenRequest {
    this.number += 1;
    const entry = recordArrival(this.number, arrival);
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
  responded(status: number): void {
    this.entry.status = status;
    this.counters.answered += 1;
  }

  /** The request is over, with or without a response. */
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

function parseIfJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
