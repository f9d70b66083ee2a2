import {
  configurationCommand,
  configurationKey,
  environmentVariable,
  overrideVariable,
  type ServiceName,
} from "../base/settings";
import type { Connection } from "./connection";
import { type ProductBehind, productBehind } from "./products";
import { nameOfSetting } from "../base/setting-name";

/** What a hint is made from. */
export interface RefusedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly words: readonly string[];
  /** Whether the body is a page of markup. */
  readonly page: boolean;
  /** Whether retries were made until none was left. */
  readonly exhausted: boolean;
  readonly tokenSource: string | undefined;
}

/** What a person can do about an answer that is not a success. */
export function hintFor(answer: RefusedAnswer, connection: Connection): string | undefined {
  const { status, page } = answer;
  const address = nameOfSetting(connection, "address");
  if (answer.words.some((text) => /HTTP request (?:was sent )?to (?:an )?HTTPS/i.test(text))) {
    return `The service speaks HTTPS: begin ${address} with https://.`;
  }
  if (status < 400) {
    return redirected(answer, connection, address);
  }
  const product = productInOtherDialect(answer, connection);
  const advice = product && adviseDialect(product, connection);
  const usual = hintForStatus(answer, connection);
  const hints = [
    page && status !== 429
      ? `The answer is a page, probably of a proxy and not of the service: check ${address}.`
      : undefined,
    ...(product?.certain === true ? [advice, usual] : [usual, advice]),
  ].filter((part) => part !== undefined);
  return hints.length === 0 ? undefined : hints.join(" ");
}

/** What a new user of a product meets first: it refuses what it does not understand. */
function productInOtherDialect(
  answer: RefusedAnswer,
  { service, dialect }: Connection,
): ProductBehind | undefined {
  return dialect === "documented" && [401, 403, 404].includes(answer.status)
    ? productBehind(service, answer)
    : undefined;
}

function adviseDialect({ name, certain }: ProductBehind, { service }: Connection): string {
  const command = `\`${configurationCommand(configurationKey(service, "dialect"))} hashicorp\``;
  const variable = `${environmentVariable(service, "dialect") ?? ""}=hashicorp`;
  const next = `run ${command} (or set ${variable}), then run \`npx pulumi-trivium doctor\`.`;
  return certain
    ? `This looks like ${name}, but the dialect is "documented": ${next}`
    : `If this is ${name}: ${next}`;
}

function hintForStatus(answer: RefusedAnswer, connection: Connection): string | undefined {
  const { service } = connection;
  const { status, tokenSource } = answer;
  switch (status) {
    case 401:
      return tokenRefused(connection, tokenSource, "It is wrong, revoked or expired.");
    case 403:
      return tokenRefused(connection, tokenSource, "It has no right to this, or is no longer valid.");
    case 404:
      return service === "provisioning"
        ? `It does not exist, or the token may not see it: the service answers both alike. ${tokenInUse(connection, tokenSource)}`
        : `It does not exist there: check names, mount and ${nameOfSetting(connection, "namespace")}.`;
    case 407:
      return "The proxy requires authentication: add user:password to its URL.";
    case 413:
      return "The request is larger than the service, or a proxy before it, allows.";
    case 415:
      return `The service does not accept the media type: is ${nameOfSetting(connection, "address")} that of the ${service} service?`;
    case 429:
      return `The service limits requests; set ${nameOfSetting(connection, "maxConcurrency")} lower or ${nameOfSetting(connection, "maxRetries")} higher.`;
    default:
      return status >= 500 ? serverFailed(answer, service) : undefined;
  }
}

function serverFailed(answer: RefusedAnswer, service: ServiceName): string {
  const state = stateOf(answer, service);
  return answer.exhausted ? `${state} It was still so after every retry.` : state;
}

function stateOf({ status, words, page }: RefusedAnswer, service: ServiceName): string {
  switch (status) {
    case 502:
    case 504:
      return "A proxy could not reach the service, or did not get its answer in time.";
    case 503:
      return service === "secrets"
        ? "The service is sealed, on standby or overloaded."
        : "The service failed; its own log says why.";
    default:
      // Engines answer so to whatever goes wrong in them, also to what they cannot use.
      return service === "secrets" && words.length > 0 && !page
        ? "That may be about an argument that the service cannot use, or come from a system behind it such as a directory: then its own log says more."
        : "The service failed; its own log says why.";
  }
}

/** Nothing is followed: the token must not go to another host. */
function redirected({ status, headers }: RefusedAnswer, { origin }: Connection, address: string): string {
  const location = headers.location;
  if (location === undefined || !URL.canParse(location, origin)) {
    return `Status ${status} is no success; check ${address}.`;
  }
  const target = new URL(location, origin).origin;
  if (origin.startsWith("https:") && target.startsWith("http:")) {
    return `It redirects to ${target}, which is not encrypted. Redirects are not followed, and the token would be readable there: its operator has to mend that.`;
  }
  return target === origin
    ? `Redirects are not followed, and this one stays at ${origin}; check the path in ${address}.`
    : `It redirects to ${target}. Redirects are not followed; if that is the service, set ${address} to it.`;
}

function tokenInUse(connection: Connection, source: string | undefined): string {
  return source === undefined
    ? `No token was sent; set ${nameOfSetting(connection, "token")}.`
    : `The token in use came from ${source}.`;
}

function tokenRefused(connection: Connection, source: string | undefined, why: string): string {
  const { service, ownAddress } = connection;
  const token = tokenInUse(connection, source);
  if (source === undefined) {
    return token;
  }
  const variable = overrideVariable(service);
  const override = ownAddress || source.includes(variable) ? "" : ` ${variable} overrides it.`;
  return `${token} ${why}${override}`;
}
