import type { Dialect } from "../base/settings";
import { topicFilter } from "./topic-filter";

const documentedTopics = [
  "ACLToken",
  "ACLPolicy",
  "Allocation",
  "Job",
  "Evaluation",
  "Deployment",
  "Node",
  "NodeDrain",
] as const;

/** Topics of later releases of the product, which its documents of that time do not list. */
const laterTopics = [
  "ACLAuthMethod",
  "ACLBindingRule",
  "ACLRole",
  "CSIPlugin",
  "CSIVolume",
  "HostVolume",
  "NodePool",
  "Operator",
  "Service",
  "Variable",
];

/**
 * Says which topics of a subscription are none of the documented ones: most likely no event of them ever comes.
 *
 * @returns the warning without the argument's name; `undefined` when all are known
 */
export function unknownTopics(topics: readonly string[], dialect: Dialect): string | undefined {
  const known: readonly string[] =
    dialect === "hashicorp" ? [...documentedTopics, ...laterTopics] : documentedTopics;
  const isUnknown = topics.map(topicFilter).some(({ name }) => name !== "*" && !known.includes(name));
  return isUnknown
    ? `has a topic that the scheduler's documents do not list, so that no event may ever come. They list ${known.join(", ")}`
    : undefined;
}
