import { advisedOtherwise, ConnectionError, ServiceError, TriviumError } from "../../base/errors";
import type { SecretsClient } from "../client";
import { readConfiguration } from "./config";

/** Explains errors that the service does not: without a configuration some servers only drop the connection. */
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
    const advice =
      (await missingConfiguration(client, mount, error)) ??
      refusedBind(error) ??
      (error.mayHaveBeenProcessed ? ifLost : undefined);
    throw advice === undefined ? error : advisedOtherwise(error, advice);
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
  // A failed read must not hide the original error.
  const configured = await readConfiguration(client, mount).then(
    (configuration) => configuration !== undefined,
    () => true,
  );
  return configured
    ? undefined
    : `The mount ${mount} has no directory configuration. Create it first, and add it to the dependencies ` +
        "(secrets.directory.Config, dependsOn).";
}

function refusedBind(error: TriviumError): string | undefined {
  return said(error, /LDAP Result Code 49\b/i)
    ? "The directory rejects the password that the engine binds with. If it was rotated or changed outside the " +
        "service, set a new password in the directory and in bindpass of the configuration."
    : undefined;
}

function said(error: TriviumError, words: RegExp): boolean {
  return ServiceError.isInstance(error) && error.messages.some((text) => words.test(text));
}
