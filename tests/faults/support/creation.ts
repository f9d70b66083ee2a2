import assert from "node:assert/strict";
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
  readonly environment?: Readonly<Record<string, string>>;
}

export async function startProvider(creation: Creation): Promise<ProviderProcess> {
  const { type, adapter, directory, configuration, environment } = creation;
  const isDynamic = adapter === "dynamic";
  const provider = isDynamic
    ? await ProviderProcess.start(directory, configuration, environment)
    : await ProviderProcess.startPlugin(configuration, environment);
  const token = isDynamic ? typeToken(type) : pluginToken(type);
  provider.about = { urn: `urn:pulumi:test::faults::${token}::subject` };
  return provider;
}

/** As the engine does it, which checks the arguments first. */
export async function create(provider: ProviderProcess, { type, adapter, args }: Creation) {
  const isDynamic = adapter === "dynamic";
  const hidden: Properties = isDynamic
    ? { __provider: providerStub(type), __urn: "test::faults::::subject" }
    : {};
  const { inputs, failures } = await provider.check(hidden, { ...args, ...hidden });
  assert.deepEqual(failures, [], "The program is refused.");
  // Dynamic providers do not accept secrets.
  return provider.create(isDynamic ? inClear(inputs) : inputs);
}
