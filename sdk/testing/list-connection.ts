import { Duplex } from "node:stream";

const firstLine = /^LIST (\S+) HTTP\/1\.1\r\n/;

/**
 * A connection on which requests with the method LIST arrive as what they are equivalent to: GET with `list=true`.
 * Node's own parser knows a fixed set of methods, and ends the connection at any other.
 */
export class ListConnection extends Duplex {
  /** @param socket whose requests each begin with a chunk of their own, as those of all clients do */
  constructor(private readonly socket: Duplex) {
    super({ allowHalfOpen: socket.allowHalfOpen });
    socket.on("data", (chunk: Buffer) => {
      if (!this.push(withoutList(chunk))) {
        socket.pause();
      }
    });
    socket.once("end", () => this.push(null));
    socket.once("close", () => this.destroy());
    socket.on("error", (error) => this.destroy(error));
  }

  override _read(): void {
    this.socket.resume();
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, written: (error?: Error | null) => void): void {
    this.socket.write(chunk, encoding, written);
  }

  override _final(ended: () => void): void {
    this.socket.end(ended);
  }

  override _destroy(error: Error | null, destroyed: (error: Error | null) => void): void {
    this.socket.destroy();
    destroyed(error);
  }
}

function withoutList(chunk: Buffer): Buffer {
  if (!chunk.subarray(0, 5).equals(Buffer.from("LIST "))) {
    return chunk;
  }
  const text = chunk.toString("latin1");
  return Buffer.from(
    text.replace(firstLine, (_, target: string) => {
      return `GET ${target}${target.includes("?") ? "&" : "?"}list=true HTTP/1.1\r\n`;
    }),
    "latin1",
  );
}
