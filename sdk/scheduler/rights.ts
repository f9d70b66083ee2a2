import { topicFilter } from "./subscription";

interface Right {
  readonly topics: readonly string[];
  /** What the permission allows a token to read. */
  readonly what: string;
  /**
   * The block of a policy that grants the right, and what it allows. Missing if only a management token is
   * certain to work.
   */
  readonly given?: readonly ["node" | "operator" | "namespace", string];
  /** For messages. Default: the same as {@link given}. */
  readonly name?: string;
  readonly perNamespace?: true;
}

/**
 * From the documentation's table, and Nomad 2.0.5, nomad/event_endpoint.go, validateNsOp. Everything else
 * requires a management token.
 */
const rights: readonly Right[] = [
  { given: ["node", "read"], topics: ["Node", "NodeDrain"], what: "nodes" },
  {
    given: ["namespace", "read-job"],
    topics: ["Job", "Allocation", "Deployment", "Evaluation"],
    what: "jobs, allocations, deployments and evaluations",
    perNamespace: true,
  },
  {
    given: ["namespace", "read-job"],
    topics: ["Service", "CSIPlugin"],
    what: "services and CSI plugins",
    perNamespace: true,
  },
  {
    given: ["namespace", "host-volume-read"],
    topics: ["HostVolume"],
    what: "host volumes",
    perNamespace: true,
  },
  { given: ["namespace", "csi-read-volume"], topics: ["CSIVolume"], what: "CSI volumes", perNamespace: true },
  {
    name: "access to any variable",
    topics: ["Variable"],
    what: "variables (only the ones that the token is allowed to list are sent)",
    perNamespace: true,
  },
  { given: ["operator", "read"], topics: ["Operator"], what: "Operator" },
];

function namesOf(topics: readonly string[] | undefined): readonly string[] {
  return (topics ?? ["*"]).map((topic) => topicFilter(topic).name);
}

function isFor(right: Right, names: readonly string[]): boolean {
  return right.topics.some((topic) => names.includes(topic));
}

export function needsNamespace(topics: readonly string[] | undefined): boolean {
  const names = namesOf(topics);
  return rights.some((right) => right.perNamespace === true && isFor(right, names));
}

export function rightsFor(topics: readonly string[] | undefined, namespace: string | undefined): string {
  const names = namesOf(topics);
  const where = namespace === "*" ? "in all namespaces" : `in the namespace ${namespace ?? "default"}`;
  const needed = rights
    .filter((right) => isFor(right, names))
    .map(({ given = [], name = given.join(":"), what, perNamespace }) => {
      const within = perNamespace === true ? ` ${where}` : "";
      return `${name}${within} for ${what}`;
    });
  const others = names.filter((name) => !rights.some((right) => isFor(right, [name])));
  if (others.length > 0) {
    needed.push(`a management token for ${others.includes("*") ? "all topics" : others.join(", ")}`);
  }
  const everywhere =
    namespace === "*"
      ? ' The namespace "*" requires a management token, or a policy for all namespaces.'
      : "";
  return `This subscription requires ${needed.join("; ")}.${everywhere} If one topic is not allowed, the whole subscription is rejected.`;
}

/**
 * The rules of a policy that allow a subscription to these topics, or comments that explain that a policy
 * cannot.
 */
export function rulesFor(topics: readonly string[] | undefined, namespace: string): readonly string[] {
  return [...new Set(namesOf(topics))].map((topic) => {
    const [kind, allowed] = rights.find((right) => isFor(right, [topic]))?.given ?? [];
    if (kind === undefined) {
      return `# ${topic === "*" ? "All topics need" : `${topic} needs`} a management token.`;
    }
    return kind === "namespace"
      ? `namespace ${JSON.stringify(namespace)} {\n  capabilities = [${JSON.stringify(allowed)}]\n}`
      : `${kind} {\n  policy = ${JSON.stringify(allowed)}\n}`;
  });
}
