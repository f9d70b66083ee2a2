import { ServiceError, TriviumError } from "../base/errors";
import { rightsFor } from "./rights";

/** Whether the token may not do it. Some schedulers answer a refused subscription as if they had failed. */
export function isRefusal({ status, words }: ServiceError): boolean {
  return (
    status === 401 ||
    status === 403 ||
    (status === 500 && words.some((text) => /permission denied/i.test(text)))
  );
}

/** The same error, saying which rights the subscription needs when it is for want of them. */
export function withRights(
  error: unknown,
  summary: string,
  topics: readonly string[] | undefined,
  namespace: string | undefined,
): unknown {
  if (!ServiceError.isInstance(error) || !isRefusal(error)) {
    return error;
  }
  const { method, url, status, words, headers, attempts, hint, mayHaveBeenProcessed } = error;
  const rights = rightsFor(topics, namespace);
  return new ServiceError({
    request: { summary, method, url },
    status,
    words,
    headers,
    attempts,
    mayHaveBeenProcessed,
    hint: hint === undefined ? rights : `${hint} ${rights}`,
  });
}

/**
 * What it means when a scheduler accepts connections and closes each without a byte: newer ones check the rights of
 * the token after they have begun to answer.
 */
export function silentRefusal(
  summary: string,
  topics: readonly string[] | undefined,
  namespace: string | undefined,
): TriviumError {
  return new TriviumError(
    `Could not ${summary}: the scheduler has accepted several connections and closed each without a byte.`,
    {
      hint: `Some releases refuse a token in this way. ${rightsFor(topics, namespace)}`,
    },
  );
}
