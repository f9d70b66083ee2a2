/** The three services which the emulator plays. */
export type ServiceName = "provisioning" | "secrets" | "scheduler";

export const serviceNames: readonly ServiceName[] = ["provisioning", "secrets", "scheduler"];
