import { randomUUID } from "node:crypto";
import { emulatedTokens } from "../../cases/support/emulated-services";
import { startServer, stopServers, type TestServer } from "../../http/server";
import { type Replacement, type SeenRequest, services } from "../../support/proxy";
import { ProxiedServices } from "../../support/services";
import { encodings } from "../../support/texts";
import { keyPair, linesOfKey } from "./exposure";

export function credentialsOf(service: (typeof services)[number]) {
  return { token: emulatedTokens[service], header: `canary-header-of-${service}/+=&"<` };
}

export const allCredentials: readonly string[] = [
  ...services.flatMap((service) => Object.values(credentialsOf(service))),
  ...linesOfKey(keyPair.key),
];

/** The services, a server that nobody has configured, and credentials that are canaries. */
export class CanaryServices {
  /** How many requests have been looked at. */
  seen = 0;

  private constructor(
    readonly services: ProxiedServices,
    readonly elsewhere: TestServer,
  ) {}

  static async start(): Promise<CanaryServices> {
    const elsewhere = await startServer((response) => response.writeHead(200).end("{}"));
    return new CanaryServices(await ProxiedServices.start(), elsewhere);
  }

  get proxy(): ProxiedServices["proxy"] {
    return this.services.proxy;
  }

  /** Stack configuration for all services. Each has a mark that makes its connections new. */
  configuration(): Record<string, string> {
    const headers = services.map((service) => [
      `trivium:${service}Headers`,
      JSON.stringify({ "x-gateway-key": credentialsOf(service).header, "x-round": randomUUID() }),
    ]);
    const pair = { ClientCertificate: keyPair.certificate, ClientKey: keyPair.key };
    return { ...this.services.configuration(pair), ...(Object.fromEntries(headers) as object) };
  }

  /** Credentials that a service got although they are another's. */
  misdirected(requests: readonly SeenRequest[]): string[] {
    this.seen += requests.length;
    return requests.flatMap(({ service, method, target, rawHeaders, body }) => {
      const sent = [target, ...rawHeaders, body].join("\n");
      return services
        .filter((other) => other !== service)
        .flatMap((other) => Object.entries(credentialsOf(other)))
        .filter(([, value]) => sent.includes(value))
        .map(([kind]) => `${method} to the ${service} service holds the ${kind} of another`);
    });
  }

  /** Has the secrets service warn in each of its responses. */
  warn(warnings: readonly string[]): void {
    this.proxy.after = ({ service, response }) =>
      service === "secrets" && response.startsWith("{")
        ? { body: JSON.stringify({ ...(JSON.parse(response) as object), warnings }) }
        : undefined;
  }

  async close(): Promise<void> {
    stopServers();
    await this.services.close();
  }
}

/** What a server can repeat: the request as it came, and whatever it knows besides. */
interface Known {
  readonly request: SeenRequest;
  readonly secrets: readonly string[];
  /** Where a redirect leads. */
  readonly elsewhere: string;
}

/** A server that repeats everything secret, each in another way. */
export interface Echo {
  readonly name: string;
  readonly response: (known: Known) => Replacement;
}

/** The secrets in these encodings, with ordinary words between them. */
function written(secrets: readonly string[], ...names: readonly string[]): string {
  return names
    .map((name) => `${name}: ${secrets.map((secret) => encodings[name]?.(secret) ?? "").join(" and ")}`)
    .join("; ");
}

const names = Object.keys(encodings);
/** As many texts as an error message shows, so that none is left out. */
const shares = Array.from({ length: 8 }, (_, share) => names.filter((_name, index) => index % 8 === share));

function headersOf({ rawHeaders }: SeenRequest): string {
  return Array.from({ length: rawHeaders.length / 2 }, (_, pair) =>
    rawHeaders.slice(2 * pair, 2 * pair + 2).join(": "),
  ).join("\r\n");
}

function reply(status: number, type: string, body: unknown, more: Replacement["headers"] = {}): Replacement {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { status, headers: { "content-type": type, ...more }, body: text };
}

const json = "application/json";

/** Every kind of server. */
const responses: Readonly<Record<string, Echo["response"]>> = {
  "400 with the body and every encoding": ({ request, secrets }) =>
    reply(400, json, { errors: [request.body, ...shares.map((share) => written(secrets, ...share))] }),
  "422 with errors in JSON:API": ({ request, secrets }) => {
    const source = { pointer: secrets.join("/") };
    const taken = secrets.slice(0, 9).map((title) => ({ title, detail: `${title}${title} is taken` }));
    const errors = [{ title: "invalid attribute", detail: request.body, source }, ...taken];
    return reply(422, "application/vnd.api+json", { errors });
  },
  "500 with the headers": ({ request }) =>
    reply(500, "text/plain", `panic while serving\r\n${headersOf(request)}`),
  "500 as a map of lists": ({ secrets }) =>
    reply(500, json, { errors: Object.fromEntries(secrets.map((each) => [each, [each, `${each}!`]])) }),
  "502 as a page with everything in it": ({ request, secrets }) => {
    const title = `Bad ${written(secrets, "markup as Go writes it")}`;
    const heading = written(secrets, "markup as Python writes it");
    const body = `<h1>${heading}</h1><pre>${headersOf(request)}\n${request.body}</pre>`;
    return reply(502, "text/html", `<html><head><title>${title}</title></head><body>${body}</body></html>`);
  },
  "403 with it in headers that messages show": ({ secrets }) =>
    reply(403, json, "{}", {
      "x-request-id": written(secrets, "percent-encoded"),
      server: written(secrets, "base64"),
      "retry-after": written(secrets, "form"),
    }),
  "302 to another host with it in the address": ({ secrets, elsewhere }) => {
    const place = written(secrets, "percent-encoded").replaceAll(" ", "%20");
    return { status: 302, headers: { location: `${elsewhere}/${place}` } };
  },
  "200 with JSON that is cut short": ({ secrets }) =>
    reply(200, json, JSON.stringify({ data: { keys: secrets } }).slice(0, -4)),
  "200 with JSON that means nothing": ({ secrets }) =>
    reply(200, json, { data: [secrets, { id: secrets, attributes: secrets }], auth: secrets }),
};

export const echoes: readonly Echo[] = Object.entries(responses).map(([name, response]) => ({
  name,
  response,
}));
