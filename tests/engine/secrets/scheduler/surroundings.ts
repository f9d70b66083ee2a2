import { type Emulator, startEmulator } from "pulumi-trivium/testing";
import { type Configuration, configurationOf, connectionTo } from "../../support/surroundings";

/** The token of the secrets service, which may be shown nowhere. */
const secretsToken = "canary-secrets-token-8d2f61";

/** The token of the scheduler, which may be shown nowhere. */
export const managementToken = "canary-management-token-51c0";

/** A mount beside the usual one. */
export const otherMount = "teams/eu/scheduler";

/** An emulator with the scheduler engine at two paths. */
export async function schedulerEngine(): Promise<Emulator> {
  const emulator = await startEmulator({
    tokens: { secrets: secretsToken, scheduler: managementToken },
  });
  emulator.secrets.addMount({ type: "scheduler", path: otherMount });
  return emulator;
}

/** The mount that is meant when a program names none. */
export function usualMount(emulator: Emulator): string {
  const { mounts } = emulator.inspect().secrets;
  const other = mounts.find(({ path }) => path === otherMount);
  return mounts.find(({ type, path }) => type === other?.type && path !== otherMount)?.path ?? "";
}

/** Stack configuration for the secrets service of an emulator. */
export function configurationFor(emulator: Emulator): Configuration {
  return configurationOf(connectionTo(emulator, "secrets"));
}
