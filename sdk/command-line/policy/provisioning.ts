import { type Purpose, requestsOf } from "./requests";
import type { PlacedSubject } from "./stack";

export interface Permission {
  /** `organization acme`, `project prj-1`, `workspace ws-1`, or `site`. */
  readonly on: string;
  /** What a team must be allowed to do there, in the product's words. */
  readonly permission: string;
  readonly for: readonly string[];
}

/** By the beginning of a path; the first that fits. `$1` is what is in its place. */
const permissions: readonly (readonly [request: RegExp, on: string, permission: string])[] = [
  [/^\S+ admin\//, "site", "site administrator (Terraform Enterprise)"],
  [
    /^GET organizations\/([^/]+)\/(?:projects|workspaces)$/,
    "organization $1",
    "view all projects (read-projects)",
  ],
  [/^POST organizations\/([^/]+)\/projects$/, "organization $1", "manage all projects (manage-projects)"],
  [/^GET projects\/([^/]+)$/, "project $1", "read (project-access read)"],
  [/^(?:PATCH|DELETE) projects\/([^/]+)(?:\/|$)/, "project $1", "admin (project-access admin)"],
  [
    /^POST projects\/([^/]+)\/relationships\/workspaces$/,
    "project $1",
    "move workspaces (workspace-access move), also in the projects that they leave",
  ],
  [/^\S+ projects\/([^/]+)\//, "project $1", "admin (project-access admin)"],
  [/^\S+ teams\/([^/]+)\//, "team $1", "member of the team, or manage teams (manage-teams)"],
  [/^\S+ workspaces\/([^/]+)\//, "workspace $1", "admin (workspace access admin)"],
  [/^\S+ notification-configurations\//, "workspace $workspace", "admin (workspace access admin)"],
];

/** What a team of HCP Terraform or Terraform Enterprise must be allowed to do. */
export function teamPermissions(
  subjects: readonly PlacedSubject[],
  purpose: Purpose | undefined,
): readonly Permission[] {
  const found = new Map<string, Permission & { readonly for: string[] }>();
  for (const subject of subjects) {
    for (const { method, segments } of requestsOf(subject, subject.place.dialect, purpose)) {
      const request = `${method} ${segments.map((segment) => segment ?? "(new)").join("/")}`;
      const [pattern, on, permission] = permissions.find(([each]) => each.test(request)) ?? [
        /$/,
        "site",
        request,
      ];
      const named = pattern.exec(request)?.[1] ?? "";
      const { workspaceId, projectId, teamId } = subject.values;
      const [owner = "workspace"] = Object.entries({
        workspace: workspaceId,
        project: projectId,
        team: teamId,
      })
        .filter(([, id]) => typeof id === "string")
        .map(([kind, id]) => `${kind} ${String(id)}`);
      const place = on.replace("$1", named).replace("workspace $workspace", owner);
      const key = `${place}: ${permission}`;
      const entry = found.get(key) ?? { on: place, permission, for: [] };
      found.set(key, entry);
      if (!entry.for.includes(subject.what)) {
        entry.for.push(subject.what);
      }
    }
  }
  return [...found.values()].sort((one, other) =>
    `${one.on} ${one.permission}` < `${other.on} ${other.permission}` ? -1 : 1,
  );
}

export function permissionLines({ on, permission, for: subjects }: Permission): readonly string[] {
  return [...subjects.map((subject) => `# trivium: ${subject}`), `${on}: ${permission}`];
}
