/** A real server, as the environment names it. */
export interface Server {
  readonly address: string;
  readonly token: string;
}

/** The real servers that the environment names; what it leaves out is not there. */
export interface Servers {
  readonly secrets?: Server & { readonly namespace?: string };
  readonly scheduler?: Server;
  readonly provisioning?: ProvisioningServer;
  readonly directory?: DirectoryServer;
}

/** A TFE, and what of it may be used. */
export interface ProvisioningServer extends Server {
  /** Workspaces and projects are made in it. */
  readonly organization: string;
  /** Another one, for projects that move. */
  readonly otherOrganization?: string;
  /** An address that the TFE can reach and that accepts every notification. */
  readonly receiver?: string;
}

/** An LDAP server. */
export interface DirectoryServer {
  readonly url: string;
  /** Who may add entries and change passwords below `userdn`. */
  readonly binddn: string;
  readonly bindpass: string;
  /** The entry below which a folder is made. */
  readonly userdn: string;
}

/** The variables without which a server is not there. */
export const variables = {
  secrets: ["VAULT_ADDR", "VAULT_TOKEN"],
  scheduler: ["NOMAD_ADDR", "NOMAD_TOKEN"],
  provisioning: ["TFE_ADDRESS", "TFE_TOKEN", "TFE_ORGANIZATION"],
  directory: ["LDAP_URL", "LDAP_BINDDN", "LDAP_BINDPASS", "LDAP_USERDN"],
} as const satisfies Readonly<Record<keyof Servers, readonly string[]>>;

/** Names the servers, by their addresses, that are not recognized as being for development and may be used all the same. */
export const permission = "TRIVIUM_LIVE_MAY_DELETE";

/** Whether the environment permits to make, rotate and delete at an address. */
export function isPermitted(address: string, environment: NodeJS.ProcessEnv): boolean {
  const bare = (text: string): string => text.replace(/\/+$/, "");
  return (environment[permission] ?? "").split(/[\s,]+/).some((each) => bare(each) === bare(address));
}

/** Reads the names of the servers from an environment. */
export function serversIn(environment: NodeJS.ProcessEnv): Servers {
  const all = (service: keyof typeof variables): boolean => unset(service, environment).length === 0;
  const value = (name: string): string => environment[name] ?? "";
  const optional = <Name extends string>(name: Name, variable: string) =>
    (value(variable) === "" ? {} : { [name]: value(variable) }) as { readonly [each in Name]?: string };
  return {
    ...(all("secrets") && {
      secrets: {
        address: value("VAULT_ADDR"),
        token: value("VAULT_TOKEN"),
        ...optional("namespace", "VAULT_NAMESPACE"),
      },
    }),
    ...(all("scheduler") && { scheduler: { address: value("NOMAD_ADDR"), token: value("NOMAD_TOKEN") } }),
    ...(all("provisioning") && {
      provisioning: {
        address: value("TFE_ADDRESS"),
        token: value("TFE_TOKEN"),
        organization: value("TFE_ORGANIZATION"),
        ...optional("otherOrganization", "TFE_OTHER_ORGANIZATION"),
        ...optional("receiver", "TFE_RECEIVER"),
      },
    }),
    ...(all("directory") && {
      directory: {
        url: value("LDAP_URL"),
        binddn: value("LDAP_BINDDN"),
        bindpass: value("LDAP_BINDPASS"),
        userdn: value("LDAP_USERDN"),
      },
    }),
  };
}

/** The variables that a server's name lacks. */
export function unset(service: keyof typeof variables, environment: NodeJS.ProcessEnv): readonly string[] {
  return variables[service].filter((name) => (environment[name] ?? "") === "");
}
