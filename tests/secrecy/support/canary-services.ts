import { randomUUID } from "node:crypto";
import { emulatedTokens } from "../../cases/support/emulated-services";
import { startServer, stopServers, type TestServer } from "../../http/server";
import { type Replacement, type SeenRequest, services } from "../../support/proxy";
import { ProxiedServices } from "../../support/services";
import { encodings } from "../../support/texts";
import { keyPair, linesOfKey } from "./exposure";

/** The services, a server that nobody has configured, and credentials that are canaries. */
export class CanaryServices {
  /** How many requests have been looked at. */
  seen = 0;

  private constructor(
    readonly services: ProxiedServices,
    private readonly elsewhereServer: TestServer,
  ) {}

  static async start(): Promise<CanaryServices> {
    return new CanaryServices(
      await ProxiedServices.start(),
      await startServer((response) => response.writeHead(200).end("{}")),
    );
  }

  get proxy(): ProxiedServices["proxy"] {
    return this.services.proxy;
  }

  /** The address of the server that nobody has configured. */
  get elsewhere(): string {
    return this.elsewhereServer.address;
  }

  /** What has reached that server. */
  get receivedElsewhere(): readonly unknown[] {
    return this.elsewhereServer.received;
  }

  credentials(service: (typeof services)[number]): { readonly token: string; readonly header: string } {
    return { token: emulatedTokens[service], header: `canary-header-of-${service}/+=&"<` };
  }

  get allCredentials(): string[] {
    return [
      ...services.flatMap((service) => Object.values(this.credentials(service))),
      ...linesOfKey(keyPair.key),
    ];
  }

  /** Stack configuration for all services. Each has a mark that makes its connections new. */
  configuration(): Record<string, string> {
    const headers = services.map((service) => [
      `trivium:${service}Headers`,
      JSON.stringify({ "x-gateway-key": this.credentials(service).header, "x-round": randomUUID() }),
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
        .flatMap((other) => Object.entries(this.credentials(other)))
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
  response(known: Known): Replacement;
}

/** The secrets in these encodings, with ordinary words between them. */
function written(secrets: readonly string[], names: readonly string[]): string {
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

const json = { "content-type": "application/json" };

/** Every kind of server. */
export const echoes: readonly Echo[] = [
  {
    name: "400 with the body and every encoding",
    response: ({ request, secrets }) => ({
      status: 400,
      headers: json,
      body: JSON.stringify({ errors: [request.body, ...shares.map((share) => written(secrets, share))] }),
    }),
  },
  {
    name: "422 with errors in JSON:API",
    response: ({ request, secrets }) => ({
      status: 422,
      headers: { "content-type": "application/vnd.api+json" },
      body: JSON.stringify({
        errors: [
          { title: "invalid attribute", detail: request.body, source: { pointer: secrets.join("/") } },
          ...secrets.slice(0, 9).map((secret) => ({ title: secret, detail: `${secret}${secret} is taken` })),
        ],
      }),
    }),
  },
  {
    name: "500 with the headers",
    response: ({ request }) => ({
      status: 500,
      headers: { "content-type": "text/plain" },
      body: `panic while serving\r\n${headersOf(request)}`,
    }),
  },
  {
    name: "500 as a map of lists",
    response: ({ secrets }) => ({
      status: 500,
      headers: json,
      body: JSON.stringify({ errors: Object.fromEntries(secrets.map((each) => [each, [each, `${each}!`]])) }),
    }),
  },
  {
    name: "502 as a page with everything in it",
    response: ({ request, secrets }) => ({
      status: 502,
      headers: { "content-type": "text/html" },
      body: `<html><head><title>Bad ${written(secrets, ["markup as Go writes it"])}</title></head><body><h1>${written(
        secrets,
        ["markup as Python writes it"],
      )}</h1><pre>${headersOf(request)}\n${request.body}</pre></body></html>`,
    }),
  },
  {
    name: "403 with it in headers that messages show",
    response: ({ secrets }) => ({
      status: 403,
      headers: {
        ...json,
        "x-request-id": written(secrets, ["percent-encoded"]),
        server: written(secrets, ["base64"]),
        "retry-after": written(secrets, ["form"]),
      },
      body: "{}",
    }),
  },
  {
    name: "302 to another host with it in the address",
    response: ({ secrets, elsewhere }) => ({
      status: 302,
      headers: { location: `${elsewhere}/${written(secrets, ["percent-encoded"]).replaceAll(" ", "%20")}` },
    }),
  },
  {
    name: "200 with JSON that is cut short",
    response: ({ secrets }) => ({
      status: 200,
      headers: json,
      body: JSON.stringify({ data: { keys: secrets } }).slice(0, -4),
    }),
  },
  {
    name: "200 with JSON that means nothing",
    response: ({ secrets }) => ({
      status: 200,
      headers: json,
      body: JSON.stringify({ data: [secrets, { id: secrets, attributes: secrets }], auth: secrets }),
    }),
  },
];
