import type { ProvisioningAccess, ProvisioningRights, ProvisioningTokenOptions } from "./seeds";

export class ProvisioningPermissions {
  constructor(private readonly options: ProvisioningTokenOptions = {}) {}

  get siteAdministrator(): boolean {
    return this.options.siteAdministrator ?? (this.options.access ?? "full") === "full";
  }

  get serviceAccount(): boolean {
    return this.options.serviceAccount ?? false;
  }

  in(organization: string): ProvisioningRights {
    return toRights(this.access(organization));
  }

  on(project: { readonly id: string; readonly organization: string }): ProvisioningRights {
    const own = new Map(Object.entries(this.options.projects ?? {})).get(project.id);
    return toRights(own ?? this.access(project.organization));
  }

  private access(organization: string): ProvisioningAccess {
    const own = new Map(Object.entries(this.options.organizations ?? {})).get(organization);
    return own ?? this.options.access ?? "full";
  }
}

function toRights(access: ProvisioningAccess): ProvisioningRights {
  const all = access === "full";
  const rights: ProvisioningRights = {
    read: access !== "none",
    createProjects: all,
    updateProjects: all,
    deleteProjects: all,
    createWorkspaces: all,
    moveWorkspaces: all,
    administerWorkspaces: all,
  };
  return typeof access === "string" ? rights : { ...rights, ...access };
}
