import * as pulumi from "@pulumi/pulumi";
import { ConfigurationError } from "../base/errors";
import type { Provider } from "./provider";
import type { ConfigurationReader, Sources } from "./sources";

/** In a provider plugin, which has its own configuration, this replaces the stack configuration. */
let pluginConfiguration: ConfigurationReader | undefined;

export function usePluginConfiguration(configuration: ConfigurationReader): void {
  pluginConfiguration = configuration;
}

/** Outside Pulumi, the stack configuration is empty. */
export function programSources(): Sources {
  return {
    configuration: pluginConfiguration ?? { get: (key) => pulumi.runtime.getConfig(key) },
    environment: process.env,
    ...(isInlineProgram() ? { advice: inlineAdvice } : {}),
  };
}

const inlineAdvice =
  "In an inline program of the Automation API, functions run in your process and do not see the workspace's envVars: use process.env or the stack configuration.";

/** Only the Automation API loads the module that runs inline programs. */
function isInlineProgram(): boolean {
  return (
    pulumi.runtime.hasMonitor() &&
    Object.keys(require.cache).some((file) => /[\\/]automation[\\/]server\.js$/.test(file))
  );
}

export function sourcesOf(settings: Readonly<Record<string, string>>): Sources {
  return { configuration: { get: (key) => settings[key] }, environment: process.env };
}

// The SDK's types do not expose whether an output is known.
interface OutputInternals {
  readonly isKnown: Promise<boolean>;
  readonly promise: () => Promise<Readonly<Record<string, string>>>;
}

/**
 * A call that returns a promise cannot wait for values that are unknown in a preview.
 *
 * @throws ConfigurationError if the settings of the provider are not known yet
 */
export async function knownSources(
  functionName: string,
  provider: Provider | undefined,
  advice = `Use ${functionName}Output: its result is unknown until they exist.`,
): Promise<Sources> {
  if (provider === undefined) {
    return programSources();
  }
  const settings = provider.settings as unknown as OutputInternals;
  if (!(await settings.isKnown)) {
    throw new ConfigurationError(
      `${functionName} cannot be called yet: settings of its provider depend on resources that do not exist yet.`,
      { advice },
    );
  }
  return sourcesOf(await settings.promise());
}
