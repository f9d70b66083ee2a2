import assert from "node:assert/strict";
import { type Emulator, startEmulator } from "pulumi-trivium/testing";
import { startWidgetService, type WidgetService } from "./widget-service";
import { sharedProject } from "../../support/packed-library";
import { type Properties, ProviderProcess } from "../../support/provider-process";

/** Provider processes of one suite of tests, all with the packed library. */
export class Processes {
  private readonly started: ProviderProcess[] = [];

  async start(configuration: Properties, environment: NodeJS.ProcessEnv = {}): Promise<ProviderProcess> {
    const provider = await ProviderProcess.start(sharedProject().path, configuration, environment);
    this.started.push(provider);
    return provider;
  }

  /**
   * Stops them all. Whatever the tests were about: nothing may have shown a secret, and a message that a call was
   * answered with may not be printed as well, nor anything else.
   */
  async stop(secrets: readonly string[]): Promise<void> {
    await Promise.all(this.started.map((provider) => provider.stop()));
    for (const { output, errors, engine } of this.started) {
      assert.equal(output, "", "the process printed something");
      const shown = [...errors, ...engine.lines.map(({ message }) => message)].join("\n");
      for (const text of secrets) {
        assert.ok(!shown.includes(text), `${text} is shown: ${shown}`);
      }
      assert.doesNotMatch(shown, /^\s+at .+:\d+/m, "a stack is shown");
    }
  }
}

/** The text in state by which the engine finds what manages projects. */
export const projectStub =
  'exports.handler=()=>require("pulumi-trivium/dynamic").provider("provisioning:Project")';

/** The service's token, which may appear nowhere. */
export const token = "canary-token-2b7e15";

/** Inputs of a project as the engine hands them to a provider. */
export function projectInputs(args: Properties): Properties {
  return { ...args, __provider: projectStub };
}

/** What the tests of one file share: a service, and a provider process that is configured for it. */
class Contract<Service extends { close(): Promise<void> }> {
  protected readonly processes = new Processes();
  private running: { readonly service: Service; readonly provider: ProviderProcess } | undefined;

  /** Starts both before the tests of the surrounding `describe`, and stops them after. */
  constructor(
    start: () => Promise<Service>,
    protected readonly configurationFor: (service: Service) => Properties,
    secrets: readonly string[],
  ) {
    before(async () => {
      const service = await start();
      this.running = { service, provider: await this.processes.start(configurationFor(service)) };
    });
    after(async () => {
      await this.running?.service.close();
      await this.processes.stop(secrets);
    });
  }

  get service(): Service {
    return this.parts().service;
  }

  get provider(): ProviderProcess {
    return this.parts().provider;
  }

  private parts(): { readonly service: Service; readonly provider: ProviderProcess } {
    if (this.running === undefined) {
      throw new Error("Nothing runs yet: use it in tests and hooks only.");
    }
    return this.running;
  }
}

function configurationOf(address: string, maxRetries: number): Properties {
  return {
    "trivium:provisioningAddress": address,
    "trivium:provisioningToken": token,
    "trivium:provisioningMaxRetries": String(maxRetries),
  };
}

/** The emulator and what manages projects in it. */
export class ProvisioningContract extends Contract<Emulator> {
  private organizations = 0;

  /** @param maxRetries what is retried and when is tested elsewhere; here it mostly would only take time */
  constructor(maxRetries = 0) {
    super(
      () => startEmulator({ tokens: { provisioning: token } }),
      ({ provisioning }) => configurationOf(provisioning.address, maxRetries),
      [token],
    );
  }

  get emulator(): Emulator {
    return this.service;
  }

  /** The service, as state has it. */
  get place(): string {
    return this.emulator.provisioning.address.replace("http:", "");
  }

  /** Another process, for what can only be said at its start. */
  start(configuration: Properties = {}, environment: NodeJS.ProcessEnv = {}): Promise<ProviderProcess> {
    return this.processes.start({ ...this.configurationFor(this.emulator), ...configuration }, environment);
  }

  /** A new organization: what a process remembers of one does not matter to another. */
  organization(): string {
    this.organizations += 1;
    const name = `organization-${this.organizations}`;
    this.emulator.provisioning.addOrganization({ name });
    return name;
  }

  /** A project in an organization of its own, as a program makes it. */
  async project(): Promise<ManagedProject & { readonly organization: string }> {
    const organization = this.organization();
    const inputs = projectInputs({ organization, name: "payments" });
    return { organization, inputs, ...(await this.provider.create(inputs)) };
  }

  /** The names of an organization's projects, without the one that every organization has. */
  projectNames(organization: unknown): string[] {
    return this.emulator
      .inspect()
      .provisioning.projects.filter((project) => project.organization === organization && !project.isDefault)
      .map(({ name }) => name);
  }

  /** How many requests a call makes. */
  async requestsOf(call: () => Promise<unknown>): Promise<number> {
    const before = this.emulator.journal.count();
    await call();
    return this.emulator.journal.count() - before;
  }
}

/** A project as it stands in state. */
export interface ManagedProject {
  readonly id: string;
  readonly inputs: Properties;
  readonly outputs: Properties;
}

/** The service of gadgets. */
export class GadgetContract extends Contract<WidgetService> {
  /** @param secrets texts that may appear nowhere, beside the token */
  constructor(secrets: readonly string[] = []) {
    super(startWidgetService, ({ address }) => configurationOf(address, 0), [token, ...secrets]);
    beforeEach(() => this.service.widgets.clear());
  }
}
