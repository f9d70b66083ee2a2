import { advisedOtherwise, ConnectionError, ServiceError, TriviumError } from "../../base/errors";
import type { SecretsClient } from "../client";
import { readConfiguration } from "./config";

/**
 * Does something for which the engine has to work on the directory, and explains what the service does not say
 * when it fails: without a configuration some servers only drop the connection.
 *
 * @param ifLost what may have happened, and how to go on, when the answer is lost
 */
export async function onDirectory<Result>(
  client: SecretsClient,
  mount: string,
  work: () => Promise<Result>,
  ifLost?: string,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!TriviumError.isInstance(error)) {
      throw error;
    }
    const hint =
      (await missingConfiguration(client, mount, error)) ??
      refusedBind(error) ??
      (error.mayHaveBeenProcessed ? ifLost : undefined);
    throw hint === undefined ? error : advisedOtherwise(error, hint);
  }
}

async function missingConfiguration(
  client: SecretsClient,
  mount: string,
  error: TriviumError,
): Promise<string | undefined> {
  const dropped = ConnectionError.isInstance(error) && error.mayHaveBeenProcessed;
  if (!dropped && !said(error, /missing LDAP configuration|config is currently unset/i)) {
    return undefined;
  }
  // That it cannot be read must not hide the failure itself.
  const configured = await readConfiguration(client, mount).then(
    (configuration) => configuration !== undefined,
    () => true,
  );
  return configured
    ? undefined
    : `The mount ${mount} has no directory configuration: write it first, and let this depend on it ` +
        "(secrets.directory.Config, dependsOn).";
}

function refusedBind(error: TriviumError): string | undefined {
  return said(error, /LDAP Result Code 49\b/i)
    ? "The directory refuses the password that the engine binds with: if it was rotated or changed outside the " +
        "service, set it anew in the directory and in bindpass of the configuration."
    : undefined;
}

function said(error: TriviumError, words: RegExp): boolean {
  return ServiceError.isInstance(error) && error.words.some((text) => words.test(text));
}
