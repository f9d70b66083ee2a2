import { advisedOtherwise, ServiceError, TriviumError } from "../base/errors";

/** Whether the token lacks the permission. Some schedulers reject a subscription with a server error. */
export function isRefusal({ status, words }: ServiceError): boolean {
  return (
    status === 401 ||
    status === 403 ||
    (status === 500 && words.some((text) => /permission denied/i.test(text)))
  );
}

/** The same error, with the permissions that the subscription requires, if it is about permissions. */
export function withRights(
  error: unknown,
  topics: readonly string[] | undefined,
  namespace: string | undefined,
): unknown {
  if (!ServiceError.isInstance(error) || !isRefusal(error)) {
    return error;
  }
  const rights = rightsFor(topics, namespace);
  return advisedOtherwise(error, error.hint === undefined ? rights : `${error.hint} ${rights}`);
}

/**
 * The error for a scheduler that accepts connections and closes each without a byte: newer ones check the
 * token after they have started to respond.
 */
export function silentRefusal(
  summary: string,
  topics: readonly string[] | undefined,
  namespace: string | undefined,
): TriviumError {
  return new TriviumError(
    `Could not ${summary}: the scheduler accepted several connections and closed each without a response.`,
    {
      hint: `Some releases reject a token in this way. ${rightsFor(topics, namespace)}`,
    },
  );
}

const jobTopics = ["Job", "Allocation", "Deployment", "Evaluation"];
const nodeTopics = ["Node", "NodeDrain"];

/** The permissions that a token needs for a subscription, as text. */
export function rightsFor(topics: readonly string[] | undefined, namespace: string | undefined): string {
  const names = topics?.map((topic) => topic.split(":", 1)[0] ?? "") ?? ["*"];
  const needed: string[] = [];
  if (names.some((name) => nodeTopics.includes(name))) {
    needed.push("node:read for nodes");
  }
  if (names.some((name) => jobTopics.includes(name))) {
    const where = namespace === "*" ? "in all namespaces" : `in the namespace ${namespace ?? "default"}`;
    needed.push(`namespace:read-job ${where} for jobs, allocations, deployments and evaluations`);
  }
  const others = names.filter((name) => !nodeTopics.includes(name) && !jobTopics.includes(name));
  if (others.length > 0) {
    const what = topics === undefined || others.includes("*") ? "all topics" : others.join(", ");
    needed.push(`a management token for ${what}`);
  }
  const everywhere =
    namespace === "*"
      ? ' The namespace "*" requires a management token, or a policy for all namespaces.'
      : "";
  return `This subscription requires ${needed.join("; ")}.${everywhere} If one topic is not allowed, the whole subscription is rejected.`;
}
