import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { ConfigurationReader } from "../../connection/sources";
import { processRedactor } from "../../http/redactor";
import { isObject } from "../../resource/json";

const run = promisify(execFile);
const longestConfiguration = 64 * 1024 * 1024;

/** A stack's configuration, whose keys can be listed. */
export interface StackConfiguration extends ConfigurationReader {
  readonly keys: readonly string[];
}

/**
 * Has the Pulumi CLI read a stack's configuration, which decrypts it. Its secrets are kept out of everything that is
 * shown from then on.
 *
 * @throws Error in words for people, when there is no CLI, no such stack, or no project in the working directory
 */
export async function readStackConfiguration(
  stack: string,
  signal: AbortSignal,
): Promise<StackConfiguration> {
  const values = valuesIn(await askCli(stack, signal));
  if (values === undefined) {
    throw unreadable(stack, "what the Pulumi CLI answers is no configuration.");
  }
  return {
    keys: [...values.keys()],
    get: (key) => values.get(key),
    describe: (key) => (values.has(key) ? `the configuration ${key} of the stack ${stack}` : undefined),
  };
}

async function askCli(stack: string, signal: AbortSignal): Promise<string> {
  const args = ["config", "--show-secrets", "--json", "--non-interactive", "--stack", stack];
  // What the failure holds beside its reason may be secret, so it is no cause of the error that is thrown.
  const { stdout } = await run("pulumi", args, { signal, maxBuffer: longestConfiguration }).catch(
    (failure: unknown) => {
      throw unreadable(stack, reasonOf(failure));
    },
  );
  return stdout;
}

function unreadable(stack: string, reason: string): Error {
  return new Error(`The configuration of the stack ${stack} could not be read: ${reason}`);
}

/** Never from its standard output, which holds secrets. */
function reasonOf(error: unknown): string {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") {
    return "there is no Pulumi CLI on the PATH.";
  }
  const said = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
  return said === ""
    ? "the Pulumi CLI has not answered with it."
    : `the Pulumi CLI says: ${said.replace(/\s+/g, " ").replace(/^error: /, "")}`;
}

/** @returns `undefined` for what is no configuration */
function valuesIn(text: string): ReadonlyMap<string, string> | undefined {
  let configuration: unknown;
  try {
    configuration = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(configuration)) {
    return undefined;
  }
  const values = new Map<string, string>();
  for (const [key, entry] of Object.entries(configuration)) {
    if (isObject(entry) && typeof entry.value === "string") {
      values.set(key, entry.value);
      processRedactor.register(entry.secret === true ? entry.value : undefined);
    }
  }
  return values;
}
