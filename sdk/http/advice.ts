import {
  configurationCommand,
  configurationKey,
  type Dialect,
  environmentVariable,
  filledIn,
  overrideVariable,
  type ServiceName,
  isProduct,
} from "../base/settings";
import { listed, showable } from "../base/shown-text";
import type { Destination } from "./transport";

export interface ErrorResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly messages: readonly string[];
  /** Whether the body is an HTML page. */
  readonly page: boolean;
  /** Whether the body does not have the form of the service's own "not found" responses. */
  readonly isForeign?: boolean;
  /** Whether all retries failed. */
  readonly exhausted: boolean;
  readonly tokenSource: string | undefined;
  /** The names of the members in the request's body. */
  readonly members?: readonly string[];
}

/** The advice for an error status. For `{x}` in the texts, see {@link filledIn}. */
export function adviceFor(response: ErrorResponse, destination: Destination): string | undefined {
  const { service } = destination;
  const { tokenSource: source = "", headers } = response;
  const product = headers["tfp-appname"] ?? productOf(service);
  const text = sentencesFor(response, destination).join(" ");
  return text === "" ? undefined : filledIn(text, destination, { service, source, product });
}

function sentencesFor(response: ErrorResponse, destination: Destination): readonly string[] {
  const { status, page, messages, exhausted } = response;
  if (messages.some((text) => /HTTP request (?:was sent )?to (?:an )?HTTPS/i.test(text))) {
    return ["The service speaks HTTPS: start {address} with https://."];
  }
  if (status < 400) {
    return [redirected(response, destination)];
  }
  const evidence = evidenceOf(destination.service, response);
  const dialect = adviseDialect(response, destination, evidence);
  const usual = [
    adviceForStatus(response, destination),
    status >= 500 && exhausted ? "All retries failed." : undefined,
  ];
  const isOfProxy = page || [407, 502, 503, 504].includes(status);
  return [
    page && status !== 429
      ? "The response is an HTML page, probably from a proxy instead of the service: check {address}."
      : undefined,
    ...(evidence === "proof" ? [dialect, ...usual] : [...usual, dialect]),
    isOfProxy ? proxySentence(destination) : undefined,
  ].filter((part) => part !== undefined);
}

function adviseDialect(
  { status, page }: ErrorResponse,
  { service, dialect }: Destination,
  evidence: Evidence,
): string | undefined {
  if (isProduct[dialect]) {
    return status === 403 && !page && evidence === undefined
      ? 'The dialect is "hashicorp", but the response does not look like {product}. If the service speaks the ' +
          `documented dialect: ${changeDialect(service, "documented")}`
      : undefined;
  }
  // In the wrong dialect, the first error is usually that the product rejects an unknown request.
  if (evidence === undefined || ![401, 403, 404].includes(status)) {
    return undefined;
  }
  const next = changeDialect(service, "hashicorp");
  return evidence === "proof"
    ? `This looks like {product}, but the dialect is "documented": ${next}`
    : `If this is {product}: ${next}`;
}

function changeDialect(service: ServiceName, dialect: Dialect): string {
  const command = `\`${configurationCommand(configurationKey(service, "dialect"))} ${dialect}\``;
  const variable = `${environmentVariable(service, "dialect") ?? ""}=${dialect}`;
  return `run ${command} (or set ${variable}), then run \`npx pulumi-trivium doctor\`.`;
}

const unreachable = "A proxy could not reach the service, or got no response in time.";
const failed = "Check the service's log.";

const byStatus: Readonly<Record<number, string>> = {
  413: "The request is larger than the service, or a proxy in front of it, allows.",
  415: "The service does not accept the media type. Check that {address} is the {service} service's address.",
  429: "The service limits the request rate: lower {maxConcurrency} or raise {maxRetries}.",
  502: unreachable,
  504: unreachable,
};

/** @param offered the header `Proxy-Authenticate` */
export function proxyAuthentication({ proxy }: Destination, offered = ""): string {
  const kinds = [...offered.replace(/"[^"]*"/g, "").matchAll(/(?:^|,)\s*([\w-]+)(?=\s*(?:,|$)|\s+[\w-])/g)]
    .map(([, kind = ""]) => kind)
    .filter((kind, index, all) => all.indexOf(kind) === index);
  if (kinds.length > 0 && !kinds.some((kind) => kind.toLowerCase() === "basic")) {
    return (
      `The proxy offers only ${listed(kinds.map((kind) => showable(kind)))}, and this library only sends a user name and a password (Basic): ` +
      "allow Basic in the proxy, use a local proxy that logs in to it (such as Px or cntlm), or add the host to NO_PROXY."
    );
  }
  const where = `${proxy?.variable ?? "its URL"}, with special characters percent-encoded`;
  return proxy?.credentials === undefined
    ? `The proxy requires authentication: add user:password@ before the host in ${where}.`
    : `The proxy rejects the user name and password: correct them in ${where}.`;
}

export function proxySentence({ proxy }: Destination): string | undefined {
  return (
    proxy &&
    `The request goes through the proxy ${proxy.address}, which ${proxy.variable} names; to bypass it, add the host to NO_PROXY.`
  );
}

function adviceForStatus(response: ErrorResponse, destination: Destination): string | undefined {
  const { status, messages, page, isForeign, headers } = response;
  const { service } = destination;
  switch (status) {
    case 401:
      return tokenRefused(response, destination, "is invalid, revoked or expired", true);
    case 403: {
      const { members = [] } = response;
      const isOfPolicy = service === "secrets" && isProduct[destination.dialect] && members.length > 0;
      const isInvalid = /\b(?:invalid token|token not found|token (?:is )?expired)\b/i;
      const why = "lacks the required permission or is no longer valid";
      const isTokens = messages.some((text) => isInvalid.test(text));
      return (
        tokenRefused(response, destination, why, isTokens) +
        (isOfPolicy && !isTokens ? ` ${aboutMembers(members)}` : "")
      );
    }
    case 407:
      return proxyAuthentication(destination, headers["proxy-authenticate"]);
    case 404:
      if (page) {
        return undefined;
      }
      if (isForeign === true) {
        const front = "Check {address}, and the routes of any gateway in front of the service.";
        return service === "secrets"
          ? `${front} Otherwise check the names, the mount and {namespace}.`
          : front;
      }
      return service === "provisioning"
        ? `The object does not exist, or the token has no access to it: the service does not distinguish the two. ${tokenInUse(response)}`
        : "Nothing exists at this path. Check the names, the mount and {namespace}.";
    case 503:
      return service === "secrets" ? "The service is sealed, on standby or overloaded." : failed;
    default:
      if (status < 500 || status in byStatus) {
        return byStatus[status];
      }
      // Secrets engines return 500 for all failures, invalid arguments included.
      return service === "secrets" && messages.length > 0 && !page
        ? "An argument might be invalid, or a system behind the service, such as a directory, might have failed: check the service's log."
        : failed;
  }
}

/** A policy can deny members, but the service does not name them. */
function aboutMembers(members: readonly string[]): string {
  return `The request has ${listed(members.map((name) => showable(name)))}: a policy with allowed_parameters or denied_parameters must allow all of them.`;
}

/** Redirects are not followed: the token must not reach another host. */
function redirected({ status, headers: { location } }: ErrorResponse, { origin }: Destination): string {
  if (location === undefined || !URL.canParse(location, origin)) {
    return `Status ${status} is not a success: check {address}.`;
  }
  const target = new URL(location, origin).origin;
  if (origin.startsWith("https:") && target.startsWith("http:")) {
    return `The service redirects to ${target}, which is not encrypted. Redirects are not followed, to avoid exposing the token. Fix the redirect on the server.`;
  }
  return target === origin
    ? `The service redirects to another path of ${origin}. Redirects are not followed: check the path in {address}.`
    : `The service redirects to ${target}. Redirects are not followed: if that is the service, set {address} to it.`;
}

function tokenInUse({ tokenSource }: ErrorResponse): string {
  return tokenSource === undefined ? "No token was sent: set {token}." : "The token comes from {source}.";
}

/** @param isInvalid whether the user needs another token rather than another permission */
function tokenRefused(
  response: ErrorResponse,
  { service, ownAddress = false }: Destination,
  why: string,
  isInvalid: boolean,
): string {
  const { tokenSource } = response;
  const variable = overrideVariable(service);
  const isOverridden = ownAddress || tokenSource?.includes(variable) === true;
  const override = isInvalid && !isOverridden ? ` To override it, set ${variable}.` : "";
  return tokenSource === undefined ? tokenInUse(response) : `The token from {source} ${why}.${override}`;
}

interface Trait {
  readonly product: string;
  /** The headers that only this product sends. */
  readonly headers: RegExp;
  /** Text in its errors, which a service of the documented dialect might use too. */
  readonly messages?: RegExp;
}

const traits: Readonly<Record<ServiceName, Trait>> = {
  provisioning: {
    product: "HCP Terraform or Terraform Enterprise",
    headers: /^(?:tfp-api-version|x-tfe-version)$/,
  },
  secrets: {
    product: "Vault or OpenBao",
    headers: /^x-(?:vault|openbao)-/,
    messages: /^(?:permission denied|missing client token|no handler for route .*)$/i,
  },
  scheduler: {
    product: "Nomad",
    headers: /^x-nomad-/,
    messages: /^(?:permission denied|acl token not found|uuid must be 36 characters)$/i,
  },
};

/** Whether a response is the product's: headers prove it, text only suggests it. */
type Evidence = "proof" | "hint" | undefined;

/** Products also identify themselves in the headers of errors. */
function evidenceOf(
  service: ServiceName,
  { headers, messages }: Pick<ErrorResponse, "headers" | "messages">,
): Evidence {
  const trait = traits[service];
  const isVault =
    service === "secrets" &&
    headers["cache-control"] === "no-store" &&
    headers["strict-transport-security"] === "max-age=31536000; includeSubDomains";
  if (isVault || Object.keys(headers).some((name) => trait.headers.test(name))) {
    return "proof";
  }
  return messages.some((text) => trait.messages?.test(text)) ? "hint" : undefined;
}

/** @returns a warning if a successful response in the documented dialect comes from a product */
export function looksLikeProduct(
  destination: Destination,
  headers: ErrorResponse["headers"],
): string | undefined {
  const { service, dialect, origin } = destination;
  const isProof =
    evidenceOf(service, { headers, messages: [] }) === "proof" ||
    (service === "provisioning" && new URL(origin).hostname.endsWith(".terraform.io"));
  return isProduct[dialect] || !isProof
    ? undefined
    : `The ${service} service at ${origin} looks like ${productOf(service)}, but the dialect is "documented". Set the dialect before ` +
        `you create objects, because another dialect cannot find them: ${changeDialect(service, "hashicorp")}`;
}

export function productOf(service: ServiceName): string {
  return traits[service].product;
}
