import {
  ConfigurationError,
  ConnectionError,
  ContractError,
  InputError,
  ServiceError,
  TimeoutError,
  TriviumError,
} from "../../base/errors";
import type { Finding } from "./finding";

/** As codes of TLS are called, by Node and by OpenSSL. */
const ofTls = /CERT|SSL|TLS|ALTNAME|SIGNATURE|ALERT|INVALID_CA|CRL_|INVALID_PURPOSE/;

/**
 * What an error means that a question has ended with.
 *
 * @throws the error itself when it is no failure of the service, its surroundings or the settings
 */
export function explainError(error: unknown): Finding {
  if (!TriviumError.isInstance(error) || InputError.isInstance(error)) {
    throw error;
  }
  const { hint } = error;
  const advice = hint === undefined ? {} : { advice: hint };
  const message = hint === undefined ? error.message : error.message.replace(hint, "").trim();
  if (ConnectionError.isInstance(error)) {
    const { code, problem } = error;
    const check = ofTls.test(code) || /\bTLS\b/.test(problem) ? "tls" : "address";
    return { check, state: "problem", message: problem, ...advice, code };
  }
  const problem = { check: "address", state: "problem", ...advice } as const;
  if (TimeoutError.isInstance(error)) {
    const { phase, timeoutMilliseconds } = error;
    const what = phase === "connect" ? "no connection" : "no answer";
    return { ...problem, message: `${what} within ${timeoutMilliseconds / 1000} s`, code: "TIMEOUT" };
  }
  if (ServiceError.isInstance(error)) {
    const { status, words } = error;
    const saying = words.length === 0 ? "" : `: ${words.join("; ")}`;
    return { ...problem, message: `answered with ${status}${saying}`, code: `HTTP_${status}` };
  }
  if (ContractError.isInstance(error)) {
    return { ...problem, message, code: "NOT_THE_SERVICE" };
  }
  return ConfigurationError.isInstance(error)
    ? { ...problem, check: "settings", message, code: "UNUSABLE_SETTINGS" }
    : { ...problem, message };
}
