import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Emulator, startEmulator } from "pulumi-trivium/testing";
import { startReceiver } from "../../engine/support/receiver";
import { directoryRoute } from "./directory";
import { FrontRefusal, type FrontRoute, startFront } from "./front";

/** Plays the products whole, so that the tests against real servers can be tried without any. */
export interface StandIn {
  readonly emulator: Emulator;
  /** Names them as those of real servers are named. */
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

const administrator = { dn: "cn=admin,dc=acme,dc=example", password: "canary-administrator-3f1b" };

/**
 * Starts the emulator in the products' dialect, and before each service what the product has besides: what makes
 * mounts, entities, organizations and the like. OpenLDAP's tools are played, too, on a PATH of their own.
 */
export async function startStandIn(): Promise<StandIn> {
  const seed = { organizations: [{ name: "acme" }, { name: "platform" }], directoryEntries: [administrator] };
  // Servers for development have such a token, which stands in what is printed anyway.
  const emulator = await startEmulator({ dialect: "hashicorp", seed, tokens: { secrets: "root" } });
  const { secrets, provisioning, scheduler } = emulator;
  const receiver = await startReceiver();
  const fronts = await Promise.all([
    startFront(secrets.address, secretsRoutes(emulator)),
    startFront(provisioning.address, provisioningRoutes(emulator)),
    startFront(scheduler.address, schedulerRoutes(emulator)),
    startFront("http://127.0.0.1:1", [directoryRoute(emulator)]),
  ]);
  const [vault, tfe, nomad, ldap] = fronts.map(({ address }) => address);
  const tools = playedTools();
  return {
    emulator,
    environment: {
      VAULT_ADDR: vault ?? "",
      VAULT_TOKEN: secrets.token,
      NOMAD_ADDR: nomad ?? "",
      NOMAD_TOKEN: scheduler.token,
      TFE_ADDRESS: tfe ?? "",
      TFE_TOKEN: provisioning.token,
      TFE_ORGANIZATION: "acme",
      TFE_OTHER_ORGANIZATION: "platform",
      TFE_RECEIVER: receiver.address,
      LDAP_URL: (ldap ?? "").replace(/^http:/, "ldap:"),
      LDAP_BINDDN: administrator.dn,
      LDAP_BINDPASS: administrator.password,
      LDAP_USERDN: "dc=acme,dc=example",
      PATH: `${tools}:${process.env["PATH"] ?? ""}`,
    },
    async close() {
      rmSync(tools, { recursive: true });
      await Promise.all([...fronts, receiver, emulator].map((each) => each.close()));
    },
  };
}

/** A directory with OpenLDAP's tools, played. */
function playedTools(): string {
  const directory = mkdtempSync(join(tmpdir(), "trivium-ldap-tools-"));
  for (const tool of ["ldapadd", "ldapmodify", "ldapdelete", "ldapsearch", "ldapwhoami"]) {
    const file = join(directory, tool);
    const played = [process.execPath, join(__dirname, "ldap-tool.cjs"), tool].map((word) => `'${word}'`);
    writeFileSync(file, `#!/bin/sh\nexec ${played.join(" ")} "$@"\n`);
    chmodSync(file, 0o755);
  }
  return directory;
}

function secretsRoutes(emulator: Emulator): readonly FrontRoute[] {
  const { secrets } = emulator;
  const typeIn = (body: unknown): string => (body as { readonly type: string }).type;
  const pathOf = (login: string): string => `auth/${login}`;
  return [
    {
      matches: /^POST \/v1\/sys\/mounts\/(.+)$/,
      handle([path = ""], body) {
        secrets.addMount({ type: typeIn(body), path });
        return undefined;
      },
    },
    {
      matches: /^DELETE \/v1\/sys\/mounts\/(.+)$/,
      handle([path = ""]) {
        secrets.removeMount(path);
        return undefined;
      },
    },
    {
      matches: /^POST \/v1\/sys\/auth\/(.+)$/,
      handle([login = ""], body) {
        secrets.addMount({ type: typeIn(body), path: pathOf(login) });
        return undefined;
      },
    },
    {
      matches: /^GET \/v1\/sys\/auth\/(.+)$/,
      handle([login = ""]) {
        const mount = emulator.inspect().secrets.mounts.find(({ path }) => path === login);
        return { data: { accessor: mount?.accessor } };
      },
    },
    {
      matches: /^DELETE \/v1\/sys\/auth\/(.+)$/,
      handle([login = ""]) {
        secrets.removeMount(login);
        return undefined;
      },
    },
    { matches: /^POST \/v1\/identity\/entity$/, handle: () => ({ data: { id: secrets.addEntity().id } }) },
    {
      matches: /^DELETE \/v1\/identity\/entity\/id\/(.+)$/,
      handle([id = ""]) {
        secrets.removeEntity(id);
        return undefined;
      },
    },
  ];
}

function provisioningRoutes(emulator: Emulator): readonly FrontRoute[] {
  const { provisioning } = emulator;
  const nameIn = (body: unknown): string =>
    (body as { readonly data: { readonly attributes: { readonly name: string } } }).data.attributes.name;
  return [
    {
      matches: /^POST \/api\/v2\/organizations$/,
      handle(_parameters, body) {
        const { name } = provisioning.addOrganization({ name: nameIn(body) });
        return { data: { id: name, type: "organizations", attributes: { name } } };
      },
    },
    {
      matches: /^DELETE \/api\/v2\/organizations\/([^/]+)$/,
      handle([name = ""]) {
        provisioning.removeOrganization(name);
        return undefined;
      },
    },
    {
      matches: /^POST \/api\/v2\/organizations\/([^/]+)\/workspaces$/,
      handle([organization = ""], body) {
        const { id } = provisioning.addWorkspace({ organization, name: nameIn(body) });
        return { data: { id, type: "workspaces", attributes: {} } };
      },
    },
    {
      matches: /^GET \/api\/v2\/workspaces\/([^/]+)$/,
      handle([id = ""]) {
        const workspace = emulator.inspect().provisioning.workspaces.find((each) => each.id === id);
        if (workspace === undefined) {
          throw new FrontRefusal(404);
        }
        const project = { data: { id: workspace.projectId, type: "projects" } };
        return { data: { id, type: "workspaces", attributes: {}, relationships: { project } } };
      },
    },
    {
      matches: /^DELETE \/api\/v2\/workspaces\/([^/]+)$/,
      handle([id = ""]) {
        provisioning.removeWorkspace(id);
        return undefined;
      },
    },
  ];
}

function schedulerRoutes(emulator: Emulator): readonly FrontRoute[] {
  const { scheduler } = emulator;
  return [
    {
      matches: /^POST \/v1\/acl\/policy\/(.+)$/,
      handle([name = ""]) {
        scheduler.addPolicy({ name, readJobs: ["default"] });
        return undefined;
      },
    },
    {
      matches: /^DELETE \/v1\/acl\/policy\/(.+)$/,
      handle([name = ""]) {
        scheduler.removePolicy(name);
        return undefined;
      },
    },
    {
      matches: /^GET \/v1\/acl\/token\/(?!self$)(.+)$/,
      handle([accessorId = ""]) {
        const token = emulator.inspect().scheduler.aclTokens.find((each) => each.accessorId === accessorId);
        if (token === undefined) {
          throw new FrontRefusal(404);
        }
        return { AccessorID: accessorId };
      },
    },
  ];
}
