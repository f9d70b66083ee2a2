/** A real server, as the environment names it. */
export interface Server {
  readonly address: string;
  readonly token: string;
}

/** What the environment leaves out is not there. */
export interface Servers {
  readonly secrets?: Server & {
    readonly namespace?: string;
    /** The name under which the service has the plugin of its directory engine. Default: that of the built-in one. */
    readonly directoryEngine?: string;
  };
  readonly scheduler?: Server;
  /** Workspaces and projects are made in the organization; the other one is for projects that move. */
  readonly provisioning?: Server & {
    readonly organization: string;
    readonly otherOrganization?: string;
    /** An address that the TFE can reach and that accepts every notification. */
    readonly receiver?: string;
  };
  /** LDAP: who is allowed to add entries and change passwords below the entry, below which a folder is created. */
  readonly directory?: Readonly<Record<"url" | "binddn" | "bindpass" | "userdn", string>>;
}

export type ServerName = keyof Servers;

/** Without one of these variables a server is not there. The first one has its address. */
export const variables = {
  secrets: { address: "VAULT_ADDR", token: "VAULT_TOKEN" },
  directory: { url: "LDAP_URL", binddn: "LDAP_BINDDN", bindpass: "LDAP_BINDPASS", userdn: "LDAP_USERDN" },
  scheduler: { address: "NOMAD_ADDR", token: "NOMAD_TOKEN" },
  provisioning: { address: "TFE_ADDRESS", token: "TFE_TOKEN", organization: "TFE_ORGANIZATION" },
} as const satisfies Readonly<Record<ServerName, Readonly<Record<string, string>>>>;

export const optional = {
  secrets: { namespace: "VAULT_NAMESPACE", directoryEngine: "LDAP_ENGINE" },
  directory: {},
  scheduler: {},
  provisioning: { otherOrganization: "TFE_OTHER_ORGANIZATION", receiver: "TFE_RECEIVER" },
} as const;

export const serverNames = Object.keys(variables) as readonly ServerName[];

/** The addresses of servers that can be used although they are not recognized as development servers. */
export const permission = "TRIVIUM_LIVE_MAY_DELETE";

/** Whether the environment permits to make, rotate and delete at an address. */
export function isPermitted(address: string): boolean {
  const bare = (text: string): string => text.replace(/\/+$/, "");
  return (process.env[permission] ?? "").split(/[\s,]+/).some((each) => bare(each) === bare(address));
}

export function serversIn(): Servers {
  const present = serverNames.filter((name) => unset(name).length === 0);
  return Object.fromEntries(
    present.map((name) => {
      const named = Object.entries({ ...variables[name], ...optional[name] });
      const values = named.map(([member, variable]) => [member, process.env[variable] ?? ""] as const);
      return [name, Object.fromEntries(values.filter(([, value]) => value !== ""))];
    }),
  );
}

/** The variables that a server's name lacks. */
export function unset(name: ServerName): readonly string[] {
  return Object.values<string>(variables[name]).filter((variable) => (process.env[variable] ?? "") === "");
}
