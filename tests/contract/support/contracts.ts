import assert from "node:assert/strict";
import { providerStub } from "../../../sdk/resource/state/encoding";
import { configurationWithoutRetries } from "../../support/fake-engine";
import { sharedProject } from "../../support/packed-library";
import { type Properties, ProviderProcess } from "../../support/provider-process";
import { useEmulator } from "../../support/use-emulator";
import { useRunning } from "../../support/use-running";

/** The text in state that the engine uses to find what manages projects. */
export const projectStub = providerStub("provisioning:Project");

/** The service's token, which must not appear anywhere. */
export const token = "canary-token-2b7e15";

/** Inputs of a project as the engine hands them to a provider. */
export function projectInputs(args: Properties): Properties {
  return { ...args, __provider: projectStub };
}

/** Provider processes of one suite, all with the packed library. */
export class Processes {
  private readonly started: ProviderProcess[] = [];

  async start(configuration: Properties): Promise<ProviderProcess> {
    const provider = await ProviderProcess.start(sharedProject().path, configuration);
    this.started.push(provider);
    return provider;
  }

  /** Stops all processes. None must have shown a secret, or printed the result of a call. */
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

/** What the tests of one suite share: an emulator, and provider processes that use it. */
export class ProvisioningContract {
  private readonly processes = new Processes();
  private organizations = 0;
  readonly emulator = useEmulator({ resets: false, tokens: { provisioning: token } });
  readonly provider = useRunning(
    "a provider process",
    () => this.start(),
    () => this.processes.stop([token]),
  );

  constructor(private readonly maxRetries = 0) {}

  /** The identity of the service, as state has it. */
  get place(): string {
    return `${this.emulator.provisioning.address}/api/v2`;
  }

  /** Another process. */
  start(configuration: Properties = {}): Promise<ProviderProcess> {
    const retries = { "trivium:provisioningMaxRetries": String(this.maxRetries) };
    const whole = { ...configurationWithoutRetries(this.emulator), ...retries, ...configuration };
    return this.processes.start(whole);
  }

  /** A new organization: what a process remembers of one does not matter to another. */
  organization(): string {
    const name = `organization-${(this.organizations += 1)}`;
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
    const { projects } = this.emulator.inspect().provisioning;
    return projects.flatMap((each) =>
      each.organization === organization && !each.isDefault ? [each.name] : [],
    );
  }
}
