import { X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import type { Dispatcher } from "undici";
import type { SettingName } from "../base/settings";
import type { ConnectionSettings, ProxySettings } from "./connection-settings";
import { ConfigurationError } from "../base/errors";
import { processRedactor } from "../base/redactor";
import { nameOfSetting } from "../base/setting-name";
import type { EarlySocket } from "./early-socket";
import type { TlsAlerts } from "./tls-alerts";
import { partOfUndici } from "./undici-parts";

const longestConnect = 10_000;

/**
 * @param early the first socket; not used with a proxy
 * @throws ConfigurationError if a certificate, key or proxy is invalid
 */
export function createDispatcher(
  settings: ConnectionSettings,
  address: URL,
  alerts: TlsAlerts,
  early: EarlySocket,
): Dispatcher {
  const sockets = {
    ...tlsOptions(settings),
    timeout: Math.min(longestConnect, settings.requestTimeoutMilliseconds ?? longestConnect),
  };
  const connect = alerts.watch(partOfUndici("buildConnector")(sockets));
  const proxy = proxyFor(settings.proxies ?? {}, address);
  if (proxy === "") {
    const Agent = partOfUndici("Agent");
    return new Agent({ connect: early.around(connect) });
  }
  const EnvHttpProxyAgent = partOfUndici("EnvHttpProxyAgent");
  // Every member is set, because the agent reads missing ones from the environment.
  return new EnvHttpProxyAgent({
    httpProxy: address.protocol === "http:" ? proxy : "",
    httpsProxy: address.protocol === "https:" ? proxy : "",
    noProxy: settings.proxies?.noProxy ?? "",
    connect,
    requestTls: sockets,
    proxyTls: { ca: sockets.ca, timeout: sockets.timeout },
    // Plain HTTP uses no tunnel, like curl: many proxies only allow tunnels to port 443.
    proxyTunnel: false,
  });
}

interface TlsOptions {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}

function tlsOptions(settings: ConnectionSettings): TlsOptions {
  const { service, dialect = "documented", ownAddress, serverName, insecureSkipVerify } = settings;
  const { caCertificate, clientCertificate, clientKey } = settings;
  const refuse = (problem: string, name: SettingName): never => {
    throw new ConfigurationError(`${problem} for the ${service} service.`, {
      advice: `Check ${nameOfSetting({ service, dialect, ownAddress }, name)}.`,
    });
  };
  if (caCertificate !== undefined && !isCertificate(caCertificate)) {
    refuse("The CA certificate is not a PEM certificate", "caCertificate");
  }
  if (clientCertificate !== undefined && clientKey === undefined) {
    refuse("A client certificate is set without a client key", "clientKey");
  }
  if (clientKey !== undefined && clientCertificate === undefined) {
    refuse("A client key is set without a client certificate", "clientCertificate");
  }
  if (clientCertificate !== undefined && !isCertificate(clientCertificate)) {
    refuse("The client certificate is not a PEM certificate", "clientCertificate");
  }
  const options = {
    ...(caCertificate === undefined ? {} : { ca: caCertificate }),
    ...(clientCertificate === undefined ? {} : { cert: clientCertificate }),
    ...(clientKey === undefined ? {} : { key: clientKey }),
    ...(serverName === undefined ? {} : { servername: serverName }),
    ...(insecureSkipVerify === true ? { rejectUnauthorized: false } : {}),
  };
  try {
    createSecureContext(options);
  } catch {
    refuse("The client key is not the PEM key of the client certificate", "clientKey");
  }
  return options;
}

function isCertificate(pem: string): boolean {
  try {
    new X509Certificate(pem);
    return true;
  } catch {
    return false;
  }
}

/** @returns the URL of the proxy, empty for none */
function proxyFor({ httpProxy = "", httpsProxy = "" }: ProxySettings, address: URL): string {
  const given = address.protocol === "https:" ? httpsProxy : httpProxy;
  if (given === "") {
    return "";
  }
  // The variables often contain only host and port.
  const proxy = /^[a-z][a-z0-9+.-]*:\/\//i.test(given) ? given : `http://${given}`;
  if (!URL.canParse(proxy) || !/^(?:https?|socks5?):$/.test(new URL(proxy).protocol)) {
    const variable = address.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
    throw new ConfigurationError(`${variable} is not a proxy URL such as http://proxy.example.com:3128.`);
  }
  const { username, password } = new URL(proxy);
  processRedactor.register(decodeURIComponent(password));
  if (password !== "") {
    processRedactor.register(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
  }
  return proxy;
}
