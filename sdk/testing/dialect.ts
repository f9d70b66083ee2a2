import type { EmulatorOptions } from "./options";
import type { ServiceName } from "./service-name";

/** What the emulator speaks: as the services' documents say, or as the products with nearly the same wire do. */
export type EmulatorDialect = "documented" | "hashicorp";

/** What a service speaks, and what clients take it to speak, unless told otherwise. */
export const defaultDialect: EmulatorDialect = "documented";

/** The dialect of one service. */
export function dialectOf({ dialect }: EmulatorOptions, service: ServiceName): EmulatorDialect {
  return (typeof dialect === "object" ? dialect[service] : dialect) ?? defaultDialect;
}
