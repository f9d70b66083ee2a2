import assert from "node:assert/strict";
import { emulatedTokens } from "../cases/support/emulated-services";
import { certificates } from "../support/certificates";
import { type Replacement, type SeenRequest, services } from "../support/proxy";
import { encodings, encodingsFound } from "../support/texts";

/** A client key that fits its certificate. */
export const keyPair = certificates().client;

/** The lines that make a key secret. */
export function linesOfKey(key: string): string[] {
  return key.split("\n").filter((line) => line.length >= 16 && !line.startsWith("-----"));
}

export function credentialsOf(service: (typeof services)[number]) {
  return { token: emulatedTokens[service], header: `canary-header-of-${service}/+=&"<` };
}

export const allCredentials: readonly string[] = [
  ...services.flatMap((service) => Object.values(credentialsOf(service))),
  ...linesOfKey(keyPair.key),
];

/** No canary is in the text, in any encoding. @param where names the text */
export function assertHidden(where: string, text: string, canaries: readonly string[]): void {
  for (const canary of canaries) {
    const [found, ...more] = encodingsFound(text, canary);
    if (found !== undefined) {
      const at = text.indexOf(encodings[found]?.(canary) ?? "");
      const around = text.slice(Math.max(0, at - 80), at + canary.length + 40);
      assert.fail(`${where} shows ${canary} (${[found, ...more].join(", ")}): ...${around}...`);
    }
  }
}

/** No service got the credentials of another. */
export function assertOwnCredentials(requests: readonly SeenRequest[]): void {
  for (const { service, method, target, rawHeaders, body } of requests) {
    const sent = [target, ...rawHeaders, body].join("\n");
    for (const other of services.filter((each) => each !== service)) {
      for (const [kind, value] of Object.entries(credentialsOf(other))) {
        assert.ok(!sent.includes(value), `${method} to the ${service} service holds the ${kind} of ${other}`);
      }
    }
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
