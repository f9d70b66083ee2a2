import type { PlacedSubject } from "./stack";
import { type Purpose, requestsOf } from "./requests";

export interface PathRule {
  /** The path, with `+` for a segment that the service chooses. */
  readonly path: string;
  readonly capabilities: readonly string[];
  /** The resources that need it: `secrets.directory.StaticRole "app"`. */
  readonly for: readonly string[];
}

const capabilities: Readonly<Record<string, string>> = { GET: "read", LIST: "list", DELETE: "delete" };

export function capabilityOf(method: string): string {
  return capabilities[method] ?? "update";
}

interface Grant {
  readonly capabilities: Set<string>;
  readonly for: Set<string>;
}

/** The rules of a policy of Vault or OpenBao. */
export function pathRules(
  subjects: readonly PlacedSubject[],
  purpose: Purpose | undefined,
): readonly PathRule[] {
  const grants = new Map<string, Grant>();
  for (const subject of subjects) {
    for (const { method, segments, mayCreate } of requestsOf(subject, subject.place.dialect, purpose)) {
      const path = segments.map((segment) => segment ?? "+").join("/");
      const grant = grants.get(path) ?? { capabilities: new Set(), for: new Set() };
      grants.set(path, grant);
      grant.for.add(subject.what);
      grant.capabilities.add(capabilityOf(method));
      if (mayCreate) {
        grant.capabilities.add("create");
      }
    }
  }
  return [...withoutCovered(grants)]
    .map(([path, grant]) => ({
      path,
      capabilities: [...grant.capabilities].sort(),
      for: [...grant.for].sort(),
    }))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
}

/**
 * Only the most specific rule for a path applies, so a rule with `+` includes the capabilities of the rules
 * that it covers.
 */
function withoutCovered(grants: ReadonlyMap<string, Grant>): ReadonlyMap<string, Grant> {
  const wide = [...grants].filter(([path]) => path.split("/").includes("+"));
  const isCovered = (path: string, by: string): boolean => {
    const [own, wider] = [path.split("/"), by.split("/")];
    return (
      path !== by &&
      own.length === wider.length &&
      wider.every((part, at) => part === "+" || part === own[at])
    );
  };
  const kept = new Map(grants);
  for (const [path, grant] of grants) {
    const [, wider] = wide.find(([by]) => isCovered(path, by)) ?? [];
    if (wider !== undefined) {
      grant.capabilities.forEach((each) => wider.capabilities.add(each));
      grant.for.forEach((each) => wider.for.add(each));
      kept.delete(path);
    }
  }
  return kept;
}

/** The policy in the form that `vault policy write` and `bao policy write` accept. */
export function pathRuleLines({ path, capabilities: granted, for: subjects }: PathRule): readonly string[] {
  return [
    ...subjects.map((subject) => `# trivium: ${subject}`),
    `path ${JSON.stringify(path)} {`,
    `  capabilities = ${JSON.stringify(granted).replaceAll(",", ", ")}`,
    "}",
  ];
}
