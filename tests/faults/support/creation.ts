import { pluginToken, providerStub, typeToken } from "../../../sdk/resource/state/encoding";
import type { Adapter } from "../../engine/support/adapter";
import { type Properties, ProviderProcess } from "../../support/provider-process";
import { inClear } from "../../support/values";

/** What the engine passes to a provider. */
export interface Creation {
  readonly type: string;
  readonly adapter: Adapter;
  readonly directory: string;
  readonly configuration: Properties;
  readonly args: Properties;
  readonly environment: Readonly<Record<string, string>>;
}

export async function startProvider({
  type,
  adapter,
  directory,
  configuration,
  environment,
}: Creation): Promise<ProviderProcess> {
  const isDynamic = adapter === "dynamic";
  const provider = isDynamic
    ? await ProviderProcess.start(directory, configuration, environment)
    : await ProviderProcess.startPlugin(configuration, environment);
  const token = isDynamic ? typeToken(type) : pluginToken(type);
  provider.about = { urn: `urn:pulumi:test::faults::${token}::subject` };
  return provider;
}

/** The engine checks the arguments before a creation. @returns the checked inputs */
export async function checkInputs(
  provider: ProviderProcess,
  { type, adapter, args }: Creation,
): Promise<Properties> {
  const hidden: Properties =
    adapter === "dynamic" ? { __provider: providerStub(type), __urn: "test::faults::::subject" } : {};
  const { inputs, failures } = await provider.check(hidden, { ...args, ...hidden });
  if (failures.length > 0) {
    throw new Error(`The program is refused: ${JSON.stringify(failures)}`);
  }
  // Dynamic providers do not accept secrets.
  return adapter === "dynamic" ? inClear(inputs) : inputs;
}
