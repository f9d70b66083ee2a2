import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import type { Replacement } from "../../support/proxy";

/** A response that no service of the three should give. */
export interface HostileResponse {
  readonly name: string;
  readonly response: Replacement | ((socket: Socket) => void);
  /** It takes until the time limit of the request to find out. */
  readonly stalls?: boolean;
}

const megabyte = 1024 * 1024;
const page = `<!doctype html><html><head><title>Sign in</title></head><body>${"<p>x</p>".repeat(100)}</body></html>`;
const largePage = `<html>${"words ".repeat((10 * megabyte) / 6)}</html>`;
const zeros = gzipSync(Buffer.alloc(50 * megabyte));
const html = { "content-type": "text/html" };

type Row = readonly [string, number, Replacement["body"], Replacement["headers"]?];

/** Responses that are complete: name, status, body, headers. */
const complete: readonly Row[] = [
  ["200 with a page", 200, page, html],
  ["200 with a page said to be JSON", 200, page],
  ["200 with text", 200, "fine", { "content-type": "text/plain" }],
  ["200 with half of the JSON", 200, '{"data":{"id":"half'],
  ["200 with JSON twice", 200, '{"data":{}}{"data":{}}'],
  ["200 with bytes that are no UTF-8", 200, Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0xc3, 0x28])],
  ["200 with zeros in gzip", 200, zeros, { "content-encoding": "gzip" }],
  ...["null", "true", "7", '"text"', "[]", "[[]]", "{}", '{"data":null}', '{"errors":[]}'].map(
    (body): Row => [`200 with ${body}`, 200, body],
  ),
  ["200 with 100,000 lists in each other", 200, "[".repeat(1e5) + "]".repeat(1e5)],
  ["404 with a page", 404, page, html],
  ["404 with text", 404, "404 page not found"],
  ["404 of a gateway", 404, '{"message":"no Route matched with those values"}'],
  ["404 with null", 404, "null"],
  ["404 with a list", 404, "[]"],
  ["410 with JSON", 410, '{"errors":[]}'],
  ...[400, 401, 403, 404, 409, 422, 429, 500, 502, 503].map((status): Row => [
    `${status} with 10 MB`,
    status,
    largePage,
    html,
  ]),
  ...[400, 500].flatMap((status): readonly Row[] => [
    [`${status} with a deep error`, status, '{"errors":{"a":{"b":{"c":[[["deep"]]]}}}}'],
    [`${status} with a number`, status, '{"errors":7}'],
    [`${status} with a prototype`, status, '{"__proto__":{"polluted":true}}'],
    [`${status} with a list of null`, status, "[null]"],
  ]),
  ...[300, 304, 305, 418, 599].map((status): Row => [`status ${status}`, status, ""]),
  ...["1e9", "-5", "NaN", "soon", "Fri, 31 Dec 9999 23:59:59 GMT", "9".repeat(400)].flatMap(
    (wait): readonly Row[] => [
      [`429, retry after ${wait.slice(0, 20)}`, 429, "", { "retry-after": wait }],
      [`429, reset at ${wait.slice(0, 20)}`, 429, "", { "x-ratelimit-reset": wait }],
    ],
  ),
];

const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";

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

/** Responses that break the rules of HTTP. */
const broken: Readonly<Record<string, string>> = {
  "bytes that are no HTTP": "\0\u0001\u0002 hello\r\n\r\n",
  "HTTP/1.0 without a length": 'HTTP/1.0 200 OK\r\n\r\n{"data":',
  "a body shorter than its length": `${head}Content-Length: 999\r\n\r\n{"data":1`,
  "two lengths": `${head}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
  "a negative length": `${head}Content-Length: -1\r\n\r\n{}`,
  "an invalid chunk": `${head}Transfer-Encoding: chunked\r\n\r\nZZ\r\n{}\r\n0\r\n\r\n`,
};

const block = "x".repeat(64 * 1024);
const earlyHints = "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(100);

/** Responses that never end: how they begin, and how they go on. */
const endless: readonly (readonly [name: string, begin: string, goOn: typeof flood, piece: string])[] = [
  ["an endless chunk", `${head}Transfer-Encoding: chunked\r\n\r\nfffffffff\r\n`, flood, block],
  ["an endless success", `${head}Connection: close\r\n\r\n{"data":"`, flood, block],
  ["an endless refusal", "HTTP/1.1 500 Oops\r\nConnection: close\r\n\r\n", flood, block],
  ["headers without end", "HTTP/1.1 200 OK\r\n", flood, `X-Filler: ${"y".repeat(1000)}\r\n`],
  ["early responses without end", "", flood, earlyHints],
  ["headers drop by drop", "", drip, "HTTP/1.1 200 OK\r\nX-Slow: 1\r\n"],
  ["a body drop by drop", `${head}Content-Length: 1000000\r\n\r\n`, drip, " "],
];

/** Everything that is tried, given another server that must never be asked anything. */
export function hostileResponses(elsewhere: string): readonly HostileResponse[] {
  const redirects = [301, 302, 303, 307, 308].flatMap((status): readonly Row[] => [
    [`${status} to another server`, status, "", { location: `${elsewhere}/v1/x` }],
    [`${status} to the same server`, status, "", { location: "/v1/elsewhere" }],
  ]);
  const nowhere: Row = ["308 to nowhere", 308, "", { location: "http://[" }];
  const answers: readonly HostileResponse[] = [
    ...[...complete, ...redirects, nowhere].map(([name, status, body = "", headers = {}]) => {
      return { name, response: { status, body, headers } };
    }),
    { name: "no response at all", response: (socket) => socket.destroy() },
    ...Object.entries(broken).map(([name, bytes]) => {
      return { name, response: (socket: Socket) => void socket.end(bytes) };
    }),
  ];
  const begun = endless.map(([name, begin, goOn, piece]) => ({
    ...{ name, stalls: goOn === drip || piece === earlyHints },
    response: (socket: Socket) => {
      socket.write(begin);
      goOn(socket, piece);
    },
  }));
  return [...answers, ...begun];
}
