import { type Emulator, startEmulator } from "pulumi-trivium/testing";
import type { Surroundings } from "../../support/lifecycle";

/** The token of the secrets service, which may be shown nowhere. */
export const secretsToken = "canary-secrets-token-8d2f61";

/** The token of the scheduler, which may be shown nowhere. */
export const managementToken = "canary-management-token-51c0";

/** A mount beside the usual one. */
export const otherMount = "teams/eu/scheduler";

/** An emulator with the scheduler engine at two paths. */
export async function schedulerEngine(): Promise<Emulator> {
  const emulator = await startEmulator({ tokens: { secrets: secretsToken, scheduler: managementToken } });
  emulator.secrets.addMount({ type: "scheduler", path: otherMount });
  return emulator;
}

/** Stack configuration for the secrets service of an emulator. */
export function configurationFor({ secrets }: Emulator): Surroundings["configuration"] {
  return {
    "trivium:secretsAddress": secrets.address,
    "trivium:secretsToken": { secret: secretsToken },
  };
}

/** @param objects the objects of the kind in question */
export function surroundingsOf(emulator: Emulator, objects: Surroundings["objects"]): Surroundings {
  return {
    configuration: configurationFor(emulator),
    objects,
    requests: () => emulator.journal.count(),
    close: () => emulator.close(),
  };
}
