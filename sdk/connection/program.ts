import * as pulumi from "@pulumi/pulumi";
import { existsSync, writeSync } from "node:fs";
import { basename, delimiter, isAbsolute, join } from "node:path";
import { ConfigurationError } from "../base/errors";
import { nearestName } from "../base/nearest";
import { findProject, namesPlugin } from "../base/project-file";
import {
  type Adapter,
  adapterKey,
  configurationCommand,
  configurationKey,
  providerSettings,
  serviceNames,
} from "../base/settings";
import { showable } from "../base/shown-text";
import type { ConfigurationReader, Sources } from "./sources";

/** Replaces the stack configuration in a provider plugin, which has its own configuration. */
let pluginConfiguration: ConfigurationReader | undefined;

export function usePluginConfiguration(configuration: ConfigurationReader): void {
  pluginConfiguration = configuration;
}

/** Outside Pulumi, the stack configuration is empty. */
export function programSources(): Sources {
  return {
    configuration: pluginConfiguration ?? { get: (key) => pulumi.runtime.getConfig(key) },
    environment: process.env,
    ...(isInlineProgram() ? { advice: () => inlineAdvice } : {}),
  };
}

const inlineAdvice =
  "In an inline program of the Automation API, functions run in your process and cannot read the workspace's envVars: use process.env or the stack configuration.";

/**
 * Whether the Pulumi CLI started this program. It starts other programs, plugins and policies through a
 * command of the SDK.
 */
function isInlineProgram(): boolean {
  return (
    pulumi.runtime.hasMonitor() &&
    !Object.keys(require.cache).some((file) => /[\\/]@pulumi[\\/]pulumi[\\/]cmd[\\/]/.test(file))
  );
}

export function sourcesOf(settings: Readonly<Record<string, string>>): Sources {
  return { configuration: { get: (key) => settings[key] }, environment: process.env };
}

/** @throws ConfigurationError if the stack configuration has an invalid value */
export function adapter(): Adapter {
  const chosen = pulumi.runtime.getConfig(adapterKey) ?? "dynamic";
  if (chosen !== "dynamic" && chosen !== "plugin") {
    throw new ConfigurationError(`The configuration value ${adapterKey} must be "dynamic" or "plugin".`);
  }
  return chosen;
}

const prefix = "trivium:";

export function unknownKeys(keys: readonly string[]) {
  const known = [...providerSettings.map(({ key }) => key), adapterKey].map((key) =>
    key.slice(prefix.length),
  );
  return keys
    .filter((key) => key.startsWith(prefix) && !known.includes(key.slice(prefix.length)))
    .map((key) => {
      const near = nearestName(key.slice(prefix.length), known);
      const meant = near && `${prefix}${near}`;
      const problem = `${key} is not a valid configuration key, so it has no effect`;
      const removal = `Remove it with \`pulumi config rm ${key}\`.`;
      return { key, meant, problem, advice: meant ? `Did you mean ${meant}? ${removal}` : removal };
    });
}

/** @param isSecret whether the user set a key with `--secret` */
export function plainTokens(keys: readonly string[], isSecret: (key: string) => boolean) {
  const tokens = serviceNames.map((service) => configurationKey(service, "token"));
  return keys
    .filter((key) => tokens.includes(key) && !isSecret(key))
    .map((key) => ({
      key,
      problem: `${key} is stored in plain text`,
      advice: `Set it again with \`${configurationCommand(key, true)}\`, and replace the token if others could read it.`,
    }));
}

/** The SDK does not declare this function in its types. */
export function isSecretConfiguration(key: string): boolean {
  const { isConfigSecret } = pulumi.runtime as { readonly isConfigSecret?: (key: string) => boolean };
  return isConfigSecret?.(key) ?? true;
}

const examined = new WeakSet<pulumi.Resource>();

export function warnOfConfiguration(): void {
  // One process can run several programs, in sequence or in parallel. Unit tests have no stack.
  const program = pulumi.runtime.getStackResource();
  if (program === undefined || examined.has(program)) {
    return;
  }
  examined.add(program);
  // The plugin itself warns about unknown keys, for programs in all languages.
  if (adapter() === "plugin") {
    warnOfMissingPlugin();
    return;
  }
  const keys = Object.keys(pulumi.runtime.allConfig());
  for (const { problem, advice } of [...unknownKeys(keys), ...plainTokens(keys, isSecretConfiguration)]) {
    void pulumi.log.warn(showable(`${problem}. ${advice}`));
  }
}

/** Otherwise the CLI fails and advises to install a plugin that does not exist on any server. */
function warnOfMissingPlugin(): void {
  // The working directory is the directory of `main`, which can be outside the project. Old language hosts do
  // not pass the project's root.
  const root = pulumi.runtime.getRootDirectory();
  const directory = isAbsolute(root) ? root : process.cwd();
  const project = isInlineProgram() ? undefined : findProject(directory);
  if (project === undefined || namesPlugin(project.text)) {
    return;
  }
  const { PATH = "", PULUMI_DEBUG_PROVIDERS = "" } = process.env;
  const isOnPath = PATH.split(delimiter).some((each) => existsSync(join(each, "pulumi-resource-trivium")));
  if (!isOnPath && !PULUMI_DEBUG_PROVIDERS.includes("trivium")) {
    // The engine ends before it can receive a message.
    writeSync(
      process.stderr.fd,
      `warning: ${adapterKey} is "plugin", but ${basename(project.file)} does not list the plugin, so the Pulumi CLI looks for it on ` +
        "the internet and cannot find it there. Run `npx pulumi-trivium use-plugin`.\n",
    );
  }
}
