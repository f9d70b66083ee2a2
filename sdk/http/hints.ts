import { overrideVariable } from "../connection/settings";
import type { ServiceName } from "../resource/definition";
import type { Connection } from "./connection";
import { nameOfSetting } from "./setting-name";

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
  const { service } = connection;
  const { status, page } = answer;
  const address = nameOfSetting(service, "address");
  if (answer.words.some((text) => /HTTP request (?:was sent )?to (?:an )?HTTPS/i.test(text))) {
    return `The service speaks HTTPS: begin ${address} with https://.`;
  }
  if (status < 400) {
    return redirected(answer, connection, address);
  }
  const hint = hintForStatus(answer, service);
  return page && status !== 429
    ? [`The answer is a page, probably of a proxy and not of the service: check ${address}.`, hint]
        .filter((part) => part !== undefined)
        .join(" ")
    : hint;
}

function hintForStatus(answer: RefusedAnswer, service: ServiceName): string | undefined {
  const { status, tokenSource } = answer;
  switch (status) {
    case 401:
      return `${tokenInUse(service, tokenSource)} It is wrong, revoked or expired.${override(service, tokenSource)}`;
    case 403:
      return `${tokenInUse(service, tokenSource)} It has no right to this, or is no longer valid.${override(service, tokenSource)}`;
    case 404:
      return service === "provisioning"
        ? `It does not exist, or the token may not see it: the service answers both alike. ${tokenInUse(service, tokenSource)}`
        : `It does not exist there: check names, mount and ${nameOfSetting(service, "namespace")}.`;
    case 407:
      return "The proxy wants to know who asks: put user and password into its address.";
    case 413:
      return "The request is larger than the service, or a proxy before it, allows.";
    case 415:
      return `The service does not accept the media type: is ${nameOfSetting(service, "address")} that of the ${service} service?`;
    case 429:
      return `The service limits requests; set ${nameOfSetting(service, "maxConcurrency")} lower or ${nameOfSetting(service, "maxRetries")} higher.`;
    default:
      return status >= 500 ? serverFailed(answer, service) : undefined;
  }
}

function serverFailed({ status, exhausted }: RefusedAnswer, service: ServiceName): string {
  const state =
    status === 503 && service === "secrets"
      ? "The service is sealed, on standby or overloaded."
      : status === 502 || status === 504
        ? "A proxy could not reach the service, or did not get its answer in time."
        : "The service failed; its own log says why.";
  return exhausted ? `${state} It was still so after every retry.` : state;
}

/** Nothing is followed: the token must not go to another host. */
function redirected({ status, headers }: RefusedAnswer, { origin }: Connection, address: string): string {
  const location = headers.location;
  if (location === undefined || !URL.canParse(location, origin)) {
    return `Status ${status} is no success; check ${address}.`;
  }
  const target = new URL(location, origin).origin;
  return target === origin
    ? `Redirects are not followed, and this one stays at ${origin}; check the path in ${address}.`
    : `It redirects to ${target}. Redirects are not followed; if that is the service, set ${address} to it.`;
}

function tokenInUse(service: ServiceName, source: string | undefined): string {
  return source === undefined
    ? `No token was sent; set ${nameOfSetting(service, "token")}.`
    : `The token in use came from ${source}.`;
}

function override(service: ServiceName, source: string | undefined): string {
  const variable = overrideVariable(service);
  return source === undefined || source.includes(variable) ? "" : ` ${variable} overrides it.`;
}
