import assert from "node:assert/strict";
import { providerStub } from "../../../sdk/resource/state/encoding";
import { configurationWithoutRetries } from "../../support/fake-engine";
import { sharedProject } from "../../support/packed-library";
import { type Properties, ProviderProcess } from "../../support/provider-process";
import { useEmulator } from "../../support/use-emulator";
import { useRunning } from "../../support/use-running";

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
      secrets.forEach((text) => assert.ok(!shown.includes(text), `${text} is shown: ${shown}`));
      assert.doesNotMatch(shown, /^\s+at .+:\d+/m, "a stack is shown");
    }
  }
}

/** The text in state by which the engine finds what manages projects. */
export const projectStub = providerStub("provisioning:Project");

/** The service's token, which may appear nowhere. */
export const token = "canary-token-2b7e15";

/** Inputs of a project as the engine hands them to a provider. */
export function projectInputs(args: Properties): Properties {
  return { ...args, __provider: projectStub };
}

/** What the tests of one file share: the emulator, and a provider process that is configured for it. */
export class ProvisioningContract {
  private readonly processes = new Processes();
  private organizations = 0;
  readonly emulator = useEmulator({ resets: false, tokens: { provisioning: token } });
  readonly provider = useRunning(
    "a provider process",
    () => this.start(),
    () => this.processes.stop([token]),
  );

  /** Starts both before the tests of the surrounding `describe`, and stops them after. */
  constructor(private readonly maxRetries = 0) {}

  /** The identity of the service, as state has it. */
  get place(): string {
    return `${this.emulator.provisioning.address}/api/v2`;
  }

  /** Another process, for what can only be said at its start. */
  start(configuration: Properties = {}, environment: NodeJS.ProcessEnv = {}): Promise<ProviderProcess> {
    const retries = { "trivium:provisioningMaxRetries": String(this.maxRetries) };
    const whole = { ...configurationWithoutRetries(this.emulator), ...retries, ...configuration };
    return this.processes.start(whole, environment);
  }

  /** A new organization: what a process remembers of one does not matter to another. */
  organization(): string {
    this.organizations += 1;
    const name = `organization-${this.organizations}`;
    this.emulator.provisioning.addOrganization({ name });
    return name;
  }

  /** A project in an organization of its own, as a program makes it. */
  async project() {
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
