import type { Socket } from "node:net";

/** The maximum size of a response's head, in bytes. Gateways' cookies exceed Node.js's limit of 16 KiB. */
export const maxHeaderSize = 64 * 1024;

const end = "\r\n\r\n";
const httpBegin = "HTTP/1.";
/** 101 ends HTTP on a connection. */
const interim = /^HTTP\/1\.[01] 1(?!01 )\d\d[ \r]/;
const withoutBody = /^HTTP\/1\.[01] (?:204|304)[ \r]/;

/**
 * undici fails on a `100 Continue` that it has not requested, and on lengths that HTTP allows, so both are
 * removed from the heads of responses. Each write of a request is followed by one head, because this client
 * does not pipeline.
 */
export function tidyHeads(socket: Socket): void {
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
  const write = socket.write.bind(socket);
  let isDue = false;
  let begun: Buffer = Buffer.alloc(0);
  socket.write = ((...parameters: Parameters<typeof write>) => {
    isDue = true;
    return write(...parameters);
  }) as typeof socket.write;
  socket.read = (size) => {
    // Node.js itself only reads without a size, to continue.
    for (let bytes = read(size); bytes !== null; bytes = read()) {
      if (!isDue || size !== undefined) {
        return bytes;
      }
      const { rest, isWhole } = withoutInterim(Buffer.concat([begun, bytes]));
      if (isWhole) {
        isDue = false;
        begun = Buffer.alloc(0);
        return rest;
      }
      begun = rest;
    }
    return null;
  };
}

function withoutInterim(bytes: Buffer): { readonly rest: Buffer; readonly isWhole: boolean } {
  let rest = bytes;
  for (;;) {
    const start = rest.toString("latin1", 0, httpBegin.length);
    const length = rest.indexOf(end);
    if (!httpBegin.startsWith(start.slice(0, httpBegin.length)) || rest.length > maxHeaderSize) {
      return { rest, isWhole: true };
    }
    if (length < 0) {
      // A line that ends without CR is an error, which the parser explains.
      return { rest, isWhole: /[^\r]\n/.test(rest.toString("latin1")) };
    }
    const head = rest.toString("latin1", 0, length);
    const body = rest.subarray(length + end.length);
    if (!interim.test(head)) {
      return { rest: Buffer.concat([Buffer.from(tidy(head) + end, "latin1"), body]), isWhole: true };
    }
    rest = body;
    if (rest.length === 0) {
      return { rest, isWhole: false };
    }
  }
}

/**
 * A repeated equal length counts once. With `Transfer-Encoding`, or without a body, the length is ignored.
 */
function tidy(head: string): string {
  const [first = "", ...lines] = head.split("\r\n");
  const isLength = (line: string): boolean => /^content-length:/i.test(line);
  const lengths = lines
    .filter(isLength)
    .flatMap((line) => line.slice("content-length:".length).split(","))
    .map((value) => value.trim());
  if (lengths.length === 0) {
    return head;
  }
  const others = lines.filter((line) => !isLength(line));
  if (withoutBody.test(first) || others.some((line) => /^transfer-encoding:/i.test(line))) {
    return [first, ...others].join("\r\n");
  }
  const [length] = lengths;
  return lengths.every((each) => each === length)
    ? [first, ...others, `Content-Length: ${length}`].join("\r\n")
    : head;
}
