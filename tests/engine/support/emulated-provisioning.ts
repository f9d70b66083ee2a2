import type { Emulator } from "pulumi-trivium/testing";
import { ProvisioningApi } from "./api";
import { type Receiver, startReceiver } from "./receiver";
import type { OrganizationState, ProvisioningWorld } from "./world";

const names = ["acme", "platform", "payments", "search"];

/** The emulated provisioning service. Nothing is made twice: a world is for one case. */
export class EmulatedProvisioning implements ProvisioningWorld {
  private readonly api: ProvisioningApi;
  private started: Promise<Receiver> | undefined;

  constructor(private readonly emulator: Emulator) {
    const { address, token } = emulator.provisioning;
    this.api = new ProvisioningApi(address, token);
  }

  organizations(count: number): Promise<readonly string[]> {
    const chosen = names.slice(0, count);
    for (const name of chosen) {
      this.emulator.provisioning.addOrganization({ name });
    }
    return Promise.resolve(chosen);
  }

  newOrganizations(count: number): Promise<readonly string[]> {
    return this.organizations(count);
  }

  addWorkspaces(organization: string, count: number): Promise<readonly string[]> {
    const { provisioning } = this.emulator;
    return Promise.resolve(numbers(count).map(() => provisioning.addWorkspace({ organization }).id));
  }

  addProjects(organization: string, count: number): Promise<readonly string[]> {
    const { provisioning } = this.emulator;
    return Promise.resolve(
      numbers(count).map((number) => provisioning.addProject({ organization, name: `project-${number}` }).id),
    );
  }

  defaultProject(organization: string): Promise<string> {
    const project = this.emulator
      .inspect()
      .provisioning.projects.find((each) => each.isDefault && each.organization === organization);
    return Promise.resolve(project?.id ?? "");
  }

  projectOf(workspaceId: string): Promise<string> {
    const workspace = this.emulator.inspect().provisioning.workspaces.find(({ id }) => id === workspaceId);
    return Promise.resolve(workspace?.projectId ?? "");
  }

  freshName(name: string): string {
    return name;
  }

  has(path: string): Promise<boolean> {
    return this.api.has(path);
  }

  change(path: string, type: string, attributes: Readonly<Record<string, unknown>>): Promise<void> {
    return this.api.change(path, type, attributes);
  }

  remove(path: string): Promise<void> {
    return this.api.remove(path);
  }

  async receiver(): Promise<Receiver> {
    this.started ??= startReceiver();
    return this.started;
  }

  organization(name: string): Promise<OrganizationState> {
    const found = this.emulator.inspect().provisioning.organizations.find((each) => each.name === name);
    return found === undefined ? Promise.reject(new Error(`There is no ${name}.`)) : Promise.resolve(found);
  }

  changeOrganization(name: string, change: Partial<OrganizationState>): Promise<void> {
    this.emulator.provisioning.changeOrganization(name, change);
    return Promise.resolve();
  }

  async close(): Promise<void> {
    await (await this.started)?.close();
  }
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}
