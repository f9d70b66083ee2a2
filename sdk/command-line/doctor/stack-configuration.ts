import type { ConfigurationReader } from "../../connection/sources";
import { processRedactor } from "../../base/redactor";
import { isObject } from "../../base/json";
import { askPulumi, unreadable } from "../pulumi-cli";

export interface StackConfiguration extends ConfigurationReader {
  readonly keys: readonly string[];
}

/** Also registers the stack's secrets for redaction. */
export async function readStackConfiguration(
  stack: string,
  signal: AbortSignal,
): Promise<StackConfiguration> {
  const what = `The configuration of the stack ${stack}`;
  const args = ["config", "--show-secrets", "--json", "--stack", stack];
  const values = new Map<string, string>();
  for (const [key, entry] of Object.entries(configurationIn(await askPulumi(args, signal, what), what))) {
    if (isObject(entry) && typeof entry.value === "string") {
      values.set(key, entry.value);
      processRedactor.register(entry.secret === true ? entry.value : undefined);
    }
  }
  return {
    keys: [...values.keys()],
    get: (key) => values.get(key),
    describe: (key) => (values.has(key) ? `the configuration value ${key} of the stack ${stack}` : undefined),
  };
}

function configurationIn(text: string, what: string): object {
  try {
    const configuration: unknown = JSON.parse(text);
    if (isObject(configuration)) {
      return configuration;
    }
  } catch {
    // The error below covers it.
  }
  throw unreadable(what, "the output of the Pulumi CLI is not a configuration.");
}
