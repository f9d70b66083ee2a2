import { BlockList, isIP } from "node:net";
import { domainToASCII } from "node:url";
import { ConfigurationError } from "../base/errors";
import { itemsOf } from "../base/json";
import { processRedactor } from "../base/redactor";
import { listed, quoted } from "../base/shown-text";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Proxy {
  /** The address without credentials: `http://proxy.example.com:3128`. */
  readonly address: string;
  readonly protocol: "http:" | "https:" | "socks5:";
  /** The environment variable that names it. */
  readonly variable: string;
  /** Whether the proxy receives the requests themselves, instead of only opening connections. */
  readonly forwards: boolean;
  readonly credentials: { readonly username: string; readonly password: string } | undefined;
}

/**
 * The proxy of a request, by the rules of Go, in which the products' own tools are written.
 *
 * @throws ConfigurationError if a variable is not a proxy URL
 */
export function proxyFor(environment: Environment, address: URL): Proxy | undefined {
  const { variable, value } = findVariable(environment, proxyVariable(address));
  return value === "" || isBypassed(environment, address) ? undefined : proxyIn(value, variable, address);
}

/** @returns a sentence about entries of NO_PROXY that match nothing */
export function unclearBypass(environment: Environment, address: URL): string | undefined {
  const { variable, value } = findVariable(environment, "NO_PROXY");
  const unclear = itemsOf(value).filter((entry) => bypassOf(entry) === undefined);
  return unclear.length === 0 || findVariable(environment, proxyVariable(address)).value === ""
    ? undefined
    : `${variable} has entries that match nothing: ${listed(unclear.map(quoted))}. Separate host names, addresses ` +
        "and networks such as 10.0.0.0/8 by commas.";
}

const proxyVariables = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"] as const;

/** The current values, without the rest of the environment, which can contain other secrets. */
export function proxyVariablesIn(environment: Environment): Environment {
  const names = proxyVariables.flatMap((name) => [name, name.toLowerCase()]);
  const live = names.map((name) => [name, { get: () => environment[name], enumerable: true }] as const);
  return Object.defineProperties({}, Object.fromEntries(live));
}

function proxyVariable({ protocol }: URL): "HTTP_PROXY" | "HTTPS_PROXY" {
  return protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
}

function findVariable(environment: Environment, name: string): { variable: string; value: string } {
  const values = [name.toLowerCase(), name].map((variable) => ({
    variable,
    value: environment[variable]?.trim() ?? "",
  }));
  return values.find(({ value }) => value !== "") ?? { variable: name, value: "" };
}

function proxyIn(value: string, variable: string, address: URL): Proxy {
  // The variables often contain only a host and a port.
  const text = /^[a-z][a-z\d+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const protocol = url?.protocol.replace(/^socks(?:5h?)?:$/, "socks5:");
  // In that case the password contains a character that ends the host.
  const isCut = /@/.test((url?.pathname ?? "") + (url?.search ?? "") + (url?.hash ?? ""));
  if (url === undefined || url.hostname === "" || !isProtocol(protocol) || isCut) {
    const advice = value.includes("@")
      ? "Percent-encode special characters in the user name and password: %2F for /, %23 for #, %3F for ?, %3A for :."
      : undefined;
    throw new ConfigurationError(`${variable} is not a proxy URL such as http://proxy.example.com:3128.`, {
      advice,
    });
  }
  const [username, password] = [decoded(url.username), decoded(url.password)];
  processRedactor.register(password, url.password, password && `${username}:${password}`);
  return {
    address: `${protocol}//${url.host}`,
    protocol,
    variable,
    forwards: address.protocol === "http:" && protocol !== "socks5:",
    credentials: username + password === "" ? undefined : { username, password },
  };
}

function isProtocol(protocol: string | undefined): protocol is Proxy["protocol"] {
  return protocol === "http:" || protocol === "https:" || protocol === "socks5:";
}

/** Like curl, keeps a percent sign that does not begin an escape. */
function decoded(text: string): string {
  return text.replace(/(?:%[\da-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes;
    }
  });
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8);
loopback.addAddress("::1", "ipv6");

/** Requests to this machine do not use a proxy. */
function isBypassed(environment: Environment, { hostname, port, protocol }: URL): boolean {
  const host = hostname.replace(/^\[|\]$/g, "");
  const usualPort = protocol === "https:" ? "443" : "80";
  const entries = itemsOf(findVariable(environment, "NO_PROXY").value);
  return (
    host === "localhost" ||
    isIn(loopback, host) ||
    entries.some((entry) => bypassOf(entry)?.(host, port || usualPort) === true)
  );
}

type Bypass = (host: string, port: string) => boolean;

const numbered = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/;

/** @returns `undefined` for an entry that is not valid */
function bypassOf(entry: string): Bypass | undefined {
  if (entry === "*") {
    return () => true;
  }
  const [, network = "", length = ""] = /^([^/]+)\/(\d{1,3})$/.exec(entry) ?? [];
  const bits = isIP(network) === 4 ? 32 : 128;
  if (isIP(network) !== 0 && Number(length) <= bits) {
    const hosts = new BlockList();
    hosts.addSubnet(network, Number(length), familyOf(network));
    return (host) => isIn(hosts, host);
  }
  const [, bracketed, bare, entryPort] = numbered.exec(entry) ?? [];
  const name = isIP(entry) === 0 ? (bracketed ?? bare ?? "") : entry;
  const isPort = (port: string): boolean => entryPort === undefined || Number(entryPort) === Number(port);
  if (isIP(name) !== 0) {
    const hosts = new BlockList();
    hosts.addAddress(name, familyOf(name));
    return (host, port) => isIn(hosts, host) && isPort(port);
  }
  const [, wildcard, domain = ""] = /^(\*?\.)?([\p{L}\p{N}_.-]+)$/u.exec(name) ?? [];
  // Top-level domains are not numbers, so this is a part of an address.
  if (bracketed !== undefined || /^\.|\.\.|(?:^|\.)\d*$/.test(domain)) {
    return undefined;
  }
  const suffix = domainToASCII(domain);
  return (host, port) =>
    isPort(port) && (host.endsWith(`.${suffix}`) || (wildcard === undefined && host === suffix));
}

function isIn(hosts: BlockList, host: string): boolean {
  return isIP(host) !== 0 && hosts.check(host, familyOf(host));
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 4 ? "ipv4" : "ipv6";
}
