import { topicFilter } from "../../scheduler/subscription";
import { type Purpose, requestsOf } from "./requests";
import type { PlacedSubject } from "./stack";

export interface AclRule {
  /** As a policy of Nomad has it: `namespace "default" { capabilities = ["read-job"] }`. */
  readonly rule: string;
  readonly for: readonly string[];
}

/** What allows a subscription, by topic. All others need a management token, which no policy gives. */
const ruleOf: Readonly<Record<string, (namespace: string) => string>> = {
  ...Object.fromEntries(
    ["Allocation", "CSIPlugin", "Deployment", "Evaluation", "Job", "Service"].map((topic) => [
      topic,
      inNamespace("read-job"),
    ]),
  ),
  CSIVolume: inNamespace("csi-read-volume"),
  HostVolume: inNamespace("host-volume-read"),
  Node: () => block("node", 'policy = "read"'),
  NodeDrain: () => block("node", 'policy = "read"'),
  Operator: () => block("operator", 'policy = "read"'),
};

function inNamespace(capability: string) {
  return (namespace: string): string =>
    block(`namespace ${JSON.stringify(namespace)}`, `capabilities = [${JSON.stringify(capability)}]`);
}

function block(head: string, content: string): string {
  return `${head} {\n  ${content}\n}`;
}

/** The rules of an ACL policy of Nomad. Only subscriptions need them. */
export function aclRules(
  subjects: readonly PlacedSubject[],
  purpose: Purpose | undefined,
): readonly AclRule[] {
  const found = new Map<string, string[]>();
  for (const subject of subjects.filter((each) => requestsOf(each, each.place.dialect, purpose).length > 0)) {
    const { topics, namespace } = subject.values;
    const names = Array.isArray(topics) ? topics.filter((topic) => typeof topic === "string") : undefined;
    const own = typeof namespace === "string" ? namespace : (subject.place.namespace ?? "default");
    for (const topic of new Set((names ?? ["*"]).map((each) => topicFilter(each).name))) {
      const rule =
        ruleOf[topic]?.(own) ??
        `# ${topic === "*" ? "All topics need" : `${topic} needs`} a management token.`;
      found.set(rule, [...new Set([...(found.get(rule) ?? []), subject.what])]);
    }
  }
  return [...found]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([rule, needing]) => ({ rule, for: needing }));
}

export function aclRuleLines({ rule, for: subjects }: AclRule): readonly string[] {
  return [...subjects.map((subject) => `# trivium: ${subject}`), ...rule.split("\n")];
}
