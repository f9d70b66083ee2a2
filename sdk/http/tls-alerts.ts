import type { buildConnector } from "undici";

/**
 * Records why services closed TLS connections. In TLS 1.3 a service rejects a client certificate only after the
 * request was written, and undici then only reports a closed connection.
 */
export class TlsAlerts {
  // Keyed by local port, the only thing that undici's error says about the socket.
  private readonly byPort = new Map<number, Error>();

  watch(connect: buildConnector.connector): buildConnector.connector {
    return (options, callback) => {
      connect(options, (...result) => {
        const [, socket] = result;
        const port = socket?.localPort;
        if (port !== undefined) {
          // An alert of an earlier socket on this port is obsolete.
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

  /** @returns the alert that preceded this connection error */
  behind(error: Error): Error | undefined {
    const socket =
      "socket" in error ? (error.socket as { readonly localPort?: number } | undefined) : undefined;
    const port = socket?.localPort;
    return port === undefined ? undefined : this.byPort.get(port);
  }
}
