import { X509Certificate } from "node:crypto";
import type { Socket } from "node:net";
import { type ConnectionOptions, createSecureContext } from "node:tls";
import type * as Undici from "undici";
import { ConfigurationError } from "../base/errors";
import { processRedactor } from "../base/redactor";
import { nameOfSetting, type SettingName } from "../base/settings";
import type { ProxySettings, TransportSettings } from "./transport";

type Connector = Undici.buildConnector.connector;
type Connected = Parameters<Undici.buildConnector.Callback>;

const longestConnect = 10_000;
/** A service may close a connection that stays without a request for longer. */
const longestUnused = 4000;

/** The sockets of one transport: TLS, proxies, and a first socket that is opened before the first request. */
export class Sockets {
  readonly dispatcher: Undici.Dispatcher;
  // Keyed by local port, the only thing that undici's error says about the socket.
  private readonly alerts = new Map<number, Error>();
  private readonly isDirect: boolean;
  private opening: Promise<Connected> | undefined;
  private readonly connect: Connector;

  /** @throws ConfigurationError if a certificate, key or proxy is invalid */
  constructor(
    settings: TransportSettings,
    private readonly address: URL,
  ) {
    const timeout = Math.min(longestConnect, settings.requestTimeoutMilliseconds ?? longestConnect);
    const tls = { ...tlsOptions(settings), timeout };
    const connect = partOfUndici("buildConnector")(tls);
    this.connect = (options, callback) =>
      connect(options, (...result) => {
        this.watch(result[1]);
        callback(...result);
      });
    const { proxies = {} } = settings;
    const proxy = proxyFor(proxies, address);
    this.isDirect = proxy === "";
    if (this.isDirect) {
      const Agent = partOfUndici("Agent");
      this.dispatcher = new Agent({ connect: (...parameters) => this.connectFirst(...parameters) });
      return;
    }
    const EnvHttpProxyAgent = partOfUndici("EnvHttpProxyAgent");
    // Every member is set, because the agent reads missing ones from the environment.
    this.dispatcher = new EnvHttpProxyAgent({
      httpProxy: address.protocol === "http:" ? proxy : "",
      httpsProxy: address.protocol === "https:" ? proxy : "",
      noProxy: proxies.noProxy ?? "",
      connect: this.connect,
      requestTls: tls,
      proxyTls: { ca: tls.ca, timeout },
      // Plain HTTP uses no tunnel, like curl: many proxies only allow tunnels to port 443.
      proxyTunnel: false,
    });
  }

  /** Connects before the first request, which then does not wait for TCP and TLS, and reports a failure. */
  open(): void {
    if (!this.isDirect) {
      return;
    }
    const { host, hostname, protocol, port } = this.address;
    // undici also passes an IPv6 address without brackets.
    const options = { host, hostname: hostname.replace(/^\[|\]$/g, ""), protocol, port };
    const opening = new Promise<Connected>((resolve) => {
      this.connect(options, (...result) => {
        const [error, socket] = result;
        if (error !== null) {
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
          }, longestUnused).unref();
        }
        resolve(result);
      });
    });
    this.opening = opening;
  }

  /** In TLS 1.3 a service rejects a client certificate after the request was written: undici reports a closed socket. */
  alertBefore(error: Error): Error | undefined {
    const { socket } = error as { readonly socket?: { readonly localPort?: number } };
    return socket?.localPort === undefined ? undefined : this.alerts.get(socket.localPort);
  }

  private watch(socket: Socket | null): void {
    const port = socket?.localPort;
    if (port !== undefined) {
      // An alert of an earlier socket on this port is obsolete.
      this.alerts.delete(port);
      socket?.on("error", (error: NodeJS.ErrnoException) => {
        if (error.code?.includes("ALERT") === true) {
          this.alerts.set(port, error);
        }
      });
    }
  }

  private connectFirst(...[options, callback]: Parameters<Connector>): void {
    const { opening } = this;
    this.opening = undefined;
    if (opening === undefined) {
      this.connect(options, callback);
      return;
    }
    void opening.then((result) => {
      const [, socket] = result;
      if (socket?.destroyed === true) {
        this.connect(options, callback);
      } else {
        socket?.off("data", refuse).pause().ref();
        callback(...result);
      }
    });
  }

  /** @returns whether the socket was unused */
  private forget(opening: Promise<Connected>): boolean {
    const isUnused = this.opening === opening;
    this.opening = isUnused ? undefined : this.opening;
    return isUnused;
  }
}

function refuse(this: Socket): void {
  this.destroy();
}

type Part = "Agent" | "buildConnector" | "EnvHttpProxyAgent";

const parts: Readonly<Record<Part, () => unknown>> = {
  Agent: () => require("undici/lib/dispatcher/agent.js") as unknown,
  buildConnector: () => require("undici/lib/core/connect.js") as unknown,
  // Tunnels need a method that only the complete package adds to its classes.
  EnvHttpProxyAgent: () => (require("undici/index.js") as typeof Undici).EnvHttpProxyAgent,
};

/** The complete package takes three times as long to load. The locations of its parts are not part of its API. */
export function partOfUndici<Name extends Part>(name: Name, load = parts[name]): (typeof Undici)[Name] {
  try {
    return load() as (typeof Undici)[Name];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") {
      throw error;
    }
    // Bun replaces "undici" with a shim that has no dispatch.
    return (require("undici/index.js") as typeof Undici)[name];
  }
}

function tlsOptions(
  settings: TransportSettings,
): Pick<ConnectionOptions, "ca" | "cert" | "key" | "servername" | "rejectUnauthorized"> {
  const {
    service,
    dialect = "documented",
    ownAddress,
    serverName: servername,
    insecureSkipVerify,
  } = settings;
  const { caCertificate: ca, clientCertificate: cert, clientKey: key } = settings;
  const options = { ca, cert, key };
  const problems: readonly (readonly [SettingName, isFound: boolean, problem: string])[] = [
    ["caCertificate", !isCertificate(ca), "The CA certificate is not a PEM certificate"],
    [
      "clientKey",
      cert !== undefined && key === undefined,
      "A client certificate is set without a client key",
    ],
    [
      "clientCertificate",
      key !== undefined && cert === undefined,
      "A client key is set without a client certificate",
    ],
    ["clientCertificate", !isCertificate(cert), "The client certificate is not a PEM certificate"],
    [
      "clientKey",
      !works(() => createSecureContext(options)),
      "The client key is not the PEM key of the client certificate",
    ],
  ];
  for (const [name, isFound, problem] of problems) {
    if (isFound) {
      throw new ConfigurationError(`${problem} for the ${service} service.`, {
        advice: `Check ${nameOfSetting({ service, dialect, ownAddress }, name)}.`,
      });
    }
  }
  // Node.js takes an undefined `rejectUnauthorized` for false.
  return { ...options, servername, ...(insecureSkipVerify === true ? { rejectUnauthorized: false } : {}) };
}

function isCertificate(pem: string | undefined): boolean {
  return pem === undefined || works(() => new X509Certificate(pem));
}

function works(attempt: () => unknown): boolean {
  try {
    attempt();
    return true;
  } catch {
    return false;
  }
}

/** @returns the URL of the proxy, empty for none */
function proxyFor({ httpProxy = "", httpsProxy = "" }: ProxySettings, { protocol }: URL): string {
  const isSecure = protocol === "https:";
  const given = isSecure ? httpsProxy : httpProxy;
  if (given === "") {
    return "";
  }
  // The variables often contain only host and port.
  const proxy = /^[a-z][a-z0-9+.-]*:\/\//i.test(given) ? given : `http://${given}`;
  if (!URL.canParse(proxy) || !/^(?:https?|socks5?):$/.test(new URL(proxy).protocol)) {
    const variable = isSecure ? "HTTPS_PROXY" : "HTTP_PROXY";
    throw new ConfigurationError(`${variable} is not a proxy URL such as http://proxy.example.com:3128.`);
  }
  const { username, password } = new URL(proxy);
  const secret = decodeURIComponent(password);
  processRedactor.register(secret, secret && `${decodeURIComponent(username)}:${secret}`);
  return proxy;
}
