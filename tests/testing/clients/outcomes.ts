/** One call by a client of a product: what it told its program, and what was sent and returned. */
export interface Outcome {
  readonly client: string;
  readonly step: string;
  /** Absent after a success. */
  readonly error?: string;
  /** Of clients that no recording is of: what their own tests look at. */
  readonly result?: unknown;
  readonly exchanges: readonly {
    readonly method: string;
    readonly target: string;
    readonly status: number;
    readonly body: unknown;
  }[];
}

const random =
  /^(?:SecretID|accessor|client_token|cluster_id|cluster_name|id|lease_id|password|request_id|token|uuid)$/;

/** Without what differs each time, and without the names that the two clients of the secrets service give their objects. */
export function outcomesIn(output: string): Outcome[] {
  return output
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line, (name, value: unknown) => scrubbed(name, value)) as Outcome)
    .map((outcome) => ({ ...outcome, exchanges: outcome.exchanges.map(withoutAgent) }));
}

/** An agent describes all of its configuration. */
function withoutAgent(exchange: Outcome["exchanges"][number]): Outcome["exchanges"][number] {
  return exchange.target.startsWith("/v1/agent/self") && exchange.status === 200
    ? { ...exchange, body: null }
    : exchange;
}

function scrubbed(name: string, value: unknown): unknown {
  if (typeof value === "number") {
    // Part of a second may have passed.
    return name === "ttl"
      ? Math.round(value / 10) * 10
      : /^(?:CreateIndex|ModifyIndex|creation_time|server_time_utc)$/.test(name)
        ? 0
        : value;
  }
  if (Array.isArray(value)) {
    return name === "keys" ? (value as unknown[]).toSorted() : (value as unknown[]);
  }
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).map(([key, member]) => [textOf(key), member] as const);
    return Object.fromEntries(members.toSorted(([one], [other]) => (one < other ? -1 : 1)));
  }
  if (typeof value !== "string") {
    return value;
  }
  return random.test(name) && value !== "" && value !== "x" ? `<${name}>` : textOf(value);
}

function textOf(text: string): string {
  return text
    .replace(
      /(?<!node-)\b(?:vault|bao)(?=-(?:ada|bob|below|ldap|none|people|static|svc|unknown)|\b(?!\/api))/g,
      "own",
    )
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<id>")
    .replace(/entity_[0-9a-f]{8}(?:\.root)?/g, "entity_<id>")
    .replace(/_[0-9a-f]{8}$/, "_<id>")
    .replace(/^[A-Za-z0-9]{24}$/, "<lease>")
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, "<time>")
    .replace(/(sys\/health)\?.*/, "$1")
    .replace(/https?:\/\/[\w.]+:\d+/g, "<address>")
    .replace(/^127\.0\.0\.1:\d+$/, "<address>")
    .replace(/^[A-Za-z0-9+/]{43}=$/, "<hash>")
    .replace(/secret=[A-Z2-7]+$/, "secret=<key>");
}
