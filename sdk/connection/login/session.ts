import { readFile } from "node:fs/promises";
import {
  advisedOtherwise,
  ConfigurationError,
  ServiceError,
  TriviumError,
  withAdvice,
} from "../../base/errors";
import { isObject } from "../../base/json";
import { mountPath, path } from "../../base/path";
import { processRedactor } from "../../base/redactor";
import { atProcessEnd, Span, systemRuntime } from "../../base/timing";
import { SharedWork } from "../../base/caller";
import type { ServiceName } from "../../base/settings";
import { HttpTransport } from "../../http/http-transport";
import type { HttpResponse, Operation, Token, TokenUser, TransportSettings } from "../../http/transport";
import type { ResolvedSettings } from "../resolve";
import type { ServiceProtocol, Grant, LoginProtocol, TokenRequest } from "../service";
import { type Login, openValues, places } from "./settings";

/** The token of a login. When `fresh` ends, the token is renewed or the next one is fetched. */
type Held = Grant & Readonly<{ token: string; life: Span; fresh: Span; uses: number }> & { usesLeft: number };

const ignore = (): void => undefined;

/** Fetches a token once, before the first request, for all requests that wait. */
export class LoginSession {
  private held: Held | undefined;
  private work: SharedWork<Held> | undefined;
  private refusal: Error | undefined;
  /** A rejected token is only replaced once. */
  private isReplaced = false;
  /** Tokens that must not be revoked, because something issued under them has to stay valid. */
  private readonly parents = new Set<string>();

  constructor(
    private readonly login: Login,
    private readonly settings: ResolvedSettings,
    private readonly protocol: LoginProtocol,
    private readonly authenticationHeader: ServiceProtocol<unknown>["authenticationHeader"],
  ) {}

  /** A rejected login is not repeated. */
  async token(user: TokenUser): Promise<Token> {
    const current = this.held;
    let held = current && current.fresh.left > 0 ? current : await this.next(user);
    const needed = ({ token }: Held): number => (user.issues === true || this.parents.has(token) ? 2 : 1);
    while (held.usesLeft < needed(held)) {
      if (held.uses < needed(held)) {
        throw new TriviumError(
          `Each token from the login in ${this.login.source} can be used only once, and that use revokes the token and everything issued with it.`,
          { advice: "Allow more uses per token (token_num_uses)." },
        );
      }
      this.held = this.held === held ? undefined : this.held;
      held = await this.next(user);
    }
    held.usesLeft--;
    if (user.issues === true) {
      this.parents.add(held.token);
    }
    return {
      value: held.token,
      source: `the login from ${this.login.source}`,
      secondsLeft: () => Math.floor(held.life.left / 1000),
      hasEnded: () => this.hasEnded(held),
    };
  }

  private next(user: TokenUser): Promise<Held> {
    if (this.work === undefined || this.work.hasEnded) {
      this.work = new SharedWork((caller) => this.fetch(caller));
    }
    return this.work.wait(user);
  }

  private async fetch(caller: TokenUser): Promise<Held> {
    const former = this.held;
    const hasEnded = former === undefined || former.life.left === 0;
    try {
      const renewed = hasEnded ? undefined : await this.renewed(former, caller);
      this.held = renewed ?? (await this.logIn(caller));
    } catch (error) {
      // The service would reject the login again.
      if (ServiceError.isInstance(error) && error.status < 500 && error.status !== 429) {
        this.refusal = error;
      }
      if (hasEnded || caller.signal?.aborted === true) {
        throw error;
      }
      // Some logins only work once, and the current token is valid until it expires.
      this.held = { ...former, fresh: former.life };
    }
    return this.held;
  }

  private async renewed(former: Held, caller: TokenUser): Promise<Held | undefined> {
    const { renew, token, life, fresh } = former;
    const margin = life.milliseconds - fresh.milliseconds;
    const sentAt = systemRuntime.now();
    const summary = "renew the token";
    const accept = [400, 403, 404, 405];
    const response = renew && (await this.send({ ...renew, summary, accept }, caller, token));
    if (response === undefined || response.status >= 400) {
      return undefined;
    }
    const held = { ...this.heldSince(sentAt, response, summary), token };
    // Near its maximum lifetime, a token can only be extended a little.
    return held.life.left - life.left > margin / 2 ? held : undefined;
  }

  private async logIn(caller: TokenUser): Promise<Held> {
    if (this.refusal !== undefined) {
      throw this.refusal;
    }
    const summary = `log in to the ${this.settings.service} service`;
    const request = this.protocol.request(await valuesOf(this.login, this.settings));
    const sentAt = systemRuntime.now();
    const response = await this.send({ ...request, summary }, caller).catch((error: unknown) => {
      const { login, protocol } = this;
      const advice = [
        `The service rejected the login from ${login.source}. Check its values against what the service requires.`,
        ...(protocol.advice?.(login.members) ?? []),
      ].join(" ");
      throw withAdvice(error, { 401: advice, 403: advice, 404: advice, 400: advice });
    });
    const held = this.heldSince(sentAt, response, summary);
    processRedactor.register(held.token);
    atProcessEnd(this, () => this.end());
    return held;
  }

  private heldSince(sentAt: number, { body, request }: HttpResponse, summary: string): Held {
    const grant = this.protocol.grantIn(isObject(body) ? body : {});
    const { token, uses = Number.POSITIVE_INFINITY } = grant;
    if (typeof token !== "string" || token === "") {
      const problem = `${request} returned no token. ${grant.problem ?? "A login that requires MFA cannot be used."}`;
      throw new TriviumError(`Could not ${summary}: ${problem}`);
    }
    const lifetime = grant.seconds === 0 ? Number.POSITIVE_INFINITY : grant.seconds * 1000;
    const spanOf = (milliseconds: number): Span => new Span(milliseconds, systemRuntime.now, sentAt);
    // The time to renew: one minute before the token expires, or halfway through a short lifetime.
    const fresh = spanOf(lifetime - Math.min(60_000, lifetime / 2));
    return { ...grant, token, uses, usesLeft: uses, life: spanOf(lifetime), fresh };
  }

  /** Whether a rejected token has expired. A 403 alone might only mean a missing permission. */
  private async hasEnded({ token }: Held): Promise<boolean> {
    const isCurrent = (): boolean => this.held?.token === token;
    if (isCurrent() && !this.isReplaced) {
      const operation = { ...this.protocol.lookUp, summary: "look up the token", accept: [403] };
      const response = await this.send(operation, {}, token).catch(ignore);
      if (response?.status === 403 && isCurrent()) {
        this.held = undefined;
        this.isReplaced = true;
      }
    }
    return !isCurrent();
  }

  /** Revokes the token, unless something issued under it has to stay valid. */
  private async end(): Promise<void> {
    const { revoke, token = "" } = this.held ?? {};
    if (revoke !== undefined && !this.parents.has(token)) {
      this.held = undefined;
      // The engine kills the process after five seconds.
      const caller = { signal: AbortSignal.timeout(2000) };
      await this.send({ ...revoke, summary: "revoke the token" }, caller, token).catch(ignore);
    }
  }

  private async send(
    operation: TokenRequest & Pick<Operation, "summary" | "accept">,
    caller: TokenUser,
    token = "",
  ): Promise<HttpResponse> {
    const namespace = this.login.members.namespace ?? this.settings.namespace;
    const authentication = this.authenticationHeader?.({ ...this.settings, namespace })(token);
    const named = Object.entries({ ...this.settings.headers, ...authentication });
    const headers = Object.fromEntries(named.filter(([, value]) => value !== ""));
    const settings = { ...this.settings, token: undefined, headers };
    return sendOnce(settings, { ...operation, ...caller, idempotent: true });
  }
}

/**
 * Reads the values of a login, and registers the secrets for redaction.
 *
 * @throws ConfigurationError if one is missing or empty; TriviumError if GitHub does not return the identity
 */
async function valuesOf(
  { source, members, environment }: Login,
  { service }: ResolvedSettings,
): Promise<Record<string, string>> {
  const values: Record<string, string> = {};
  for (const [member, text] of Object.entries(members)) {
    const place = places.exec(member)?.[0];
    let value: string | undefined = text;
    if (place === "File") {
      value = await readFile(text, "utf8").catch(() => undefined);
    } else if (place !== undefined) {
      const identity = () => githubIdentity(service, text, environment);
      value = place === "Variable" ? environment[text] : await identity();
    }
    const name = member.replace(places, "");
    values[name] = value?.trim() ?? "";
    if (values[name] === "") {
      const what = `\`${member}\` of the login from ${source}`;
      throw new ConfigurationError(
        `Could not log in: ${what} is empty, or does not name anything that can be read.`,
      );
    }
    processRedactor.register(openValues.has(name) ? undefined : values[name]);
  }
  return values;
}

const variables = ["ACTIONS_ID_TOKEN_REQUEST_URL", "ACTIONS_ID_TOKEN_REQUEST_TOKEN"] as const;

/**
 * An identity token that GitHub Actions signs for the job.
 *
 * @param audience GitHub's default if empty
 * @throws ConfigurationError outside such a job; TriviumError if GitHub does not return a token
 */
export async function githubIdentity(
  service: ServiceName,
  audience: string,
  environment: Login["environment"],
): Promise<string> {
  const advice = "The job needs `permissions: { id-token: write }`.";
  const [url = "", value = ""] = variables.map((name) => environment[name]);
  if (value === "" || !URL.canParse(url)) {
    const problem = `${variables.join(" and ")} are not set`;
    throw new ConfigurationError(`Could not log in with the identity of GitHub Actions: ${problem}.`, {
      advice: `Run it in a GitHub Actions job. ${advice}`,
    });
  }
  const { origin: address, pathname, searchParams } = new URL(url);
  const token = () => ({ value, source: `the environment variable ${variables[1]}` });
  const { body } = await sendOnce(
    { service, dialect: "documented", address, proxies: environment, token },
    {
      summary: "get the job's identity from GitHub",
      method: "GET",
      path: path`/${mountPath(decodeURIComponent(pathname))}`,
      query: { ...Object.fromEntries(searchParams), ...(audience === "" ? {} : { audience }) },
      idempotent: true,
    },
  ).catch((error: unknown) => {
    // The default advice is about the service, not about GitHub.
    throw TriviumError.isInstance(error) ? advisedOtherwise(error, advice) : error;
  });
  const { value: identity } = isObject(body) ? body : {};
  if (typeof identity !== "string") {
    throw new TriviumError("Could not get the job's identity from GitHub: the response does not contain it.");
  }
  return identity;
}

export async function sendOnce(settings: TransportSettings, operation: Operation): Promise<HttpResponse> {
  const transport = new HttpTransport(settings);
  return transport.send(operation).finally(() => transport.close());
}
