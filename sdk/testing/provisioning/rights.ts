import type { TokenOptions } from "../tokens";

/** What a token may do in an organization, or with one project. */
export interface ProvisioningRights {
  /** See it at all; without it everything there returns 404. */
  readonly read: boolean;
  readonly createProjects: boolean;
  readonly updateProjects: boolean;
  readonly deleteProjects: boolean;
  readonly createWorkspaces: boolean;
  /** Needed on the project that workspaces leave and on the one that they enter. */
  readonly moveWorkspaces: boolean;
  /** Needed for the notification configurations of workspaces; tokens of an organization do not have it. */
  readonly administerWorkspaces: boolean;
}

/** All rights, `read` only, none, or the listed ones: `read` is then given unless refused, others only if listed. */
export type ProvisioningAccess = "full" | "read" | "none" | Partial<ProvisioningRights>;

/** Options of an additional token of the provisioning service. */
export interface ProvisioningTokenOptions extends TokenOptions {
  /** In every organization that `organizations` does not mention. Default `"full"`. */
  readonly access?: ProvisioningAccess;
  /** By name of the organization. */
  readonly organizations?: Readonly<Record<string, ProvisioningAccess>>;
  /** By id of the project; wins over the organization's. Creation is decided by the organization alone. */
  readonly projects?: Readonly<Record<string, ProvisioningAccess>>;
  /** Whether it may use the endpoints of site administrators. Default: when `access` is `"full"`. */
  readonly siteAdministrator?: boolean;
  /**
   * Whether it is an organization's or a team's, and no person's: what the account shows that the hashicorp dialect
   * knows, and nothing else. Default false.
   */
  readonly serviceAccount?: boolean;
}

/** The rights of one token. */
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
