import * as pulumi from "@pulumi/pulumi";
import { ConfigurationError } from "../base/errors";
import type { Provider } from "./provider";
import type { ConfigurationReader, Sources } from "./sources";

/** What stands for the stack configuration of a program in a provider plugin, which has its own. */
let pluginConfiguration: ConfigurationReader | undefined;

/** Has functions of this process find their settings in a provider plugin's configuration. */
export function usePluginConfiguration(configuration: ConfigurationReader): void {
  pluginConfiguration = configuration;
}

/** The sources of a program: its stack configuration, which is empty outside of Pulumi, then its environment. */
export function programSources(): Sources {
  return {
    configuration: pluginConfiguration ?? { get: (key) => pulumi.runtime.getConfig(key) },
    environment: process.env,
    ...(isInlineProgram() ? { advice: inlineAdvice } : {}),
  };
}

const inlineAdvice =
  "In an inline program of the Automation API functions run in your process, which does not see the workspace's envVars: set process.env or the stack's configuration.";

/** Only the Automation API loads the module that serves inline programs. */
function isInlineProgram(): boolean {
  return (
    pulumi.runtime.hasMonitor() &&
    Object.keys(require.cache).some((file) => /[\\/]automation[\\/]server\.js$/.test(file))
  );
}

/** The sources of a call that is made with an explicit provider. */
export function sourcesOf(settings: Readonly<Record<string, string>>): Sources {
  return { configuration: { get: (key) => settings[key] }, environment: process.env };
}

// The SDK keeps to itself whether an output is known.
interface OutputInternals {
  readonly isKnown: Promise<boolean>;
  readonly promise: () => Promise<Readonly<Record<string, string>>>;
}

/**
 * The sources of a call with a promise, which cannot wait for a preview's unknown values.
 *
 * @param hint what to do when the provider's settings are not known yet
 * @throws ConfigurationError when they are not
 */
export async function knownSources(
  functionName: string,
  provider: Provider | undefined,
  hint = `Use ${functionName}Output, whose result is then unknown until they do.`,
): Promise<Sources> {
  if (provider === undefined) {
    return programSources();
  }
  const settings = provider.settings as unknown as OutputInternals;
  if (!(await settings.isKnown)) {
    throw new ConfigurationError(
      `${functionName} cannot be called yet: settings of its provider come from resources that do not exist yet.`,
      { hint },
    );
  }
  return sourcesOf(await settings.promise());
}
