import type { ProvisioningApi, ProvisioningResource } from "../engine/support/api";
import type { OrganizationState, ProvisioningWorld } from "../cases/support/world";
import type { CleanUp } from "./clean-up";
import { uniqueName } from "./live-secrets";
import type { ProvisioningServer } from "./servers";

const attributes = {
  isDisabled: "is-disabled",
  accessBetaTools: "access-beta-tools",
  workspaceLimit: "workspace-limit",
  iacBuildWorkerApplyTimeout: "terraform-build-worker-apply-timeout",
} as const;

/** A real TFE or HCP Terraform. */
export class LiveProvisioning implements ProvisioningWorld {
  constructor(
    private readonly server: ProvisioningServer,
    private readonly api: ProvisioningApi,
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

  async defaultProject(organization: string): Promise<string> {
    const named = `filter%5Bnames%5D=${encodeURIComponent("Default Project")}`;
    const [project] = await this.api.list(`organizations/${organization}/projects?${named}`);
    return project?.id ?? "";
  }

  async projectOf(workspaceId: string): Promise<string> {
    const { relationships } = await this.api.read(`workspaces/${workspaceId}`);
    return relationships?.["project"]?.data?.id ?? "";
  }

  has(path: string): Promise<boolean> {
    return this.api.has(path);
  }

  change(path: string, type: string, changed: Readonly<Record<string, unknown>>): Promise<void> {
    return this.api.change(path, type, changed);
  }

  remove(path: string): Promise<void> {
    return this.api.remove(path);
  }

  receiver(): ReturnType<ProvisioningWorld["receiver"]> {
    return Promise.resolve({ address: this.server.receiver?.replace(/\/+$/, "") ?? "", requests: [] });
  }

  async organization(name: string): Promise<OrganizationState> {
    const path = `admin/organizations/${name}`;
    const { attributes: found } = await this.api.read(path);
    const consumers = await this.api.list(`${path}/relationships/module-consumers`);
    return {
      isDisabled: found[attributes.isDisabled] === true,
      accessBetaTools: found[attributes.accessBetaTools] === true,
      workspaceLimit: (found[attributes.workspaceLimit] as number | null | undefined) ?? null,
      iacBuildWorkerApplyTimeout:
        (found[attributes.iacBuildWorkerApplyTimeout] as string | null | undefined) ?? null,
      moduleConsumers: consumers.map(({ id }) => id),
    };
  }

  async changeOrganization(
    name: string,
    { moduleConsumers, ...change }: Partial<OrganizationState>,
  ): Promise<void> {
    const path = `admin/organizations/${name}`;
    if (moduleConsumers !== undefined) {
      const data = moduleConsumers.map((id) => ({ id, type: "organizations" }));
      await this.api.replace(`${path}/relationships/module-consumers`, data);
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
