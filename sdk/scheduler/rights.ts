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
