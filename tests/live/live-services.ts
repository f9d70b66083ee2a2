import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import type {
  Directory,
  EngineType,
  ServiceName,
  TestProvisioning,
  TestScheduler,
  TestSecrets,
  TestServices,
} from "../cases/support/test-services";
import { Api, ProvisioningApi, type ProvisioningResource, SecretsApi } from "../engine/support/api";
import { presentTarget } from "../engine/support/lifecycle-target";
import { Ldap } from "./ldap";
import { type Server, type Servers, serversIn } from "./servers";

/** The end of the titles of suites that run here. */
export const title = "against real servers";

/** None unless `npm run test:live` has examined them: others might have objects that somebody needs. */
export function examinedServers(): Servers {
  return presentTarget().real ? serversIn() : {};
}

/** A name that nothing else has. */
export function uniqueName(): string {
  return `trivium-${randomBytes(4).toString("hex")}`;
}

/** What has to be taken away again, the last first. */
export class CleanUp {
  private readonly tasks: (readonly [what: string, take: () => unknown])[] = [];

  /** @param what is said when it cannot be taken away */
  add(what: string, take: () => unknown): void {
    this.tasks.push([what, take]);
  }

  /**
   * Takes all away, also after a failure.
   *
   * @throws Error that names what stays
   */
  async run(): Promise<void> {
    const failures: string[] = [];
    for (const [what, take] of this.tasks.splice(0).reverse()) {
      const fail = (error: unknown) => failures.push(`${what}: ${String(error)}`);
      await Promise.resolve().then(take).catch(fail);
    }
    assert.deepEqual(failures, [], "This could not be taken away and has to be by hand.");
  }
}

/** Takes all away after the last test of the calling suite. */
export function useCleanUp(): CleanUp {
  const cleanUp = new CleanUp();
  after("clean up", () => cleanUp.run());
  return cleanUp;
}

/** What the products call an engine. */
export function engineType({ directoryEngine = "ldap" }: SecretsServer, engine: EngineType): string {
  return { directory: directoryEngine, scheduler: "nomad" }[engine];
}

type SecretsServer = NonNullable<Servers["secrets"]>;

/** The interface of a Vault or an OpenBao. */
export function secretsApi({ address, token, namespace }: SecretsServer): SecretsApi {
  const header = "x-vault-namespace";
  return new SecretsApi(address, token, "hashicorp", namespace === undefined ? {} : { [header]: namespace });
}

/** Whether a mount runs the LDAP engine of Vault, which has settings for a rotation manager. */
export async function isEngineOfVault(api: SecretsApi, mount: string): Promise<boolean> {
  return JSON.stringify(await api.send("GET", `${mount}/config?help=1`)).includes("rotation_policy (");
}

/** The interface of a Nomad. */
export function schedulerApi({ address, token }: Server): Api {
  const headers = { "x-nomad-token": token, "content-type": "application/json" };
  return new Api(address, "v1", headers);
}

export const readingJobs = 'namespace "default" { policy = "read" }';

/** Makes an ACL policy of Nomad until the clean-up. */
export async function addPolicy(api: Api, cleanUp: CleanUp, rules = readingJobs): Promise<string> {
  const Name = uniqueName();
  cleanUp.add(`the ACL policy ${Name}`, () => api.remove(`acl/policy/${Name}`));
  await api.send("POST", `acl/policy/${Name}`, { Name, Rules: rules });
  return Name;
}

/** Mounts an engine until the clean-up. @returns the path */
export async function mountEngine(server: SecretsServer, cleanUp: CleanUp, engine: EngineType, below = "") {
  const api = secretsApi(server);
  const type = engineType(server, engine);
  const path = `${uniqueName()}${below}/${type}`;
  await api.write(`sys/mounts/${path}`, { type });
  // What was issued might not be revocable; a mount with such leases stays unless they are forgotten.
  const force = () => api.write(`sys/leases/revoke-force/${path}`).then(remove);
  const remove = () => api.remove(`sys/mounts/${path}`);
  cleanUp.add(`the mount ${path}`, () => remove().catch(force));
  return path;
}

/** A folder of a real directory, which goes with everything in it. */
export function directoryAt(server: NonNullable<Servers["directory"]>, cleanUp: CleanUp): Directory {
  const ldap = new Ldap(server);
  let made: string | undefined;
  const makeBase = (): string => {
    const dn = `ou=${uniqueName()},${server.userdn}`;
    cleanUp.add(`the entry ${dn}`, () => ldap.remove(dn));
    ldap.add(dn, "objectClass: organizationalUnit");
    return dn;
  };
  const base = () => (made ??= makeBase());
  return {
    url: server.url,
    base,
    add(name, password) {
      const dn = `cn=${name},${base()}`;
      ldap.addPerson(dn, password);
      return dn;
    },
    administrator: () => ({ dn: server.binddn, password: server.bindpass }),
    accepts: (dn, password) => Promise.resolve(ldap.accepts(dn, password)),
    below: (dn) => ldap.below(dn),
  };
}

/** What a case makes on real servers, until the clean-up. */
export class LiveServices implements TestServices {
  readonly dialect = "hashicorp";
  readonly lifetime = "2h";
  /** What the secrets service has got: paths by engines, and ids. */
  readonly made = { directory: [] as string[], scheduler: [] as string[], entities: [] as string[] };
  private readonly cleanUp = new CleanUp();
  private folder: Directory | undefined;

  /** @param mark part of every fresh name */
  constructor(
    private readonly servers: Servers,
    private readonly mark?: string,
  ) {}

  context(service: ServiceName): ReturnType<TestServices["context"]> {
    const { address, token, ...more } = named(this.servers[service]);
    const namespace = "namespace" in more ? { namespace: more.namespace } : {};
    const connection = { [service]: { address, token, ...namespace } };
    return { services: this, connection, close: () => this.close() };
  }

  freshName(name: string): string {
    return `${name}-${this.mark ?? uniqueName().slice(-6)}`;
  }

  get secrets(): TestSecrets {
    const { cleanUp, made, servers } = this;
    const server = named(servers.secrets);
    const api = secretsApi(server);
    const directory = (): Directory => (this.folder ??= directoryAt(named(servers.directory), cleanUp));
    return {
      api,
      get directory() {
        return directory();
      },
      async addEntity() {
        const id = String((await api.write("identity/entity", { name: uniqueName() }))?.["id"]);
        cleanUp.add(`the entity ${id}`, () => api.remove(`identity/entity/id/${id}`));
        made.entities.push(id);
        return id;
      },
      async addTotpMethod() {
        const path = "identity/mfa/method/totp";
        const id = String((await api.write(path, { issuer: "Acme" }))?.["method_id"]);
        cleanUp.add(`the TOTP method ${id}`, () => api.remove(`${path}/${id}`));
        return id;
      },
      async addLogin() {
        const path = `sys/auth/${uniqueName()}`;
        await api.write(path, { type: "userpass" });
        cleanUp.add(`the login at ${path}`, () => api.remove(path));
        return String((await api.read(path))?.["accessor"]);
      },
      async mount(engine) {
        const mount = await mountEngine(server, cleanUp, engine);
        const otherMount = await mountEngine(server, cleanUp, engine, "/eu");
        made[engine].push(mount, otherMount);
        return { mount, otherMount, given: { mount } };
      },
    };
  }

  get scheduler(): TestScheduler {
    const server = named(this.servers.scheduler);
    const api = schedulerApi(server);
    return {
      ...server,
      knowsToken: async (accessorId) => (await api.find(`acl/token/${accessorId}`)) !== undefined,
      // Of what the event stream tells, a policy is the only thing that is made at once and needs no node.
      happen: async () => {
        const first = await addPolicy(api, this.cleanUp);
        const keys = [first, await addPolicy(api, this.cleanUp)] as const;
        return { topic: "ACLPolicy", type: "ACLPolicyUpserted", filter: first, keys };
      },
    };
  }

  get provisioning(): TestProvisioning {
    return provisioningAt(named(this.servers.provisioning), this.cleanUp);
  }

  close(): Promise<void> {
    return this.cleanUp.run();
  }
}

/** A case says what it needs and is left out without it; this is for one that forgets. */
function named<Part>(part: Part | undefined): Part {
  return part ?? assert.fail("The case uses a server that it does not say it needs.");
}

const attributes = {
  isDisabled: "is-disabled",
  accessBetaTools: "access-beta-tools",
  workspaceLimit: "workspace-limit",
  iacBuildWorkerApplyTimeout: "terraform-build-worker-apply-timeout",
};

function provisioningAt(server: NonNullable<Servers["provisioning"]>, cleanUp: CleanUp): TestProvisioning {
  const api = new ProvisioningApi(server.address, server.token);
  const list = (path: string) => api.read<readonly ProvisioningResource[]>(path);
  /** Makes things until the clean-up; an organization's id is its name. */
  const make = async (path: string, type: string, count: number, email?: string): Promise<string[]> => {
    const ids: string[] = [];
    while (ids.length < count) {
      const { id } = await api.create(path, type, { name: uniqueName(), email });
      cleanUp.add(`${type} ${id}`, () => api.remove(`${type}/${id}`));
      ids.push(id);
    }
    return ids;
  };
  const makerOf = (type: string) => (organization: string, count: number) =>
    make(`organizations/${organization}/${type}`, type, count);
  return {
    api,
    organizations(count) {
      const { organization, otherOrganization = [] } = server;
      return [organization, otherOrganization].flat().slice(0, count);
    },
    newOrganizations: (count) => make("organizations", "organizations", count, "trivium@example.com"),
    addWorkspaces: makerOf("workspaces"),
    addProjects: makerOf("projects"),
    addTeams: makerOf("teams"),
    async defaultProject(organization) {
      const filter = `filter%5Bnames%5D=${encodeURIComponent("Default Project")}`;
      const [project] = await list(`organizations/${organization}/projects?${filter}`);
      return project?.id ?? "";
    },
    async projectOf(workspaceId) {
      const { relationships } = await api.read(`workspaces/${workspaceId}`);
      return relationships?.["project"]?.data?.id ?? "";
    },
    receiver: () => server.receiver?.replace(/\/+$/, "") ?? "",
    async organization(name) {
      const path = `admin/organizations/${name}`;
      const { attributes: found } = await api.read(path);
      const consumersOf = async (shared: "module" | "provider"): Promise<readonly string[]> =>
        (await list(`${path}/relationships/${shared}-consumers`)).map(({ id }) => id);
      return {
        isDisabled: found[attributes.isDisabled] === true,
        accessBetaTools: found[attributes.accessBetaTools] === true,
        workspaceLimit: (found[attributes.workspaceLimit] ?? null) as number | null,
        iacBuildWorkerApplyTimeout: (found[attributes.iacBuildWorkerApplyTimeout] ?? null) as string | null,
        moduleConsumers: await consumersOf("module"),
        providerConsumers: await consumersOf("provider"),
      };
    },
    async changeOrganization(name, change) {
      const path = `admin/organizations/${name}`;
      for (const [field, value] of Object.entries(change)) {
        if (field in attributes) {
          await api.change(path, "organizations", { [attributes[field as keyof typeof attributes]]: value });
        } else {
          const data = [value].flat().map((id) => ({ id, type: "organizations" }));
          const relationship = field.replace("Consumers", "-consumers");
          await api.send("PATCH", `${path}/relationships/${relationship}`, { data });
        }
      }
    },
  };
}
