import { rulesFor } from "../../scheduler/rights";
import { type Purpose, requestsOf } from "./requests";
import type { PlacedSubject } from "./stack";

export interface AclRule {
  /** A rule in the form of a Nomad policy: `namespace "default" { capabilities = ["read-job"] }`. */
  readonly rule: string;
  readonly for: readonly string[];
}

/** The rules of a Nomad ACL policy. Only subscriptions need them. */
export function aclRules(
  subjects: readonly PlacedSubject[],
  purpose: Purpose | undefined,
): readonly AclRule[] {
  const found = new Map<string, string[]>();
  for (const subject of subjects.filter((each) => requestsOf(each, each.place.dialect, purpose).length > 0)) {
    const { topics, namespace } = subject.values;
    const names = Array.isArray(topics) ? topics.filter((topic) => typeof topic === "string") : undefined;
    const own = typeof namespace === "string" ? namespace : (subject.place.namespace ?? "default");
    for (const rule of rulesFor(names, own)) {
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
