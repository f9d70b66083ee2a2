import type { Socket } from "node:net";
import type { buildConnector } from "undici";

/** Milliseconds. A service may close a connection that stays without a request for longer. */
const patience = 4000;

type Result = Parameters<buildConnector.Callback>;

/** Connects before the first request, which then does not wait for TCP and TLS. */
export class EarlySocket {
  private connect: buildConnector.connector | undefined;
  private opening: Promise<Result> | undefined;

  around(connect: buildConnector.connector): buildConnector.connector {
    this.connect = connect;
    return (options, callback) => {
      const { opening } = this;
      this.opening = undefined;
      if (opening === undefined) {
        connect(options, callback);
        return;
      }
      void opening.then((result) => {
        const [, socket] = result;
        if (socket?.destroyed === true) {
          connect(options, callback);
        } else {
          socket?.off("data", refuse).pause().ref();
          callback(...result);
        }
      });
    };
  }

  open(origin: string): void {
    const { connect } = this;
    const { host, hostname, protocol, port } = new URL(origin);
    // undici also passes an IPv6 address without brackets.
    const options = { host, hostname: hostname.replace(/^\[|\]$/g, ""), protocol, port };
    if (connect === undefined) {
      return;
    }
    const opening = new Promise<Result>((resolve) => {
      connect(options, (...result) => {
        const [error, socket] = result;
        if (error !== null) {
          // The next request connects again.
          this.forget(opening);
        } else {
          // An unused socket must not keep the process running, and its failure must not crash it.
          socket.unref().on("error", () => undefined);
          // Data before the first request makes the socket unusable. The end of a socket is only noticed while reading.
          socket.on("data", refuse);
          setTimeout(() => {
            if (this.forget(opening)) {
              socket.destroy();
            }
          }, patience).unref();
        }
        resolve(result);
      });
    });
    this.opening = opening;
  }

  private forget(opening: Promise<Result>): boolean {
    const isUnused = this.opening === opening;
    if (isUnused) {
      this.opening = undefined;
    }
    return isUnused;
  }
}

function refuse(this: Socket): void {
  this.destroy();
}
