import { setMaxListeners } from "node:events";
import { ServiceError, withAdvice } from "../../base/errors";
import { atProcessEnd } from "../../base/process-end";
import { processRedactor } from "../../base/redactor";
import { systemRuntime } from "../../base/runtime";
import { SharedWork } from "../../base/shared-work";
import type { Caller } from "../../base/caller";
import { Connection } from "../../http/connection";
import type { Token, TokenUser } from "../../http/connection-settings";
import { HttpTransport } from "../../http/http-transport";
import type { HttpResponse, Operation } from "../../http/transport";
import type { ResolvedSettings } from "../resolve";
import type { ServiceProtocol } from "../service";
import type { Grant, LoginProtocol, TokenRequest } from "./protocol";
import { type Login, valuesOf } from "./settings";

/** A token that a login has brought. */
interface Held extends Grant {
  /** By the monotonic clock, as all times here. */
  readonly endsAt: number;
  /** When it is renewed, or the next one is fetched. */
  readonly renewsAt: number;
  /** Whether it replaces one that was refused: it is not replaced for a refusal too. */
  readonly isReplacement: boolean;
  /** Whether it is the parent of something that has to live on. */
  isParent: boolean;
  /** Whether its successor could not be fetched, so that it is used until it ends. */
  isLast: boolean;
}

/** A token is renewed when it ends within a minute, a short one in the middle of its life. */
const margin = 60_000;
/** How long the revocation at the end of the process may take; the engine kills it after five seconds. */
const revocationTime = 2000;

const sessions = new WeakMap<Login, LoginSession>();

/** The session of a login: connections with the same one share it. */
export function sessionOf(
  login: Login,
  settings: ResolvedSettings,
  protocol: LoginProtocol,
  authenticationHeader: ServiceProtocol<unknown>["authenticationHeader"],
): LoginSession {
  const session = sessions.get(login) ?? new LoginSession(login, settings, protocol, authenticationHeader);
  sessions.set(login, session);
  return session;
}

/** The token of a login: fetched once, before the first request, for all that wait. */
class LoginSession {
  private held: Held | undefined;
  private work: { readonly shared: SharedWork; readonly result: Promise<Held> } | undefined;
  private refusal: Error | undefined;
  private isReplaced = false;
  private checking: Promise<boolean> | undefined;

  constructor(
    private readonly login: Login,
    private readonly settings: ResolvedSettings,
    private readonly protocol: LoginProtocol,
    private readonly authenticationHeader: ServiceProtocol<unknown>["authenticationHeader"],
  ) {}

  /** The current token. A refused login is not repeated. */
  async token(user: TokenUser): Promise<Token> {
    const held = this.usable() ?? (await this.next(user));
    return {
      value: held.token,
      source: `the login from ${this.login.source}`,
      secondsLeft: () => Math.max(0, Math.floor((held.endsAt - systemRuntime.now()) / 1000)),
      becomesParent: () => (held.isParent = true),
      hasEnded: () => this.hasEnded(held),
    };
  }

  private usable(): Held | undefined {
    const { held } = this;
    const end = held?.isLast === true ? held.endsAt : held?.renewsAt;
    return end !== undefined && systemRuntime.now() < end ? held : undefined;
  }

  /** Renews the token or fetches another one, once for all that wait. */
  private next({ signal = never, progress = silent }: TokenUser): Promise<Held> {
    if (this.refusal !== undefined) {
      return Promise.reject(this.refusal);
    }
    if (this.work === undefined || this.work.shared.isCancelled) {
      const shared = new SharedWork();
      const work = { shared, result: this.fetch(shared.caller) };
      const over = (): void => {
        this.work = this.work === work ? undefined : this.work;
      };
      work.result.then(over, over);
      this.work = work;
    }
    return this.work.shared.wait({ signal, progress, announce: silent }, this.work.result);
  }

  private async fetch(caller: Caller): Promise<Held> {
    const former = this.held;
    const now = systemRuntime.now();
    try {
      this.held = (await this.renewed(former, caller)) ?? (await this.logIn(caller));
    } catch (error) {
      if (isFinal(error)) {
        this.refusal = error;
      }
      if (former === undefined || former.endsAt <= now || caller.signal.aborted) {
        throw error;
      }
      // Some logins are possible only once. That is no problem until the token ends.
      this.held = { ...former, isLast: true };
    }
    return this.held;
  }

  private async renewed(former: Held | undefined, caller: Caller): Promise<Held | undefined> {
    const { renew, grantIn } = this.protocol;
    const sentAt = systemRuntime.now();
    if (renew === undefined || former?.renewable !== true || sentAt >= former.endsAt) {
      return undefined;
    }
    try {
      const grant = grantIn(await this.send({ ...renew, summary: "renew the token" }, caller, former.token));
      const held = heldSince(sentAt, grant, former);
      // One that approaches its final end is extended by little.
      const isExtended = held.endsAt - former.endsAt > (former.endsAt - former.renewsAt) / 2;
      return isExtended ? held : undefined;
    } catch (error) {
      if (ServiceError.isInstance(error)) {
        return undefined;
      }
      throw error;
    }
  }

  private async logIn(caller: Caller): Promise<Held> {
    const { service } = this.settings;
    const values = await valuesOf(service, this.login);
    const sentAt = systemRuntime.now();
    const what = this.protocol.describe(values);
    try {
      const response = await this.send(
        { ...this.protocol.request(values), summary: `log in to the ${service} service` },
        caller,
      );
      const grant = this.protocol.grantIn(response);
      processRedactor.register(grant.token);
      atProcessEnd(this, () => this.end());
      return heldSince(sentAt, grant, { isParent: false, isReplacement: this.isReplaced });
    } catch (error) {
      const hint = `The service refused ${what} from ${this.login.source}: check its values, and what the service requires of them.`;
      throw withAdvice(error, { 401: hint, 403: hint, 404: hint, 400: hint });
    }
  }

  /**
   * Whether a refused token has ended, so that another one may be accepted. A refusal says only that something
   * is not allowed.
   */
  private async hasEnded(held: Held): Promise<boolean> {
    const isCurrent = (): boolean => this.held?.token === held.token;
    if (!isCurrent()) {
      return true;
    }
    if (held.isReplacement) {
      return false;
    }
    this.checking ??= this.isInvalid(held).finally(() => (this.checking = undefined));
    const isInvalid = await this.checking;
    if (isInvalid && isCurrent()) {
      this.held = undefined;
      this.isReplaced = true;
    }
    return isInvalid;
  }

  private async isInvalid({ token, endsAt }: Held): Promise<boolean> {
    if (systemRuntime.now() >= endsAt) {
      return true;
    }
    const operation = { ...this.protocol.lookUp, summary: "look up the token", accept: [403] };
    try {
      return (await this.send(operation, { signal: never, progress: silent }, token)).status === 403;
    } catch {
      return false;
    }
  }

  /** Revokes the token, unless something issued under it has to live on. */
  private async end(): Promise<void> {
    const { revoke } = this.protocol;
    const { held } = this;
    if (revoke === undefined || held === undefined || held.isParent || !held.revocable) {
      return;
    }
    this.held = undefined;
    const caller = { signal: AbortSignal.timeout(revocationTime), progress: silent };
    const operation = { ...revoke, summary: "revoke the token" };
    // It ends by itself too.
    await this.send(operation, caller, held.token, { maxRetries: 0 }).catch(silent);
  }

  private async send(
    operation: TokenRequest & Pick<Operation, "summary" | "accept">,
    { signal, progress }: Required<TokenUser>,
    token = "",
    limits: Pick<ResolvedSettings, "maxRetries"> = {},
  ): Promise<HttpResponse> {
    const namespace = this.login.members.namespace ?? this.settings.namespace;
    const authentication = this.authenticationHeader?.({ ...this.settings, namespace })(token);
    const headers = Object.entries({ ...this.settings.headers, ...authentication });
    const connection = new Connection({
      ...this.settings,
      ...limits,
      token: undefined,
      headers: Object.fromEntries(headers.filter(([, value]) => value !== "")),
    });
    try {
      return await new HttpTransport(connection).send({ ...operation, idempotent: true, signal, progress });
    } finally {
      await connection.close();
    }
  }
}

const never = new AbortController().signal;
setMaxListeners(0, never);
const silent = (): void => undefined;

/** Whether a login would fail again: the service has refused it. */
function isFinal(error: unknown): error is ServiceError {
  return ServiceError.isInstance(error) && error.status < 500 && error.status !== 429;
}

function heldSince(
  sentAt: number,
  grant: Grant,
  former: Pick<Held, "isParent" | "isReplacement"> & Partial<Pick<Held, "token">>,
): Held {
  const { token = grant.token, isParent, isReplacement } = former;
  const life = grant.seconds === 0 ? Number.POSITIVE_INFINITY : grant.seconds * 1000;
  const endsAt = sentAt + life;
  const renewsAt = endsAt - Math.min(margin, life / 2);
  return { ...grant, token, endsAt, renewsAt, isReplacement, isParent, isLast: false };
}
