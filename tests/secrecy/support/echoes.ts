import { encodings } from "../../support/encodings";
import type { Replacement, SeenRequest } from "../../support/proxy";

/** What a server can repeat: the request as it came, and whatever it knows besides. */
export interface Known {
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
