import type { Emulator } from "pulumi-trivium/testing";
import { providerStub } from "../../../sdk/resource/stub";
import type { Adapter } from "../../engine/support/adapter";
import type { Receiver } from "../../engine/support/receiver";
import { sharedProject } from "../../support/packed-library";
import { type Properties, ProviderProcess } from "../../support/provider-process";
import { declaredIn } from "./declared";
import type { FaultCase } from "./fault-case";
import { services, tokens } from "./laboratory";

/** The services in which something is created, and the receiver of their notifications. */
export interface Services {
  readonly emulator: Emulator;
  readonly receiver: Receiver;
}

/** What a process has to know to create a resource: it can be sent to another process. */
export interface Creation {
  readonly type: string;
  readonly adapter: Adapter;
  readonly configuration: Properties;
  /** The arguments in the program. */
  readonly args: Properties;
  /** Of the provider process. */
  readonly environment: Readonly<Record<string, string>>;
}

let marks = 0;

/**
 * Prepares empty services for the creation of a class.
 *
 * @param more arguments beside those of the case
 */
export async function prepareCreation(
  { emulator, receiver }: Services,
  faultCase: FaultCase,
  adapter: Adapter,
  { environment = {}, more = {} }: { environment?: Readonly<Record<string, string>>; more?: Properties } = {},
): Promise<Creation> {
  emulator.reset();
  marks += 1;
  const { made } = await declaredIn(emulator, receiver, faultCase, `creation${marks}q`);
  const configuration = Object.fromEntries(
    services.flatMap((name) => [
      [`trivium:${name}Address`, emulator[name].address],
      [`trivium:${name}Token`, tokens[name]],
      [`trivium:${name}MaxRetries`, "0"],
    ]),
  );
  return { type: faultCase.type, adapter, configuration, args: { ...made, ...more }, environment };
}

/** Starts the provider process of a creation. */
export async function startProvider({
  type,
  adapter,
  configuration,
  environment,
}: Creation): Promise<ProviderProcess> {
  if (adapter === "dynamic") {
    return ProviderProcess.start(sharedProject().path, configuration, environment);
  }
  const plugin = await ProviderProcess.startPlugin(configuration, environment);
  plugin.about = { urn: `urn:pulumi:test::faults::trivium:${type}::subject` };
  return plugin;
}

/** Checks the arguments, as the engine does before it creates. @returns the inputs of the creation */
export async function checkInputs(
  provider: ProviderProcess,
  { type, adapter, args }: Creation,
): Promise<Properties> {
  const hidden: Properties =
    adapter === "dynamic"
      ? { __provider: providerStub(type), __urn: `urn:pulumi:test::faults::trivium/${type}::subject` }
      : {};
  const { inputs, failures } = await provider.check(hidden, { ...args, ...hidden });
  if (failures.length > 0) {
    throw new Error(`The program is refused: ${JSON.stringify(failures)}`);
  }
  return inputs;
}
