import { type Api, Refused, type ProvisioningApi, type SecretsApi } from "../engine/support/api";
import type { EngineType, Need } from "../cases/support/test-services";
import { CleanUp, engineTypes, LiveDirectory, mountEngine, uniqueName } from "./live-services";
import { Ldap } from "./ldap";
import { type DirectoryServer, isPermitted, permission, type Servers, unset, variables } from "./servers";

/** The interfaces of the servers that there are. */
export interface Interfaces {
  readonly secrets?: SecretsApi;
  readonly scheduler?: Api;
  readonly provisioning?: ProvisioningApi;
}

/** What was found of the servers. */
export interface Findings {
  /** What responds, a line each. */
  readonly products: readonly string[];
  /** Why something cannot be had, by what it is; what can be had is not in it. */
  readonly missing: ReadonlyMap<Need, string>;
  /** Why a server that is named must not be used: it does not respond as it should, or it may hold what somebody needs. */
  readonly unusable: readonly string[];
}

/** What a server says of itself. */
interface Identity {
  /** With its version, where it tells it. */
  readonly product: string;
  /** By what it is known to be for development, so that nobody needs what it holds; `undefined` if it is not. */
  readonly development: string | undefined;
}

/** One server, and how to find out what it has. */
interface Probe {
  readonly service: keyof typeof variables;
  /** What can be had as soon as the server responds. */
  readonly base: Need;
  /** Why more cannot be had of it. */
  readonly more: Readonly<Partial<Record<Need, Examine>>>;
  /** Says what it is, without changing anything; none where the environment does not name it. */
  readonly identify?: (() => Promise<Identity>) | undefined;
}

/** Finds out why something cannot be had, and tells of what can. */
type Examine = (product: string, tell: (found: string) => void) => Reason | Promise<Reason>;

type Reason = string | undefined;

/**
 * Finds out what the servers have. Nothing of it stays there, and nothing is made before every server is known to be
 * for development, or permitted by name.
 */
export async function probe(
  servers: Servers,
  interfaces: Interfaces,
  environment: NodeJS.ProcessEnv,
): Promise<Findings> {
  const missing = new Map<Need, string>();
  const products: string[] = [];
  const unusable: string[] = [];
  const found: { readonly probe: Probe; readonly product: string }[] = [];
  const probes = [
    secretsProbe(servers, interfaces),
    directoryProbe(servers),
    schedulerProbe(servers, interfaces),
    provisioningProbe(servers, interfaces),
  ];
  for (const each of probes) {
    const { service, base, more, identify } = each;
    if (identify === undefined) {
      const reason = notSet(unset(service, environment));
      [base, ...keysOf(more)].forEach((need) => missing.set(need, reason));
      continue;
    }
    const address = environment[variables[service][0]] ?? "";
    const refusal = await refusalOf(async () => {
      const { product, development } = await identify();
      const known = development ?? (isPermitted(address, environment) ? `${permission} names it` : undefined);
      products.push(`${product} at ${address}${known === undefined ? "" : ` (${known})`}`);
      found.push({ probe: each, product });
      if (known === undefined) {
        throw new Error(
          `${product} at ${address} does not look like a server for development. These tests create, rotate and ` +
            `delete there. If they may, set ${permission}=${address}`,
        );
      }
    });
    if (refusal !== undefined) {
      unusable.push(`${variables[service].join(", ")}: ${refusal}`);
    }
  }
  for (const { probe: each, product } of unusable.length > 0 ? [] : found) {
    for (const need of keysOf(each.more)) {
      const reason = await each.more[need]?.(product, (text) => products.push(text));
      if (reason !== undefined) {
        missing.set(need, reason);
      }
    }
  }
  return { products, missing, unusable };
}

function secretsProbe({ secrets: server }: Servers, { secrets }: Interfaces): Probe {
  const engine =
    (type: EngineType): Examine =>
    (product, tell) =>
      secrets && mountRefusal(secrets, engineTypes[type], product, tell);
  return {
    service: "secrets",
    base: "secrets service",
    identify:
      server &&
      secrets &&
      (async () => {
        await secrets.read("auth/token/lookup-self");
        return vaultAt(server.address);
      }),
    more: {
      "directory engine": engine("directory"),
      "scheduler engine": engine("scheduler"),
      "step-up methods": (product) => secrets && stepUpRefusal(secrets, product),
      "Vault Enterprise": (product) =>
        product.startsWith("Vault Enterprise") ? undefined : `${product} ignores it`,
    },
  };
}

function directoryProbe({ directory }: Servers): Probe {
  return {
    service: "directory",
    base: "directory",
    identify:
      directory &&
      (async () => {
        const ldap = new Ldap(directory);
        await ldap.below(directory.userdn);
        return { product: await ldap.product(), development: exampleDomain(directory.userdn) };
      }),
    more: {
      "own passwords": () =>
        directory &&
        refusalOf(
          () => changeOwnPassword(directory),
          "the LDAP server does not let entries change their own password",
        ),
    },
  };
}

function schedulerProbe(_servers: Servers, { scheduler }: Interfaces): Probe {
  return {
    service: "scheduler",
    base: "scheduler",
    identify:
      scheduler &&
      (async () => {
        const { config } = (await scheduler.send("GET", "agent/self")) as NomadAgent;
        return {
          product: `Nomad ${config.Version.Version}`,
          development: config.DevMode ? "an agent in dev mode" : undefined,
        };
      }),
    more: {
      "scheduler with ACLs": () =>
        scheduler &&
        refusalOf(() => scheduler.send("GET", "acl/token/self"), "Nomad tells nothing of NOMAD_TOKEN"),
    },
  };
}

function provisioningProbe({ provisioning: server }: Servers, { provisioning }: Interfaces): Probe {
  return {
    service: "provisioning",
    base: "provisioning service",
    identify:
      server &&
      provisioning &&
      (async () => {
        await provisioning.read(`organizations/${server.organization}/projects`);
        return { product: "Terraform Enterprise or HCP Terraform", development: undefined };
      }),
    more: {
      "site administrator": () =>
        provisioning &&
        refusalOf(
          () => provisioning.read("admin/organizations"),
          "TFE_TOKEN is not that of a site administrator, or this is HCP Terraform, which has none",
        ),
      "another organization": () =>
        server?.otherOrganization === undefined ? notSet(["TFE_OTHER_ORGANIZATION"]) : undefined,
      receiver: () => (server?.receiver === undefined ? notSet(["TFE_RECEIVER"]) : undefined),
    },
  };
}

function notSet(names: readonly string[]): string {
  const [last = "", ...others] = names.toReversed();
  return others.length === 0
    ? `${last} is not set`
    : `${others.toReversed().join(", ")} and ${last} are not set`;
}

function keysOf(more: Probe["more"]): readonly Need[] {
  return Object.keys(more) as Need[];
}

/** Why something does not work; `undefined` when it does. */
async function refusalOf(attempt: () => Promise<unknown>, meaning?: string): Promise<string | undefined> {
  try {
    await attempt();
    return undefined;
  } catch (error) {
    const { message, cause } = error as Error;
    const said = cause instanceof Error ? `${message} (${cause.message})` : message;
    const line = said.trim().replace(/\s+/g, " ");
    return meaning === undefined ? line : `${meaning}: ${line}`;
  }
}

/** Of Nomad's response about its agent, what is looked at. */
interface NomadAgent {
  readonly config: { readonly DevMode: boolean; readonly Version: { readonly Version: string } };
}

/** A Vault or OpenBao. Of OpenBao's responses none speaks of an enterprise edition. */
async function vaultAt(address: string): Promise<Identity> {
  const read = async (path: string): Promise<unknown> =>
    (await fetch(`${address.replace(/\/+$/, "")}/v1/sys/${path}`)).json();
  const { version = "", enterprise } = (await read("health?standbyok=true")) as {
    readonly version?: string;
    readonly enterprise?: boolean;
  };
  const { storage_type: storage = "" } = (await read("seal-status")) as { readonly storage_type?: string };
  const names = { true: "Vault Enterprise", false: "Vault", undefined: "OpenBao" };
  return {
    product: `${names[`${enterprise}`]} ${version}`,
    development: storage.startsWith("inmem") ? "a server in dev mode: it stores nothing" : undefined,
  };
}

/** Whether the entries are below a domain that is reserved for examples and tests (RFC 2606). */
function exampleDomain(dn: string): string | undefined {
  const domain = [...dn.matchAll(/(?:^|,)\s*dc=([^,]+)/gi)].map(([, label = ""]) => label.trim()).join(".");
  return /(?:^|\.)(?:example(?:\.(?:com|net|org))?|test|invalid|localhost)$/i.test(domain)
    ? `${domain} is reserved for examples`
    : undefined;
}

async function mountRefusal(
  secrets: SecretsApi,
  type: string,
  product: string,
  tell: (found: string) => void,
): Promise<string | undefined> {
  const cleanUp = new CleanUp();
  try {
    return await refusalOf(async () => {
      const path = `${uniqueName()}/${type}`;
      await mountEngine(secrets, cleanUp, type, path);
      const { running_plugin_version: version } = (await secrets.read(`sys/mounts/${path}`)) ?? {};
      tell(`its engine ${type} ${typeof version === "string" ? version : ""}`.trim());
    }, `${product} mounts no engine of the type ${type}`);
  } finally {
    await cleanUp.run();
  }
}

/** Where the path is known, a method that is not there is no error; elsewhere the path itself is. */
async function stepUpRefusal(secrets: SecretsApi, product: string): Promise<string | undefined> {
  const meaning = `${product} has no sys/mfa/method/duo, which is a part of Vault Enterprise`;
  try {
    await secrets.send("GET", `sys/mfa/method/duo/${uniqueName()}`);
    return undefined;
  } catch (error) {
    if (error instanceof Refused && error.status === 404 && /"errors": *\[\]/.test(error.response)) {
      return undefined;
    }
    return error instanceof Refused ? `${meaning}: ${error.message}` : String(error);
  }
}

async function changeOwnPassword(server: DirectoryServer): Promise<void> {
  const cleanUp = new CleanUp();
  try {
    const dn = await new LiveDirectory(server, cleanUp).add("probe", "first-password");
    await new Ldap(server).changeOwnPassword(dn, "first-password", "second-password");
  } finally {
    await cleanUp.run();
  }
}
