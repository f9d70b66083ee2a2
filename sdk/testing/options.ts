import type { EmulatorDialect, ServiceName } from "./dialect";
import type { ProvisioningEmulatorOptions } from "./provisioning/service";
import type { SchedulerEmulatorOptions } from "./scheduler/service";
import type { SecretsEmulatorOptions } from "./secrets/scheduler/engine";
import type { EmulatorSeed } from "./seed";
import type { EmulatorTls } from "./server";

/** Everything is optional. */
export interface EmulatorOptions {
  /** The name or address to listen on, also used in the addresses handed out. Default `127.0.0.1`. */
  readonly host?: string;
  /** Fixed ports. Default: any free port, another one at each start. */
  readonly ports?: Readonly<Partial<Record<ServiceName, number>>>;
  /** Fixed tokens. Default: random ones. */
  readonly tokens?: Readonly<Partial<Record<ServiceName, string>>>;
  /** What the services speak, all of them or each on its own. Default `"documented"`. */
  readonly dialect?: EmulatorDialect | Readonly<Partial<Record<ServiceName, EmulatorDialect>>>;
  /** Default: plain HTTP. */
  readonly tls?: EmulatorTls;
  /** What the services hold from the start, and again after a reset. Default: only what they always have. */
  readonly seed?: EmulatorSeed;
  /** Start of the sequence from which faults with a `probability` are drawn. Default 1. */
  readonly faultSeed?: number;
  /**
   * The time at which the emulator's clock stands still, moved by `emulator.advance` only. Default: the clock
   * runs, and `advance` puts it ahead.
   */
  readonly frozenAt?: Date;
  /** What concerns the provisioning service alone. */
  readonly provisioning?: ProvisioningEmulatorOptions;
  /** What concerns the secrets service alone. */
  readonly secrets?: SecretsEmulatorOptions;
  /** What concerns the scheduler alone. */
  readonly scheduler?: SchedulerEmulatorOptions;
}
