/** The three services which the emulator plays. */
export type ServiceName = "provisioning" | "secrets" | "scheduler";

export const serviceNames: readonly ServiceName[] = ["provisioning", "secrets", "scheduler"];

/** What the emulator speaks: as the services' documents say, or as the products with nearly the same wire do. */
export type EmulatorDialect = "documented" | "hashicorp";

/** What a service speaks, and what clients take it to speak, unless told otherwise. */
export const defaultDialect: EmulatorDialect = "documented";
