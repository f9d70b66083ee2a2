import { advisedOtherwise, ServiceError, TriviumError } from "../base/errors";

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

const jobTopics = ["Job", "Allocation", "Deployment", "Evaluation"];
const nodeTopics = ["Node", "NodeDrain"];

/** What a token must be allowed to do for a subscription, in words for somebody whose token is not. */
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
  return `This subscription needs ${needed.join("; ")}. One topic that is not allowed refuses them all.`;
}
