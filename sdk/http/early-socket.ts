import type { Socket } from "node:net";
import type { buildConnector } from "undici";

/** How long, in milliseconds, a service may be expected to wait for the first request. */
const patience = 4000;

type Result = Parameters<buildConnector.Callback>;

/** A socket that is opened before the first request, which then waits neither for TCP nor for TLS. */
export class EarlySocket {
  private connect: buildConnector.connector | undefined;
  private opening: Promise<Result> | undefined;

  /** Makes a connector return the socket that was opened early, if there is one. */
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
          // The service has closed it.
          connect(options, callback);
        } else {
          socket?.off("data", refuse).pause().ref();
          callback(...result);
        }
      });
    };
  }

  /** @param origin the one to which the first request will go */
  open(origin: string): void {
    const { connect } = this;
    const { host, hostname, protocol, port } = new URL(origin);
    // Without brackets, as the HTTP client itself names an address of IPv6.
    const options = { host, hostname: hostname.replace(/^\[|\]$/g, ""), protocol, port };
    if (connect === undefined) {
      return;
    }
    const opening = new Promise<Result>((resolve) => {
      connect(options, (...result) => {
        const [error, socket] = result;
        if (error !== null) {
          // A request that does not wait for it makes its own attempt.
          this.forget(opening);
        } else {
          // Neither may an unused socket keep the process, nor may its failure end it.
          socket.unref().on("error", () => undefined);
          // A service that sends something before a request refuses it. Only a socket that is read notices its end.
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

  /** @returns whether no request has taken it */
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
