import { mayBeOfGateway, TriviumError } from "../base/errors";
import { isObject, textsIn } from "../base/json";
import type { Path } from "../base/path";
import type { HttpResponse } from "../http/transport";
import { missingRouteIn } from "./mount";

/** The service's own body of a 404: `{"errors":[]}`, possibly with messages. */
export function saysAbsence(body: unknown): boolean {
  return (
    isObject(body) &&
    Array.isArray(body.errors) &&
    body.errors.every((error: unknown) => typeof error === "string")
  );
}

/** An envelope without data, or null. */
export function saysNothing(body: unknown): boolean {
  return body === null || (isObject(body) && body.data === null);
}

/** The forms of an empty list that do not show that the service is there. */
export function saysEmptyList(body: unknown): boolean {
  const { data } = isObject(body) ? body : {};
  const names = isObject(data) ? data : body;
  return (
    body === undefined ||
    saysNothing(body) ||
    (isObject(names) && names.keys === null) ||
    (isObject(data) && Object.keys(data).length === 0)
  );
}

/**
 * The errors for a path without a mount, or without a match in an engine that is always loaded (for an
 * invalid ID).
 */
export function isProof(missing: string, path: Path): boolean {
  return (
    /^no handler for route ".*"\. route entry not found/is.test(missing) ||
    (/^\/(?:identity|sys)\//.test(path) && /^unsupported path/i.test(missing))
  );
}

export function missingRoute({ status, body }: HttpResponse): string | undefined {
  const errors = status === 404 && isObject(body) ? textsIn(body.errors) : [];
  return missingRouteIn(errors);
}

/** OpenBao's engine does not have a path for names with a slash. */
export function adviceOnSlash(missing: string, path: Path): string | undefined {
  return /^unsupported path/i.test(missing) && /%2f/i.test(path)
    ? "The engine does not support names with a slash: only Vault 1.17 and newer supports them, not OpenBao."
    : undefined;
}

export const checkMount =
  "Check the mount, its engine type and the namespace, and that the engine's plugin is loaded.";

export function unproven(
  summary: string,
  { request }: HttpResponse,
  saying: string,
  advice: string,
): TriviumError {
  const problem = `${request} returned 404: ${saying.replace(/\.?$/, ",")} which does not prove that an object does not exist.`;
  return new TriviumError(`Could not ${summary}: ${problem}`, { advice: `State is unchanged. ${advice}` });
}

export function unprovenByNothing(summary: string, { request, status }: HttpResponse, advice: string) {
  const problem = `${request} returned ${status} without a body, which does not prove that an object does not exist.`;
  return new TriviumError(`Could not ${summary}: ${problem} ${mayBeOfGateway("no body")}`, { advice });
}

/** The products list several errors below a heading, each after a bullet. */
export function isEachError(messages: readonly string[], meant: RegExp): boolean {
  const errors = messages.flatMap((text) => {
    const [only = "", ...listed] = text.split(/\s\* /);
    return listed.length === 0 ? [only] : listed;
  });
  return errors.length > 0 && errors.every((text) => meant.test(text));
}
