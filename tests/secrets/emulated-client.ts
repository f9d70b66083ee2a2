import { secretsService } from "../../sdk/secrets/service";
import { connect } from "../../sdk/connection/connect";
import type { Caller } from "../../sdk/base/caller";
import type { SecretsClient } from "../../sdk/secrets/client";
import type { Emulator } from "../../sdk/testing";

/**
 * A client of the emulated secrets service, over real HTTP. Nothing is retried.
 *
 * @param settings stack configuration that goes before
 */
export function secretsClientOf(
  emulator: Emulator,
  caller: Partial<Caller> = {},
  settings: Readonly<Record<string, string>> = {},
): SecretsClient {
  const environment = {
    SECRETS_ADDR: emulator.secrets.address,
    SECRETS_TOKEN: emulator.secrets.token,
    SECRETS_MAX_RETRIES: "0",
  };
  const configuration = { get: (key: string) => settings[key] };
  const complete: Caller = {
    signal: new AbortController().signal,
    progress: () => undefined,
    announce: () => undefined,
    ...caller,
  };
  const connection = connect({ configuration, environment }, secretsService);
  return connection.clientFor(complete);
}
