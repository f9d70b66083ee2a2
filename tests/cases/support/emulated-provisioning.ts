import type { Emulator } from "pulumi-trivium/testing";
import { ProvisioningApi } from "../../engine/support/api";
import { startReceiver } from "../../engine/support/receiver";
import type { Notification, OrganizationState, ProvisioningWorld } from "./world";

/** What answers notifications well. */
interface Receiver {
  readonly address: string;
  readonly requests: readonly Notification[];
  close(): Promise<void>;
}

const names = ["acme", "platform", "payments", "search"];

/** The emulated provisioning service. Nothing is made twice: a world is for one case. */
export class EmulatedProvisioning implements ProvisioningWorld {
  private readonly api: ProvisioningApi;
  private started: Promise<Receiver> | undefined;

  /**
   * @param mark part of all names
   * @param receiverOf called when a receiver is asked for
   */
  constructor(
    private readonly emulator: Emulator,
    private readonly mark?: string,
    private readonly receiverOf: () => Promise<Receiver> = startReceiver,
  ) {
    const { address, token } = emulator.provisioning;
    this.api = new ProvisioningApi(address, token);
  }

  organizations(count: number): Promise<readonly string[]> {
    const { mark } = this;
    const chosen = names.slice(0, count).map((name) => (mark === undefined ? name : `${name}-${mark}`));
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
    this.started ??= this.receiverOf();
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
