import { randomBytes } from "node:crypto";
import type {
  Directory,
  EngineMounts,
  EngineType,
  OrganizationState,
  TestProvisioning,
  TestScheduler,
  TestSecrets,
  ServiceName,
  TestServices,
} from "../cases/support/test-services";
import { Api, ProvisioningApi, type ProvisioningResource, SecretsApi } from "../engine/support/api";
import type { LifecycleTarget } from "../engine/support/lifecycle";
import { Ldap } from "./ldap";
import type { Findings, Interfaces } from "./probes";
import type { DirectoryServer, ProvisioningServer, Server, Servers } from "./servers";

/** What has to be taken away again, the last first. */
export class CleanUp {
  private readonly tasks: { readonly what: string; readonly take: () => Promise<unknown> }[] = [];

  /** @param what is said when it cannot be taken away */
  add(what: string, take: () => Promise<unknown>): void {
    this.tasks.push({ what, take });
  }

  /**
   * Takes all away, also after a failure.
   *
   * @throws Error that names what stays
   */
  async run(): Promise<void> {
    const failures: string[] = [];
    for (let task = this.tasks.pop(); task !== undefined; task = this.tasks.pop()) {
      try {
        await task.take();
      } catch (error) {
        failures.push(`${task.what}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    if (failures.length > 0) {
      throw new Error(`This could not be taken away and has to be by hand:\n${failures.join("\n")}`);
    }
  }
}

/** A folder of a real directory, which goes with everything in it. */
export class LiveDirectory implements Directory {
  readonly url: string;
  private readonly ldap: Ldap;
  private made: Promise<string> | undefined;

  constructor(
    private readonly server: DirectoryServer,
    private readonly cleanUp: CleanUp,
  ) {
    this.url = server.url;
    this.ldap = new Ldap(server);
  }

  base(): Promise<string> {
    this.made ??= this.makeBase();
    return this.made;
  }

  async add(name: string, password?: string): Promise<string> {
    const dn = `cn=${name},${await this.base()}`;
    await this.ldap.addPerson(dn, password);
    return dn;
  }

  administrator(): Promise<{ readonly dn: string; readonly password: string }> {
    return Promise.resolve({ dn: this.server.binddn, password: this.server.bindpass });
  }

  accepts(dn: string, password: string): Promise<boolean> {
    return this.ldap.accepts(dn, password);
  }

  below(dn: string): Promise<readonly string[]> {
    return this.ldap.below(dn);
  }

  private async makeBase(): Promise<string> {
    const dn = `ou=trivium-${randomBytes(4).toString("hex")},${this.server.userdn}`;
    this.cleanUp.add(`the entry ${dn}`, () => this.ldap.remove(dn));
    await this.ldap.addUnit(dn);
    return dn;
  }
}

/** What the products call the engines. */
export const engineTypes: Readonly<Record<EngineType, string>> = { directory: "ldap", scheduler: "nomad" };

/** The interface of a Vault or an OpenBao. */
export function secretsApi({ address, token, namespace }: NonNullable<Servers["secrets"]>): SecretsApi {
  return new SecretsApi(
    address,
    token,
    "hashicorp",
    namespace === undefined ? {} : { "x-vault-namespace": namespace },
  );
}

/** Mounts an engine until the clean-up. */
export async function mountEngine(
  api: SecretsApi,
  cleanUp: CleanUp,
  type: string,
  path: string,
): Promise<void> {
  await api.write(`sys/mounts/${path}`, { type });
  cleanUp.add(`the mount ${path}`, async () => {
    try {
      await api.remove(`sys/mounts/${path}`);
    } catch {
      // Something that was issued cannot be revoked; a mount with such leases stays unless they are forgotten.
      await api.write(`sys/leases/revoke-force/${path}`);
      await api.remove(`sys/mounts/${path}`);
    }
  });
}

/** A real Vault or OpenBao. */
class LiveSecrets implements TestSecrets {
  constructor(
    readonly api: SecretsApi,
    private readonly findDirectory: () => Directory,
    private readonly cleanUp: CleanUp,
  ) {}

  get directory(): Directory {
    return this.findDirectory();
  }

  async addEntity(): Promise<string> {
    const made = await this.api.write("identity/entity", { name: uniqueName() });
    const id = String(made?.["id"]);
    this.cleanUp.add(`the entity ${id}`, () => this.api.remove(`identity/entity/id/${id}`));
    return id;
  }

  async addTotpMethod(): Promise<string> {
    const path = "identity/mfa/method/totp";
    const id = String((await this.api.write(path, { issuer: "Acme" }))?.["method_id"]);
    this.cleanUp.add(`the TOTP method ${id}`, () => this.api.remove(`${path}/${id}`));
    return id;
  }

  async addLogin(): Promise<string> {
    const path = `sys/auth/${uniqueName()}`;
    await this.api.write(path, { type: "userpass" });
    this.cleanUp.add(`the login at ${path}`, () => this.api.remove(path));
    return String((await this.api.read(path))?.["accessor"]);
  }

  async mount(engine: EngineType): Promise<EngineMounts> {
    const type = engineTypes[engine];
    const [mount, otherMount] = [`${uniqueName()}/${type}`, `${uniqueName()}/eu/${type}`] as const;
    for (const path of [mount, otherMount]) {
      await mountEngine(this.api, this.cleanUp, type, path);
    }
    return { mount, otherMount, given: { mount } };
  }
}

/** A name that nothing else has. */
export function uniqueName(): string {
  return `trivium-${randomBytes(4).toString("hex")}`;
}

/** The interface of a Nomad. */
export function schedulerApi({ address, token }: Server): Api {
  return new Api(address, "v1", { "x-nomad-token": token, "content-type": "application/json" });
}

/** A real Nomad. */
class LiveScheduler implements TestScheduler {
  readonly address: string;
  readonly token: string;

  constructor(
    { address, token }: Server,
    private readonly api: Api,
    private readonly cleanUp: CleanUp,
  ) {
    this.address = address;
    this.token = token;
  }

  async knowsToken(accessorId: string): Promise<boolean> {
    return (await this.api.find(`acl/token/${accessorId}`)) !== undefined;
  }

  /** Of what the event stream tells, a policy is the only thing that is made at once and needs no node. */
  async happen(): Promise<Awaited<ReturnType<TestScheduler["happen"]>>> {
    const first = await this.addPolicy();
    return {
      topic: "ACLPolicy",
      type: "ACLPolicyUpserted",
      filter: first,
      keys: [first, await this.addPolicy()],
    };
  }

  private async addPolicy(): Promise<string> {
    const name = uniqueName();
    this.cleanUp.add(`the ACL policy ${name}`, () => this.api.remove(`acl/policy/${name}`));
    await this.api.send("POST", `acl/policy/${name}`, {
      Name: name,
      Rules: 'namespace "default" { policy = "read" }',
    });
    return name;
  }
}

const attributes = {
  isDisabled: "is-disabled",
  accessBetaTools: "access-beta-tools",
  workspaceLimit: "workspace-limit",
  iacBuildWorkerApplyTimeout: "terraform-build-worker-apply-timeout",
} as const;

/** A real TFE or HCP Terraform. */
class LiveProvisioning implements TestProvisioning {
  constructor(
    private readonly server: ProvisioningServer,
    readonly api: ProvisioningApi,
    private readonly cleanUp: CleanUp,
  ) {}

  organizations(count: number): Promise<readonly string[]> {
    const { organization, otherOrganization = [] } = this.server;
    return Promise.resolve([organization, otherOrganization].flat().slice(0, count));
  }

  async newOrganizations(count: number): Promise<readonly string[]> {
    const names = Array.from({ length: count }, uniqueName);
    for (const name of names) {
      await this.make("organizations", "organizations", { name, email: `${name}@example.com` }, () => name);
    }
    return names;
  }

  addWorkspaces(organization: string, count: number): Promise<readonly string[]> {
    return this.makeSeveral(count, `organizations/${organization}/workspaces`, "workspaces");
  }

  addProjects(organization: string, count: number): Promise<readonly string[]> {
    return this.makeSeveral(count, `organizations/${organization}/projects`, "projects");
  }

  addTeams(organization: string, count: number): Promise<readonly string[]> {
    return this.makeSeveral(count, `organizations/${organization}/teams`, "teams");
  }

  async defaultProject(organization: string): Promise<string> {
    const named = `filter%5Bnames%5D=${encodeURIComponent("Default Project")}`;
    const [project] = await this.api.read<readonly ProvisioningResource[]>(
      `organizations/${organization}/projects?${named}`,
    );
    return project?.id ?? "";
  }

  async projectOf(workspaceId: string): Promise<string> {
    const { relationships } = await this.api.read(`workspaces/${workspaceId}`);
    return relationships?.["project"]?.data?.id ?? "";
  }

  receiver(): Promise<string> {
    return Promise.resolve(this.server.receiver?.replace(/\/+$/, "") ?? "");
  }

  async organization(name: string): Promise<OrganizationState> {
    const path = `admin/organizations/${name}`;
    const { attributes: found } = await this.api.read(path);
    const consumersOf = async (shared: "module" | "provider"): Promise<readonly string[]> =>
      (await this.api.read<readonly ProvisioningResource[]>(`${path}/relationships/${shared}-consumers`)).map(
        ({ id }) => id,
      );
    return {
      isDisabled: found[attributes.isDisabled] === true,
      accessBetaTools: found[attributes.accessBetaTools] === true,
      workspaceLimit: (found[attributes.workspaceLimit] as number | null | undefined) ?? null,
      iacBuildWorkerApplyTimeout:
        (found[attributes.iacBuildWorkerApplyTimeout] as string | null | undefined) ?? null,
      moduleConsumers: await consumersOf("module"),
      providerConsumers: await consumersOf("provider"),
    };
  }

  async changeOrganization(
    name: string,
    { moduleConsumers, ...change }: Partial<OrganizationState>,
  ): Promise<void> {
    const path = `admin/organizations/${name}`;
    if (moduleConsumers !== undefined) {
      const data = moduleConsumers.map((id) => ({ id, type: "organizations" }));
      await this.api.send("PATCH", `${path}/relationships/module-consumers`, { data });
    }
    const changed = Object.entries(attributes).flatMap(([field, attribute]) =>
      field in change ? [[attribute, change[field as keyof typeof change]] as const] : [],
    );
    if (changed.length > 0) {
      await this.api.change(path, "organizations", Object.fromEntries(changed));
    }
  }

  private async makeSeveral(count: number, path: string, type: string): Promise<readonly string[]> {
    const ids: string[] = [];
    for (let made = 0; made < count; made++) {
      ids.push(await this.make(path, type, { name: uniqueName() }, ({ id }) => id));
    }
    return ids;
  }

  /** Makes something until the clean-up. */
  private async make(
    path: string,
    type: string,
    values: Readonly<Record<string, unknown>>,
    idOf: (made: ProvisioningResource) => string,
  ): Promise<string> {
    const id = idOf(await this.api.create(path, type, values));
    this.cleanUp.add(`${type} ${id}`, () => this.api.remove(`${type}/${id}`));
    return id;
  }
}

/** The end of the titles of suites that run here. */
export const title = "against real servers";

/** How to talk to the servers that there are. */
export function interfacesOf({ secrets, scheduler, provisioning }: Servers): Interfaces {
  return {
    ...(secrets && { secrets: secretsApi(secrets) }),
    ...(scheduler && { scheduler: schedulerApi(scheduler) }),
    ...(provisioning && { provisioning: new ProvisioningApi(provisioning.address, provisioning.token) }),
  };
}

/** Real servers as the target of lifecycles. */
export function liveTarget(servers: Servers, { missing }: Findings): LifecycleTarget {
  return {
    title,
    real: true,
    dialects: ["hashicorp"],
    patience: 600_000,
    missing: (need) => missing.get(need),
    open: () => Promise.resolve(new LiveServices(servers)),
  };
}

/** What a case makes on real servers, until the clean-up. */
export class LiveServices implements TestServices {
  readonly dialect = "hashicorp";
  readonly lifetime = "2h";
  private readonly cleanUp = new CleanUp();
  private readonly interfaces: Interfaces;
  private folder: LiveDirectory | undefined;

  constructor(private readonly servers: Servers) {
    this.interfaces = interfacesOf(servers);
  }

  context(service: ServiceName): ReturnType<TestServices["context"]> {
    const { address, token, ...more } = named(this.servers[service]);
    const namespace = "namespace" in more ? { namespace: more.namespace } : {};
    return {
      services: this,
      connection: { [service]: { address, token, ...namespace } },
      close: () => this.close(),
    };
  }

  freshName(name: string): string {
    return `${name}-${uniqueName().slice(-6)}`;
  }

  get provisioning(): LiveProvisioning {
    return new LiveProvisioning(
      named(this.servers.provisioning),
      named(this.interfaces.provisioning),
      this.cleanUp,
    );
  }

  get secrets(): LiveSecrets {
    return new LiveSecrets(named(this.interfaces.secrets), () => this.directory(), this.cleanUp);
  }

  get scheduler(): LiveScheduler {
    return new LiveScheduler(named(this.servers.scheduler), named(this.interfaces.scheduler), this.cleanUp);
  }

  close(): Promise<void> {
    return this.cleanUp.run();
  }

  /** One for all that a case makes. */
  private directory(): LiveDirectory {
    this.folder ??= new LiveDirectory(named(this.servers.directory), this.cleanUp);
    return this.folder;
  }
}

/** A case says what it needs and is left out without it; this is for one that forgets. */
function named<Part>(part: Part | undefined): Part {
  if (part === undefined) {
    throw new Error("The case uses a server that it does not say it needs.");
  }
  return part;
}
