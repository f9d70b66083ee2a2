import {
  configurationCommand,
  configurationKey,
  type Dialect,
  environmentVariable,
  overrideVariable,
  type ServiceName,
} from "../base/settings";
import type { Connection } from "./connection";
import { type ProductBehind, productBehind, productOf } from "./products";
import { nameOfSetting } from "../base/setting-name";

export interface ErrorResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly messages: readonly string[];
  readonly page: boolean;
  readonly exhausted: boolean;
  readonly tokenSource: string | undefined;
}

export function adviceFor(response: ErrorResponse, connection: Connection): string | undefined {
  const { status, page } = response;
  const address = nameOfSetting(connection, "address");
  if (response.messages.some((text) => /HTTP request (?:was sent )?to (?:an )?HTTPS/i.test(text))) {
    return `The service speaks HTTPS: start ${address} with https://.`;
  }
  if (status < 400) {
    return redirected(response, connection, address);
  }
  const product = productInOtherDialect(response, connection);
  const advice =
    product === undefined ? adviseDocumented(response, connection) : adviseDialect(product, connection);
  const usual = adviceForStatus(response, connection);
  const sentences = [
    page && status !== 429
      ? `The response is an HTML page, probably from a proxy instead of the service: check ${address}.`
      : undefined,
    ...(product?.certain === true ? [advice, usual] : [usual, advice]),
  ].filter((part) => part !== undefined);
  return sentences.length === 0 ? undefined : sentences.join(" ");
}

/** The first error of a product in the wrong dialect is that it rejects an unknown request. */
function productInOtherDialect(
  response: ErrorResponse,
  { service, dialect }: Connection,
): ProductBehind | undefined {
  return dialect === "documented" && [401, 403, 404].includes(response.status)
    ? productBehind(service, response)
    : undefined;
}

/** A product identifies itself in the headers of errors too. */
function adviseDocumented(response: ErrorResponse, { service, dialect }: Connection): string | undefined {
  const isDocumented =
    dialect === "hashicorp" &&
    response.status === 403 &&
    !response.page &&
    productBehind(service, response) === undefined;
  return isDocumented
    ? `The dialect is "hashicorp", but the response does not look like ${productOf(service)}. If the service ` +
        `speaks the documented dialect: ${changeDialect(service, "documented")}`
    : undefined;
}

function changeDialect(service: ServiceName, dialect: Dialect): string {
  const command = `\`${configurationCommand(configurationKey(service, "dialect"))} ${dialect}\``;
  const variable = `${environmentVariable(service, "dialect") ?? ""}=${dialect}`;
  return `run ${command} (or set ${variable}), then run \`npx pulumi-trivium doctor\`.`;
}

function adviseDialect({ name, certain }: ProductBehind, { service }: Connection): string {
  const next = changeDialect(service, "hashicorp");
  return certain
    ? `This looks like ${name}, but the dialect is "documented": ${next}`
    : `If this is ${name}: ${next}`;
}

function adviceForStatus(response: ErrorResponse, connection: Connection): string | undefined {
  const { service } = connection;
  const { status, tokenSource } = response;
  switch (status) {
    case 401:
      return tokenRefused(connection, tokenSource, "The token is invalid, revoked or expired.", true);
    case 403:
      return tokenRefused(
        connection,
        tokenSource,
        "The token lacks the permission, or is no longer valid.",
        response.messages.some((text) =>
          /\b(?:invalid token|token not found|token (?:is )?expired)\b/i.test(text),
        ),
      );
    case 404:
      return service === "provisioning"
        ? `The object does not exist, or the token has no access to it: the service does not distinguish the two. ${tokenInUse(connection, tokenSource)}`
        : `It does not exist at this path: check the names, the mount and ${nameOfSetting(connection, "namespace")}.`;
    case 407:
      return "The proxy requires authentication: add user:password to its URL.";
    case 413:
      return "The request is larger than the service, or a proxy in front of it, allows.";
    case 415:
      return `The service does not accept the media type. Check that ${nameOfSetting(connection, "address")} is that of the ${service} service.`;
    case 429:
      return `The service limits the request rate: lower ${nameOfSetting(connection, "maxConcurrency")} or raise ${nameOfSetting(connection, "maxRetries")}.`;
    default:
      return status >= 500 ? serverFailed(response, service) : undefined;
  }
}

function serverFailed(response: ErrorResponse, service: ServiceName): string {
  const state = stateOf(response, service);
  return response.exhausted ? `${state} All retries failed.` : state;
}

function stateOf({ status, messages, page }: ErrorResponse, service: ServiceName): string {
  switch (status) {
    case 502:
    case 504:
      return "A proxy could not reach the service, or got no response in time.";
    case 503:
      return service === "secrets"
        ? "The service is sealed, on standby or overloaded."
        : "Check the log of the service.";
    default:
      // Secrets engines return 500 for all failures, invalid arguments included.
      return service === "secrets" && messages.length > 0 && !page
        ? "An argument may be invalid, or a system behind the service, such as a directory, may have failed: check the log of the service."
        : "Check the log of the service.";
  }
}

/** Redirects are not followed: the token must not reach another host. */
function redirected({ status, headers }: ErrorResponse, { origin }: Connection, address: string): string {
  const location = headers.location;
  if (location === undefined || !URL.canParse(location, origin)) {
    return `Status ${status} is not a success: check ${address}.`;
  }
  const target = new URL(location, origin).origin;
  if (origin.startsWith("https:") && target.startsWith("http:")) {
    return `The service redirects to ${target}, which is not encrypted. Redirects are not followed, so that the token is not exposed. Fix the redirect on the server.`;
  }
  return target === origin
    ? `The service redirects to another path of ${origin}. Redirects are not followed: check the path in ${address}.`
    : `The service redirects to ${target}. Redirects are not followed: if that is the service, set ${address} to it.`;
}

function tokenInUse(connection: Connection, source: string | undefined): string {
  return source === undefined
    ? `No token was sent: set ${nameOfSetting(connection, "token")}.`
    : `The token comes from ${source}.`;
}

/** @param isInvalid whether the user needs another token rather than another permission */
function tokenRefused(
  connection: Connection,
  source: string | undefined,
  why: string,
  isInvalid: boolean,
): string {
  const { service, ownAddress } = connection;
  const token = tokenInUse(connection, source);
  if (source === undefined) {
    return token;
  }
  const variable = overrideVariable(service);
  const override = !isInvalid || ownAddress || source.includes(variable) ? "" : ` ${variable} overrides it.`;
  return `${token} ${why}${override}`;
}
