import type { Caller } from "../base/caller";
import { ServiceError, TriviumError } from "../base/errors";
import { isObject } from "../base/json";
import { path, type Path } from "../base/path";
import { isProduct, nameOfSetting, type SettingOwner } from "../base/settings";
import { listed } from "../base/shown-text";
import type { HttpResponse, Transport } from "../http/transport";
import type { ResolvedSettings } from "../connection/resolve";
import { needsNamespace, rightsFor } from "./rights";

export interface Subscription {
  /** The topics, such as `"Node"` or `"Deployment:web"`; all if absent. */
  readonly topics?: readonly string[] | undefined;
  /** The namespace, or `*` for all; the connection's namespace if absent. */
  readonly namespace?: string | undefined;
}

export interface SchedulerClientSettings
  extends Pick<ResolvedSettings, "namespace" | "maxRetries" | "query">, SettingOwner {}

export const summary = "follow the scheduler's events";

/** Why an accepted stream did not send anything. */
export interface Silence {
  readonly error: TriviumError;
  /**
   * `refused` if the scheduler confirms it, `likely` if nothing else explains it, `unlikely` if the token is
   * allowed to read everything or if this cannot be checked.
   */
  readonly meaning: "refused" | "likely" | "unlikely";
}

const timeToAsk = 3_000;
const began = `Could not ${summary}: the scheduler accepted the request but sent nothing.`;
const mayBeProxy =
  "A proxy might be holding the response back or closing it: disable response buffering for the event stream.";

/**
 * Explains silence: newer schedulers check the token after they have started to respond, and then do not send
 * anything.
 *
 * @throws CancelledError when the signal is aborted
 */
export async function explainSilence(
  transport: Transport,
  settings: SchedulerClientSettings,
  { topics, namespace = settings.namespace }: Subscription,
  { signal, progress }: Pick<Caller, "signal" | "progress">,
): Promise<Silence> {
  const rights = rightsFor(topics, namespace);
  if (!isProduct[settings.dialect]) {
    // The documented interface only has the event stream.
    const advice = `Some releases reject a token in this way. ${rights}`;
    const closed = `Could not ${summary}: the scheduler accepted several connections and closed each without a response.`;
    return { meaning: "unlikely", error: new TriviumError(closed, { advice }) };
  }
  const unknown: Silence = { meaning: "unlikely", error: new TriviumError(began, { advice: rights }) };
  const limited = AbortSignal.any([signal, AbortSignal.timeout(timeToAsk)]);
  const ask = (asked: Path): Promise<HttpResponse> =>
    transport.send({
      method: "GET",
      path: asked,
      idempotent: true,
      accept: [404, 500],
      acceptsForeign: true,
      summary: `${summary}: it was accepted, but sent nothing`,
      signal: limited,
      progress,
    });
  try {
    const { status, body: token } = await ask(path`/acl/token/self`);
    if (status === 500) {
      return serverError(String(token), settings) ?? unknown;
    }
    const { AccessorID: accessor, Type: type } = isObject(token) ? token : {};
    if (type === "management" || accessor === "acls-disabled") {
      const who =
        type === "management" ? "The token is a management token" : "The scheduler does not check tokens";
      const problem = `${began} ${who}, so this is not a missing permission.`;
      return { meaning: "unlikely", error: new TriviumError(problem, { advice: mayBeProxy }) };
    }
    const name = namespace ?? "default";
    const isNamed = name !== "*" && needsNamespace(topics);
    const allowed = isNamed ? namesIn((await ask(path`/namespaces`)).body) : undefined;
    const said = describeToken(token, nameOfSetting(settings, "token"));
    if (allowed !== undefined && !allowed.includes(name)) {
      const others = allowed.length === 0 ? "none" : listed(allowed.slice(0, 10));
      const problem = `${began} ${said} The namespace ${name} does not exist, or the token has no access to it; it has access to ${others}.`;
      return { meaning: "refused", error: new TriviumError(problem, { advice: rights }) };
    }
    return { meaning: "likely", error: new TriviumError(`${began} ${said}`, { advice: rights }) };
  } catch (error) {
    if (signal.aborted) {
      throw error;
    }
    return isRefusal(error) ? { meaning: "refused", error } : unknown;
  }
}

function serverError(text: string, settings: SchedulerClientSettings): Silence | undefined {
  const problem = `${began} When asked about the token, it responds: ${text}.`;
  if (unknownRegion.test(text)) {
    const region = settings.query?.region ?? "";
    const advice = `There is no region ${JSON.stringify(region)}, or its servers cannot be reached: check ${nameOfSetting(settings, "region")}.`;
    return { meaning: "refused", error: new UnknownRegion(problem, { advice }) };
  }
  // Nomad checks a token that is not a UUID as a signed token, and returns why this fails.
  const advice = `The token is invalid or expired: check ${nameOfSetting(settings, "token")}.`;
  return /token|claim|jw[st]|uuid/i.test(text)
    ? { meaning: "refused", error: new TriviumError(problem, { advice }) }
    : undefined;
}

/** @returns one sentence */
function describeToken(token: unknown, setting: string): string {
  const { AccessorID: accessor, Name: name, Type: type, Policies: policies } = isObject(token) ? token : {};
  if (accessor === "anonymous") {
    return `No token was sent: set ${setting}.`;
  }
  const named = typeof name === "string" && name !== "" ? ` ${JSON.stringify(name)}` : "";
  const kind = typeof type === "string" ? ` (${type})` : "";
  const names = Array.isArray(policies) ? policies.map(String) : [];
  const held = names.length === 0 ? "" : ` with the policies ${listed(names)}`;
  return `The token${named}${kind}${held} is valid, but most likely lacks a permission.`;
}

function namesIn(namespaces: unknown): readonly string[] | undefined {
  return Array.isArray(namespaces)
    ? namespaces.flatMap((each) => (isObject(each) && typeof each.Name === "string" ? [each.Name] : []))
    : undefined;
}

/** Some schedulers reject a subscription with a server error. */
export function isRefusal(error: unknown): error is ServiceError {
  return (
    ServiceError.isInstance(error) &&
    (error.status === 401 ||
      error.status === 403 ||
      (error.status === 500 && error.messages.some((text) => /permission denied/i.test(text))))
  );
}

const unknownRegion = /no path to region/i;

class UnknownRegion extends TriviumError {}

/** Permanent for a first connection; later, the servers of a region might be unavailable for a while. */
export function isUnknownRegion(error: unknown): boolean {
  return (
    error instanceof UnknownRegion ||
    (ServiceError.isInstance(error) && error.messages.some((text) => unknownRegion.test(text)))
  );
}
