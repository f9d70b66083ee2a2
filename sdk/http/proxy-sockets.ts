import type { Socket } from "node:net";
import type { ConnectionOptions } from "node:tls";
import type * as Undici from "undici";
import type { Proxy } from "./proxy";

type Connector = Undici.buildConnector.connector;

/** An error caused by the proxy, not by the service. */
export class ProxyFailure extends Error {
  /**
   * @param status of the response to the request for a tunnel
   * @param offered the header that names the kinds of authentication
   */
  constructor(
    override readonly cause: Error,
    readonly status?: number,
    readonly offered?: string,
  ) {
    super(cause.message);
  }
}

interface ProxyConnections {
  readonly toProxy: Connector;
  readonly toService: Connector;
  readonly tls: ConnectionOptions;
  readonly maxHeaderSize: number;
  readonly headersTimeout: number;
}

export function dispatcherOf(
  { Agent, Client, Socks5ProxyAgent }: typeof Undici,
  proxy: Proxy,
  { toProxy, toService, tls, maxHeaderSize, headersTimeout }: ProxyConnections,
): Undici.Dispatcher {
  // undici expects the certificate of the host that the headers name.
  const direct: Connector = ({ servername: _, ...options }, callback) => toProxy(options, callback);
  const connect: Connector = (options, callback) => direct(options, blaming(callback));
  if (proxy.protocol === "socks5:") {
    // The types of undici do not name `requestTls`.
    const options = { ...proxy.credentials, connect, requestTls: tls };
    return withoutWarnings(() => new Socks5ProxyAgent(proxy.address, options));
  }
  if (proxy.forwards) {
    // Plain HTTP uses no tunnel, like curl: many proxies only allow tunnels to port 443.
    return new Agent({ connect, maxHeaderSize });
  }
  const open = () => new Client(proxy.address, { connect: direct, headersTimeout });
  return new Agent({
    connect: (...parameters) => void tunnel(proxy, open(), toService, ...parameters),
    maxHeaderSize,
  });
}

/** Suppresses undici's warning that its implementation is experimental, which users cannot change. */
function withoutWarnings<Made>(make: () => Made): Made {
  const former = Object.getOwnPropertyDescriptor(process, "emitWarning") ?? {};
  process.emitWarning = () => undefined;
  try {
    return make();
  } finally {
    Object.defineProperty(process, "emitWarning", former);
  }
}

/** A proxy for plain HTTP receives the whole URL. */
export function forwarding(
  proxy: Proxy | undefined,
  { host, origin }: URL,
  { path, headers }: { readonly path: string; readonly headers: Record<string, string> },
) {
  return proxy?.forwards === true
    ? { origin: proxy.address, path: origin + path, headers: { ...headers, host, ...authorization(proxy) } }
    : {};
}

/** TLS to the service, through a connection that the proxy opens to it. */
async function tunnel(
  proxy: Proxy,
  client: Undici.Client,
  toService: Connector,
  ...[options, callback]: Parameters<Connector>
): Promise<void> {
  const { host, hostname, port } = options;
  const authority = port === "" ? `${host ?? hostname}:443` : (host ?? hostname);
  const headers = { host: authority, ...authorization(proxy) };
  try {
    const opened = await client.connect({ path: authority, headers });
    const { statusCode, socket, headers: received } = opened as typeof opened & { readonly socket: Socket };
    if (statusCode < 300) {
      toService({ ...options, httpSocket: socket }, callback);
      return;
    }
    socket.on("error", () => undefined).destroy();
    const offered = [received["proxy-authenticate"] ?? []].flat().join(", ");
    callback(new ProxyFailure(new Error(`it returned ${statusCode}`), statusCode, offered), null);
  } catch (error) {
    blaming(callback)(error as Error, null);
  } finally {
    await client.destroy();
  }
}

type Connected = Parameters<Connector>[1];

function blaming(callback: Connected): Connected {
  return (...result) =>
    result[0] === null ? callback(...result) : callback(new ProxyFailure(result[0]), null);
}

function authorization(proxy: Proxy): Readonly<Record<string, string>> {
  const { username, password } = proxy.credentials ?? {};
  const encoded = Buffer.from(`${username ?? ""}:${password ?? ""}`).toString("base64");
  return username === undefined ? {} : { "proxy-authorization": `Basic ${encoded}` };
}
