import { type Purpose, requestsOf } from "./requests";
import type { PlacedSubject } from "./stack";

export interface Permission {
  /** `organization acme`, `project prj-1`, `workspace ws-1`, or `site`. */
  readonly on: string;
  /** The permission that a team must have there, with the product's name. */
  readonly permission: string;
  readonly for: readonly string[];
}

/** The first match is used; the part of the path in parentheses names the place. */
const permissions: readonly (readonly [request: RegExp, on: string, permission: string])[] = [
  [/^\S+ admin\//, "site", "site administrator of Terraform Enterprise"],
  [
    /^GET organizations\/([^/]+)\/(?:projects|workspaces)$/,
    "organization",
    "view all projects (`read-projects`)",
  ],
  [/^POST organizations\/([^/]+)\/projects$/, "organization", "manage all projects (`manage-projects`)"],
  [/^GET projects\/([^/]+)$/, "project", "read"],
  [/^(?:PATCH|DELETE) projects\/([^/]+)/, "project", "admin"],
  [
    /^POST projects\/([^/]+)\/relationships\/workspaces$/,
    "project",
    "move workspaces, here and in the projects that they leave",
  ],
  [/^\S+ projects\/([^/]+)\//, "project", "admin"],
  [/^\S+ teams\/([^/]+)\//, "team", "manage teams (`manage-teams`)"],
  [/^\S+ workspaces\/([^/]+)\//, "workspace", "admin"],
  [/^\S+ notification-configurations\//, "its workspace, project or team", "admin"],
];

/** What a request needs; `request` is its method and path. */
export function permissionOf(request: string): Omit<Permission, "for"> {
  for (const [pattern, on, permission] of permissions) {
    const found = pattern.exec(request);
    if (found !== null) {
      return { on: found[1] === undefined ? on : `${on} ${found[1]}`, permission };
    }
  }
  return { on: "site", permission: request };
}

/** What a team of HCP Terraform or Terraform Enterprise must be allowed to do. */
export function teamPermissions(
  subjects: readonly PlacedSubject[],
  purpose: Purpose | undefined,
): readonly Permission[] {
  const found = new Map<string, Permission & { readonly for: string[] }>();
  for (const subject of subjects) {
    for (const { method, segments } of requestsOf(subject, subject.place.dialect, purpose)) {
      const request = `${method} ${segments.map((segment) => segment ?? "(new)").join("/")}`;
      const { on, permission } = permissionOf(request);
      const place = on.startsWith("its ") ? ownerOf(subject) : on;
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

/** The workspace, project or team that a notification configuration belongs to. */
function ownerOf({ values: { workspaceId, projectId, teamId } }: PlacedSubject): string {
  const owners = Object.entries({ workspace: workspaceId, project: projectId, team: teamId });
  const [kind, id] = owners.find(([, each]) => typeof each === "string") ?? ["workspace", "(unknown)"];
  return `${kind} ${String(id)}`;
}

export function permissionLines({ on, permission, for: subjects }: Permission): readonly string[] {
  return [...subjects.map((subject) => `# trivium: ${subject}`), `${on}: ${permission.replaceAll("`", "")}`];
}
