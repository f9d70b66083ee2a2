import { advisedOtherwise, ConnectionError, ServiceError, TriviumError } from "../../base/errors";
import type { SecretsClient } from "../client";
import { configurations } from "./config";

/** Explains errors that the service does not: without a configuration some servers only drop the connection. */
export async function onDirectory<Result>(client: SecretsClient, mount: string, work: () => Promise<Result>) {
  try {
    return await work();
  } catch (error) {
    const advice = await adviceFor(client, mount, error);
    throw advice !== undefined && TriviumError.isInstance(error) ? advisedOtherwise(error, advice) : error;
  }
}

async function adviceFor(client: SecretsClient, mount: string, error: unknown): Promise<string | undefined> {
  const words = ServiceError.isInstance(error) ? error.messages.join() : "";
  if (/LDAP Result Code 49\b/i.test(words)) {
    return (
      "The directory rejects the password that the engine binds with. If it was rotated or changed outside the " +
      "service, set a new password in the directory and in bindpass of the configuration."
    );
  }
  const dropped = ConnectionError.isInstance(error) && error.mayHaveBeenProcessed;
  if (!dropped && !/missing LDAP configuration|config is currently unset|config must exist/i.test(words)) {
    return undefined;
  }
  // A failed read must not hide the original error.
  const configuration = await configurations.read(client, { mount }).catch(() => ({}));
  return configuration === undefined
    ? `The mount ${mount} has no directory configuration. Create it first, and add it to the dependencies ` +
        "(secrets.directory.Config, dependsOn)."
    : undefined;
}
