import { Refused, ProvisioningApi } from "../engine/support/api";
import type { EngineType, Need } from "../cases/support/test-services";
import * as live from "./live-services";
import { Ldap } from "./ldap";
import {
  isPermitted,
  permission,
  serverNames,
  unset,
  variables,
  type ServerName,
  type Servers,
} from "./servers";

/** Why something cannot be had; `undefined` when it can. */
type Reason = string | undefined;

type Tell = (found: string) => void;

/** What the servers have. */
export interface Examined {
  /** Why something cannot be had. What can be had is not in it. */
  readonly missing: ReadonlyMap<Need, string>;
  /** What it is, with its version. */
  readonly found: ReadonlyMap<Need, string>;
}
type More<Server> = (server: Server, product: string, tell: Tell) => Reason | Promise<Reason>;

/** How to find out what a server is and what it has. */
interface Probe<Server> {
  /** What can be had as soon as the server responds. */
  readonly base: Need;
  /**
   * Says what it is, without changing anything, and by what it is known to be for development, so that nobody needs what
   * it holds.
   */
  identify(server: Server): Promise<Readonly<Record<"product" | "development", Reason>>>;
  /** Finds out why it does not have more, and tells of what it has. */
  readonly more: { readonly [need in Need]?: More<Server> };
}

/**
 * Finds out what the servers have, and prints it. Nothing of it stays there, and nothing is made before every server is
 * known to be for development, or permitted by name: if one is not, the process ends.
 */
export async function examine(servers: Servers): Promise<Examined> {
  const missing = new Map<Need, string>();
  const found = new Map<Need, string>();
  const products: string[] = [];
  const unusable: string[] = [];
  const toAsk: (readonly [Need, () => Reason | Promise<Reason>])[] = [];
  for (const name of serverNames) {
    const probe = probes[name] as Probe<object>;
    const more = Object.entries(probe.more) as [Need, More<object>][];
    const server = servers[name];
    if (server === undefined) {
      const needs = [probe.base, ...more.map(([need]) => need)];
      needs.forEach((need) => missing.set(need, notSet(...unset(name))));
      continue;
    }
    const names = Object.values<string>(variables[name]);
    const address = process.env[names[0] ?? ""] ?? "";
    const refusal = await refusalOf(async () => {
      const { product = "", development } = await probe.identify(server);
      const known = development ?? (isPermitted(address) ? `${permission} names it` : undefined);
      products.push(`${product} at ${address}${known === undefined ? "" : ` (${known})`}`);
      found.set(probe.base, product.trim());
      more.forEach(([need, ask]) => {
        found.set(need, product.trim());
        const tell = (text: string): void => {
          products.push(`its ${text}`);
          found.set(need, `${product.trim()} with ${text}`);
        };
        toAsk.push([need, () => ask(server, product, tell)]);
      });
      return known === undefined
        ? `${product} at ${address} does not look like a server for development. These tests create, rotate and ` +
            `delete there. To allow this, set ${permission}=${address}`
        : undefined;
    });
    unusable.push(...(refusal === undefined ? [] : [`${names.join(", ")}: ${refusal}`]));
  }
  for (const [need, ask] of unusable.length > 0 ? [] : toAsk) {
    const reason = await ask();
    if (reason !== undefined) {
      missing.set(need, reason);
    }
  }
  console.log(["Found:", ...(products.length > 0 ? products : ["nothing"])].join("\n  "));
  if (unusable.length > 0) {
    console.error(["The environment names what cannot be used:", ...unusable].join("\n  "));
    process.exit(1);
  }
  return { missing, found };
}

const mounting =
  (engine: EngineType): Probe<NonNullable<Servers["secrets"]>>["more"][Need] =>
  (server, product, tell) => {
    const type = live.engineType(server, engine);
    return untilCleanUp(`${product} mounts no engine of the type ${type}`, async (cleanUp) => {
      const path = await live.mountEngine(server, cleanUp, engine);
      const found = (await live.secretsApi(server).read(`sys/mounts/${path}`)) ?? {};
      const text = (member: string): string => {
        const value = found[member];
        return typeof value === "string" ? value : "";
      };
      // A plugin need not say its version; what runs is then known by its checksum.
      const version = text("running_plugin_version") || text("running_sha256").slice(0, 12);
      tell(`engine ${type} ${version}`.trim());
    });
  };

const probes: { readonly [Name in ServerName]: Probe<NonNullable<Servers[Name]>> } = {
  secrets: {
    base: "secrets service",
    async identify(server) {
      await live.secretsApi(server).read("auth/token/lookup-self");
      const read = async (path: string): Promise<unknown> =>
        (await fetch(`${server.address.replace(/\/+$/, "")}/v1/sys/${path}`)).json();
      const health = (await read("health?standbyok=true")) as { version?: string; enterprise?: boolean };
      const { storage_type: storage = "" } = (await read("seal-status")) as { storage_type?: string };
      // Of OpenBao's responses none speaks of an enterprise edition.
      const names = { true: "Vault Enterprise", false: "Vault", undefined: "OpenBao" };
      return {
        product: `${names[`${health.enterprise}`]} ${health.version ?? ""}`,
        development: storage.startsWith("inmem") ? "a server in dev mode: it stores nothing" : undefined,
      };
    },
    more: {
      "directory engine": mounting("directory"),
      "scheduler engine": mounting("scheduler"),
      // Where the path is known, a method that is not there is no error; elsewhere the path itself is.
      async "step-up methods"(server, product) {
        const request = live.secretsApi(server).send("GET", `sys/mfa/method/duo/${live.uniqueName()}`);
        const error = await request.then(() => undefined).catch((caught: unknown) => caught);
        const isKnown =
          error instanceof Refused && error.status === 404 && /"errors": *\[\]/.test(error.response);
        return error === undefined || isKnown
          ? undefined
          : `${product} has no sys/mfa/method/duo, which is a part of Vault Enterprise: ${(error as Error).message}`;
      },
      "Vault Enterprise": (_server, product) =>
        product.startsWith("Vault Enterprise") ? undefined : `${product} ignores it`,
    },
  },
  directory: {
    base: "directory",
    identify(server) {
      const ldap = new Ldap(server);
      ldap.below(server.userdn);
      return Promise.resolve({ product: ldap.product(), development: exampleDomain(server.userdn) });
    },
    more: {
      "own passwords": (server) =>
        untilCleanUp("the LDAP server does not let entries change their own password", async (cleanUp) => {
          const dn = await live.directoryAt(server, cleanUp).add("probe", "first-password");
          new Ldap(server).changeOwnPassword(dn, "first-password", "second-password");
        }),
    },
  },
  scheduler: {
    base: "scheduler",
    async identify(server) {
      const { config } = (await live.schedulerApi(server).send("GET", "agent/self")) as {
        readonly config: { readonly DevMode: boolean; readonly Version: { readonly Version: string } };
      };
      const development = config.DevMode ? "an agent in dev mode" : undefined;
      return { product: `Nomad ${config.Version.Version}`, development };
    },
    more: {
      "scheduler with ACLs": (server) =>
        refusalOf(
          () => live.schedulerApi(server).send("GET", "acl/token/self"),
          "Nomad tells nothing of NOMAD_TOKEN",
        ),
    },
  },
  provisioning: {
    base: "provisioning service",
    async identify({ address, token, organization }) {
      await new ProvisioningApi(address, token).read(`organizations/${organization}/projects`);
      return { product: "Terraform Enterprise or HCP Terraform", development: undefined };
    },
    more: {
      "site administrator": ({ address, token }) =>
        refusalOf(
          () => new ProvisioningApi(address, token).read("admin/organizations"),
          "TFE_TOKEN is not that of a site administrator, or this is HCP Terraform, which has none",
        ),
      "another organization": ({ otherOrganization }) =>
        otherOrganization === undefined ? notSet("TFE_OTHER_ORGANIZATION") : undefined,
      receiver: ({ receiver }) => (receiver === undefined ? notSet("TFE_RECEIVER") : undefined),
    },
  },
};

function notSet(...names: readonly string[]): string {
  const others = names.slice(0, -1).join(", ");
  return others === "" ? `${names.join()} is not set` : `${others} and ${names.at(-1)} are not set`;
}

/** @param attempt fails, or returns the reason */
async function refusalOf(attempt: () => Promise<unknown>, meaning?: string): Promise<Reason> {
  try {
    const reason = await attempt();
    return typeof reason === "string" ? reason : undefined;
  } catch (error) {
    const { message, cause } = error as Error;
    const said = cause instanceof Error ? `${message} (${cause.message})` : message;
    return `${meaning === undefined ? "" : `${meaning}: `}${said.trim().replace(/\s+/g, " ")}`;
  }
}

function untilCleanUp(meaning: string, attempt: (cleanUp: live.CleanUp) => Promise<void>): Promise<Reason> {
  const cleanUp = new live.CleanUp();
  return refusalOf(() => attempt(cleanUp), meaning).finally(() => cleanUp.run());
}

/** Whether the entries are below a domain that is reserved for examples and tests (RFC 2606). */
function exampleDomain(dn: string): string | undefined {
  const domain = [...dn.matchAll(/(?:^|,)\s*dc=([^,]+)/gi)].map(([, label = ""]) => label.trim()).join(".");
  const isReserved = /(?:^|\.)(?:example(?:\.(?:com|net|org))?|test|invalid|localhost)$/i.test(domain);
  return isReserved ? `${domain} is reserved for examples` : undefined;
}
