import type { EmulatorDialect } from "./dialect";
import type { Duration } from "./duration";
import type { SchedulerReads } from "./secrets/scheduler/reads";
import type { EmulatorSeed } from "./seed";
import type { ServiceName } from "./service-name";

/** Makes the emulator serve HTTPS. All are PEM texts. */
export interface EmulatorTls {
  readonly key: string;
  /** The server's certificate, with intermediate ones after it. */
  readonly certificate: string;
  /** When given, clients must show a certificate that this authority signed. */
  readonly clientCertificateAuthority?: string;
}

/** How the provisioning service is emulated. */
export interface ProvisioningEmulatorOptions {
  /** Longest name of a project, in characters. Default 36; 40 in the hashicorp dialect. */
  readonly projectNameLimit?: number;
  /** How long the receiver of a notification may take to answer, in real time. Default 10 s. */
  readonly receiverTimeout?: Duration;
  /**
   * How many requests of one token in a second of the emulator's time are answered, the others with 429; only in the
   * hashicorp dialect, since the documents know no limit. Default: every one, although headers announce 30.
   */
  readonly requestsPerSecond?: number;
  /** PEM text of the authority to trust in receivers' HTTPS certificates. Default: those that Node trusts. */
  readonly receiverCertificateAuthority?: string;
}

/** How the secrets service is emulated. */
export interface SecretsEmulatorOptions {
  /**
   * What the scheduler engine answers to reads: `"documented"`, as the documents say (`address` alone for the access
   * configuration; `token_type` and `lease` for a role), or `"real"`, as real servers do (all but the secrets for
   * the access configuration; `type` and `global` for a role). Default `"documented"`, in the hashicorp dialect
   * `"real"`.
   */
  readonly schedulerReads?: SchedulerReads;
  /**
   * Whether the scheduler engine issues tokens of the emulated scheduler whatever its access configuration says
   * (`"any"`), or fails as a real one does unless that has the emulated scheduler's address and a management token
   * of it (`"checked"`). What is not configured is right, as from the service's environment. Default `"any"`.
   */
  readonly schedulerAccess?: "any" | "checked";
}

/** How the scheduler is emulated. */
export interface SchedulerEmulatorOptions {
  /** How many frames the event stream keeps for subscribers that come later or read slowly. Default 100. */
  readonly eventBufferSize?: number;
}

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
