import { type Api, Refused, type ProvisioningApi, type SecretsApi } from "../engine/support/api";
import type { EngineType, Need } from "../cases/support/world";
import { CleanUp } from "./clean-up";
import { Ldap } from "./ldap";
import { engineTypes, mountEngine, uniqueName } from "./live-secrets";
import { LiveDirectory } from "./live-directory";
import { type DirectoryServer, type Servers, unset, variables } from "./servers";

/** The interfaces of the servers that there are. */
export interface Interfaces {
  readonly secrets?: SecretsApi;
  readonly scheduler?: Api;
  readonly provisioning?: ProvisioningApi;
}

/** What was found of the servers. */
export interface Findings {
  /** What answers, a line each. */
  readonly products: readonly string[];
  /** Why something cannot be had, by what it is; what can be had is not in it. */
  readonly missing: ReadonlyMap<Need, string>;
  /** Servers that are named and do not answer as they should: a mistake, not a reason to leave something out. */
  readonly unusable: readonly string[];
}

/** One server, and how to find out what it has. */
interface Probe {
  readonly service: keyof typeof variables;
  /** What can be had as soon as the server answers. */
  readonly base: Need;
  /** Why more cannot be had of it. */
  readonly more: Readonly<Partial<Record<Need, (product: string) => Reason | Promise<Reason>>>>;
  /** Says what it is; none where the environment does not name it. */
  readonly identify?: (() => Promise<string>) | undefined;
}

type Reason = string | undefined;

/** Finds out what the servers have. Nothing of it stays there. */
export async function probe(
  servers: Servers,
  interfaces: Interfaces,
  environment: NodeJS.ProcessEnv,
): Promise<Findings> {
  const missing = new Map<Need, string>();
  const products: string[] = [];
  const unusable: string[] = [];
  const probes = [
    secretsProbe(servers, interfaces),
    directoryProbe(servers),
    schedulerProbe(servers, interfaces),
    provisioningProbe(servers, interfaces),
  ];
  for (const { service, base, more, identify } of probes) {
    let product = "";
    const reason =
      identify === undefined
        ? notSet(unset(service, environment))
        : await refusalOf(async () => {
            product = await identify();
            products.push(`${product} at ${environment[variables[service][0]] ?? ""}`);
          });
    if (reason !== undefined && identify !== undefined) {
      unusable.push(`${variables[service].join(", ")}: ${reason}`);
    }
    for (const [need, find] of [[base, () => undefined] as const, ...entriesOf(more)]) {
      const found = reason ?? (await find(product));
      if (found !== undefined) {
        missing.set(need, found);
      }
    }
  }
  return { products, missing, unusable };
}

function secretsProbe({ secrets: server }: Servers, { secrets }: Interfaces): Probe {
  const engine = (type: EngineType) => (product: string) =>
    secrets && mountRefusal(secrets, engineTypes[type], product);
  return {
    service: "secrets",
    base: "secrets service",
    identify:
      server &&
      secrets &&
      (async () => {
        await secrets.read("auth/token/lookup-self");
        return productAt(server.address);
      }),
    more: {
      "directory engine": engine("directory"),
      "scheduler engine": engine("scheduler"),
      "step-up methods": (product) => secrets && stepUpRefusal(secrets, product),
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
        await new Ldap(directory).below(directory.userdn);
        return "an LDAP server";
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
        await scheduler.send("GET", "status/leader");
        return "Nomad";
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
        await provisioning.list(`organizations/${server.organization}/projects`);
        return "Terraform Enterprise or HCP Terraform";
      }),
    more: {
      "site administrator": () =>
        provisioning &&
        refusalOf(
          () => provisioning.list("admin/organizations"),
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

function entriesOf(
  more: Probe["more"],
): readonly (readonly [Need, (product: string) => Reason | Promise<Reason>])[] {
  return Object.entries(more) as [Need, (product: string) => Reason | Promise<Reason>][];
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

/** The product's name and version. OpenBao says nothing of an enterprise edition. */
async function productAt(address: string): Promise<string> {
  const response = await fetch(`${address.replace(/\/+$/, "")}/v1/sys/health?standbyok=true`);
  const { version = "", enterprise } = (await response.json()) as {
    readonly version?: string;
    readonly enterprise?: boolean;
  };
  const names = { true: "Vault Enterprise", false: "Vault", undefined: "OpenBao" };
  return `${names[`${enterprise}`]} ${version}`;
}

async function mountRefusal(secrets: SecretsApi, type: string, product: string): Promise<string | undefined> {
  const cleanUp = new CleanUp();
  try {
    return await refusalOf(
      () => mountEngine(secrets, cleanUp, type, `${uniqueName()}/${type}`),
      `${product} mounts no engine of the type ${type}`,
    );
  } finally {
    await cleanUp.run();
  }
}

/** Where the path is known, a method that is not there is no error; elsewhere the path itself is. */
async function stepUpRefusal(secrets: SecretsApi, product: string): Promise<string | undefined> {
  const meaning = `${product} has no sys/mfa/method/duo, which is a part of Vault Enterprise`;
  try {
    return (await secrets.offers(`sys/mfa/method/duo/${uniqueName()}`)) ? undefined : meaning;
  } catch (error) {
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
