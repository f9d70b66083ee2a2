import { advisedOtherwise, ConnectionError, ServiceError, TriviumError } from "../../base/errors";
import type { SecretsClient } from "../client";
import { configurations, knownAttributes } from "./config";

/**
 * Explains errors that the service does not explain: without a configuration, some servers only drop the
 * connection.
 */
export async function onDirectory<Result>(client: SecretsClient, mount: string, work: () => Promise<Result>) {
  try {
    return await work();
  } catch (error) {
    const advice = await adviceFor(client, mount, error);
    throw advice !== undefined && TriviumError.isInstance(error) ? advisedOtherwise(error, advice) : error;
  }
}

/** The advice for each of the engine's messages. */
const advices: readonly (readonly [words: RegExp, advice: string])[] = [
  [
    /LDAP Result Code 49\b/i,
    "The directory rejects the engine's bind password. If the password was rotated or changed outside the service, " +
      "set a new one both in the directory and in the configuration's bindpass.",
  ],
  [
    /unable to generate password|no password policy/i,
    "Check that the password policy that passwordPolicy names, in the configuration or in the role, exists.",
  ],
  // The preview requires a period or a schedule.
  [
    /rotation_period is required/i,
    "The engine ignores rotationSchedule, which requires Vault Enterprise 2.0 for roles: set rotationPeriod instead.",
  ],
  [
    /unsupported userattr/i,
    `Set the configuration's userattr to one of these attributes, with the same capitals: ${knownAttributes.replaceAll(" ", ", ")}.`,
  ],
];

async function adviceFor(client: SecretsClient, mount: string, error: unknown): Promise<string | undefined> {
  const words = ServiceError.isInstance(error) ? error.messages.join() : "";
  const [, known] = advices.find(([pattern]) => pattern.test(words)) ?? [];
  if (known !== undefined) {
    return known;
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
