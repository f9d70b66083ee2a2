import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import type { Alteration, Replacement } from "../../support/proxy";

/** A response that no service of the three should give. */
export interface HostileResponse {
  readonly name: string;
  readonly alter: (exchange: Parameters<Alteration>[0]) => Replacement | ((socket: Socket) => void);
  /** It takes until the time limit of the request to find out. */
  readonly stalls?: true;
}

const megabyte = 1024 * 1024;
const page = `<!doctype html><html><head><title>Sign in</title></head><body>${"<p>x</p>".repeat(100)}</body></html>`;
const largePage = `<html>${"words ".repeat((10 * megabyte) / 6)}</html>`;
const zeros = gzipSync(Buffer.alloc(50 * megabyte));

const replaced = (name: string, replacement: Replacement): HostileResponse => ({
  name,
  alter: () => replacement,
});
const html = { "content-type": "text/html" };

/** Responses that are complete. */
const complete: readonly HostileResponse[] = [
  replaced("200 with a page", { status: 200, headers: html, body: page }),
  replaced("200 with a page said to be JSON", { status: 200, body: page }),
  replaced("200 with text", { status: 200, headers: { "content-type": "text/plain" }, body: "fine" }),
  replaced("200 with half of the JSON", { status: 200, body: '{"data":{"id":"half' }),
  replaced("200 with JSON twice", { status: 200, body: '{"data":{}}{"data":{}}' }),
  replaced("200 with bytes that are no UTF-8", {
    status: 200,
    body: Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0xc3, 0x28]),
  }),
  replaced("200 with zeros in gzip", { status: 200, headers: { "content-encoding": "gzip" }, body: zeros }),
  ...["null", "true", "7", '"text"', "[]", "[[]]", "{}", '{"data":null}', '{"errors":[]}'].map((body) =>
    replaced(`200 with ${body}`, { status: 200, body }),
  ),
  replaced("200 with 100,000 lists in each other", { status: 200, body: "[".repeat(1e5) + "]".repeat(1e5) }),
  replaced("404 with a page", { status: 404, headers: html, body: page }),
  replaced("404 with text", { status: 404, body: "404 page not found" }),
  replaced("404 of a gateway", { status: 404, body: '{"message":"no Route matched with those values"}' }),
  replaced("404 with null", { status: 404, body: "null" }),
  replaced("404 with a list", { status: 404, body: "[]" }),
  replaced("410 with JSON", { status: 410, body: '{"errors":[]}' }),
  ...[400, 401, 403, 404, 409, 422, 429, 500, 502, 503].map((status) =>
    replaced(`${status} with 10 MB of a page`, { status, headers: html, body: largePage }),
  ),
  ...[400, 500].flatMap((status) =>
    [
      '{"errors":{"a":{"b":{"c":[[["deep"]]]}}}}',
      '{"errors":7}',
      '{"__proto__":{"polluted":true}}',
      "[null]",
    ].map((body) => replaced(`${status} with ${body}`, { status, body })),
  ),
  ...[300, 304, 305, 418, 599].map((status) => replaced(`status ${status}`, { status, body: "" })),
  ...["1e9", "-5", "NaN", "soon", "Fri, 31 Dec 9999 23:59:59 GMT", "9".repeat(400)].flatMap((wait) => [
    replaced(`429, retry after ${wait.slice(0, 20)}`, {
      status: 429,
      headers: { "retry-after": wait },
      body: "",
    }),
    replaced(`429, reset at ${wait.slice(0, 20)}`, {
      status: 429,
      headers: { "x-ratelimit-reset": wait },
      body: "",
    }),
  ]),
];

const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";

const written = (name: string, write: (socket: Socket) => void, stalls?: true): HostileResponse => ({
  name,
  alter: () => write,
  ...(stalls === undefined ? {} : { stalls }),
});

/** Writes again and again, as fast as it is read, until the other side has had enough. */
export function flood(socket: Socket, piece: string): void {
  const more = (): void => {
    while (!socket.destroyed && socket.write(piece)) {
      // Until the buffer is full.
    }
    socket.once("drain", more);
  };
  more();
}

/** Writes a byte now and then until the other side has had enough. */
function drip(socket: Socket, text: string): void {
  let position = 0;
  const timer = setInterval(() => socket.write(text[position++ % text.length] ?? ""), 10);
  socket.on("close", () => clearInterval(timer));
}

const block = "x".repeat(64 * 1024);

/** Responses that break the rules of HTTP, or never end. */
const broken: readonly HostileResponse[] = [
  written("no response at all", (socket) => socket.destroy()),
  written("bytes that are no HTTP", (socket) => socket.end("\0\u0001\u0002 hello\r\n\r\n")),
  written("HTTP/1.0 without a length", (socket) => socket.end('HTTP/1.0 200 OK\r\n\r\n{"data":')),
  written("a body shorter than its length", (socket) =>
    socket.end(`${head}Content-Length: 999\r\n\r\n{"data":1`),
  ),
  written("two lengths", (socket) => socket.end(`${head}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`)),
  written("a negative length", (socket) => socket.end(`${head}Content-Length: -1\r\n\r\n{}`)),
  written("an invalid chunk", (socket) =>
    socket.end(`${head}Transfer-Encoding: chunked\r\n\r\nZZ\r\n{}\r\n0\r\n\r\n`),
  ),
  written("an endless chunk", (socket) => {
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\nfffffffff\r\n`);
    flood(socket, block);
  }),
  written("an endless success", (socket) => {
    socket.write(`${head}Connection: close\r\n\r\n{"data":"`);
    flood(socket, block);
  }),
  written("an endless refusal", (socket) => {
    socket.write("HTTP/1.1 500 Oops\r\nConnection: close\r\n\r\n");
    flood(socket, block);
  }),
  written("headers without end", (socket) => {
    socket.write("HTTP/1.1 200 OK\r\n");
    flood(socket, `X-Filler: ${"y".repeat(1000)}\r\n`);
  }),
  written(
    "early responses without end",
    (socket) => flood(socket, "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(100)),
    true,
  ),
  written("headers drop by drop", (socket) => drip(socket, "HTTP/1.1 200 OK\r\nX-Slow: 1\r\n"), true),
  written(
    "a body drop by drop",
    (socket) => {
      socket.write(`${head}Content-Length: 1000000\r\n\r\n`);
      drip(socket, " ");
    },
    true,
  ),
];

/** Everything that is tried, given another server that must never be asked anything. */
export function hostileResponses(elsewhere: string): readonly HostileResponse[] {
  const redirects = [301, 302, 303, 307, 308].flatMap((status) => [
    replaced(`${status} to another server`, { status, headers: { location: `${elsewhere}/v1/x` }, body: "" }),
    replaced(`${status} to the same server`, { status, headers: { location: "/v1/elsewhere" }, body: "" }),
  ]);
  return [
    ...complete,
    ...redirects,
    replaced("308 to nowhere", { status: 308, headers: { location: "http://[" }, body: "" }),
    ...broken,
  ];
}
