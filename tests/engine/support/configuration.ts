import type * as trivium from "pulumi-trivium";
import type { Emulator } from "pulumi-trivium/testing";
import type { ServiceName } from "../../cases/support/test-services";

/** By full key. */
export type Configuration = Readonly<Record<string, string | { readonly secret: string }>>;

export function connectionTo(emulator: Emulator, service: ServiceName): trivium.ProviderArgs {
  const { address, token } = emulator[service];
  return { [service]: { address, token } };
}

export function configurationOf(connection: trivium.ProviderArgs): Configuration {
  return Object.fromEntries(
    Object.entries(connection).flatMap(([service, settings]) =>
      Object.entries(settings as Readonly<Record<string, string>>).map(([setting, value]) => [
        `trivium:${service}${setting.charAt(0).toUpperCase()}${setting.slice(1)}`,
        setting === "token" ? { secret: value } : value,
      ]),
    ),
  );
}
