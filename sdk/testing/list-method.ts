import { Duplex, Transform } from "node:stream";

/** Longer requests are left to the parser, which rejects them. */
const longestHead = 64 * 1024;

/** Node's parser rejects the method LIST, so it is replaced by its equivalent: GET with `list=true`. */
export function withGetForList(socket: Duplex): Duplex {
  const requests = new Requests();
  const rewritten = new Transform({
    transform(chunk: Buffer, _, done) {
      done(null, requests.read(chunk));
    },
  });
  return Duplex.from({ readable: socket.pipe(rewritten), writable: socket });
}

/** Finds where requests begin, in chunks that can end anywhere. */
class Requests {
  private unread = Buffer.alloc(0);
  private part: "head" | "chunk" | "trailer" = "head";
  /** Of the body, or of the current chunk of it. */
  private left = 0;
  private isUnclear = false;

  read(bytes: Buffer): Buffer {
    this.unread = Buffer.concat([this.unread, bytes]);
    const parts: Buffer[] = [];
    for (let part = this.next(); part.length > 0; part = this.next()) {
      parts.push(part);
    }
    return Buffer.concat(parts);
  }

  /** @returns nothing if more must come first */
  private next(): Buffer {
    if (this.left > 0) {
      const part = this.take(Math.min(this.left, this.unread.length));
      this.left -= part.length;
      return part;
    }
    const end = this.part === "head" ? "\r\n\r\n" : "\r\n";
    const length = this.unread.indexOf(end);
    // Anything except a request, such as TLS, is rejected at once, because its head might never end.
    const isForeign = this.part === "head" && !/^(?:$|[A-Z\r\n])/.test(this.unread.toString("latin1", 0, 1));
    this.isUnclear ||= isForeign || (length < 0 && this.unread.length > longestHead);
    if (length < 0 || this.isUnclear) {
      return this.take(this.isUnclear ? this.unread.length : 0);
    }
    const text = this.take(length + end.length).toString("latin1");
    return Buffer.from(this.part === "head" ? this.head(text) : this.line(text), "latin1");
  }

  private head(text: string): string {
    const [, size = "0"] = /^content-length:\s*(\d+)\s*$/im.exec(text) ?? [];
    const isChunked = /^transfer-encoding:.*\bchunked\s*$/im.test(text);
    this.part = isChunked ? "chunk" : "head";
    this.left = isChunked ? 0 : Number(size);
    return getForList(text);
  }

  private line(text: string): string {
    const size = Number.parseInt(text, 16);
    if (this.part === "trailer") {
      this.part = text === "\r\n" ? "head" : "trailer";
    } else if (size > 0) {
      this.left = size + "\r\n".length;
    } else {
      this.isUnclear = Number.isNaN(size);
      this.part = "trailer";
    }
    return text;
  }

  private take(length: number): Buffer {
    const taken = this.unread.subarray(0, length);
    this.unread = this.unread.subarray(length);
    return taken;
  }
}

function getForList(head: string): string {
  return head.replace(/^LIST (\S+) HTTP\/1\.1\r\n/, (_, target: string) => {
    return `GET ${target}${target.includes("?") ? "&" : "?"}list=true HTTP/1.1\r\n`;
  });
}
