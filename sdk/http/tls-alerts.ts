import type { buildConnector } from "undici";

/**
 * Remembers why services ended TLS connections. With TLS 1.3 a service says that it wants another client
 * certificate only after the request was written, and the HTTP client then reports no more than a closed
 * connection.
 */
export class TlsAlerts {
  // By local port, the only thing that names the socket in the client's report.
  private readonly byPort = new Map<number, Error>();

  /** Makes a connector note the alerts on its sockets. */
  watch(connect: buildConnector.connector): buildConnector.connector {
    return (options, callback) => {
      connect(options, (...result) => {
        const [, socket] = result;
        const port = socket?.localPort;
        if (port !== undefined) {
          // An alert of an earlier socket that had this port means nothing any more.
          this.byPort.delete(port);
          socket?.on("error", (error: Error) => {
            if (/ALERT/.test(String((error as NodeJS.ErrnoException).code))) {
              this.byPort.set(port, error);
            }
          });
        }
        callback(...result);
      });
    };
  }

  /** @returns the alert after which the connection of this error was closed */
  behind(error: Error): Error | undefined {
    const socket =
      "socket" in error ? (error.socket as { readonly localPort?: number } | undefined) : undefined;
    const port = socket?.localPort;
    return port === undefined ? undefined : this.byPort.get(port);
  }
}
