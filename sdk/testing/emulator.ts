import type { Service } from "./response";
import { EmulatorClock } from "./clock";
import { defaultDialect, type EmulatorDialect, type ServiceName } from "./dialect";
import { toMilliseconds, type Duration } from "./duration";
import { FaultInjector } from "./fault-injector";
import type { Faults } from "./faults";
import { RequestJournal, type Journal } from "./journal";
import { ProvisioningPermissions, type ProvisioningTokenOptions } from "./provisioning/rights";
import {
  ProvisioningService,
  type ProvisioningEmulatorOptions,
  type ProvisioningInspection,
  type ProvisioningSetup,
} from "./provisioning/service";
import { Acl, type AclInspection, type AclSetup } from "./scheduler/acl";
import { SchedulerPermissions, type SchedulerTokenOptions } from "./scheduler/rights";
import type { SchedulerEvents } from "./scheduler/event-stream";
import {
  SchedulerService,
  type SchedulerEmulatorOptions,
  type SchedulerInspection,
} from "./scheduler/service";
import { checkedSeed, plant, type EmulatorSeed } from "./seed";
import type { SecretsEmulatorOptions } from "./secrets/scheduler/engine";
import type { SecretsPermissions, SecretsTokenOptions } from "./secrets/rights";
import { SecretsService, type SecretsInspection, type SecretsSetup } from "./secrets/service";
import { RunningService, type ServiceEmulator } from "./running-service";
import type { EmulatorTls, Server } from "./server";
import { newToken, Tokens } from "./tokens";

/** All options are optional. */
export interface EmulatorOptions {
  /** The name or address to listen on, also used in the addresses handed out. Default `127.0.0.1`. */
  readonly host?: string;
  /** Fixed ports. Default: any free port, another one at each start. */
  readonly ports?: Readonly<Partial<Record<ServiceName, number>>>;
  /** Fixed tokens. Default: random ones. */
  readonly tokens?: Readonly<Partial<Record<ServiceName, string>>>;
  /** The dialect of all services, or of each of them. Default `"documented"`. */
  readonly dialect?: EmulatorDialect | Readonly<Partial<Record<ServiceName, EmulatorDialect>>>;
  /** Default: plain HTTP. */
  readonly tls?: EmulatorTls;
  /** The initial contents of the services, restored by a reset. Default: empty. */
  readonly seed?: EmulatorSeed;
  /** The random seed of faults with a `probability`. Default 1. */
  readonly faultSeed?: number;
  /**
   * The time of a frozen clock, which only `emulator.advance` moves. Default: the clock runs, and `advance`
   * moves it ahead.
   */
  readonly frozenAt?: Date;
  /** Options of the provisioning service. */
  readonly provisioning?: ProvisioningEmulatorOptions;
  /** Options of the secrets service. */
  readonly secrets?: SecretsEmulatorOptions;
  /** Options of the scheduler. */
  readonly scheduler?: SchedulerEmulatorOptions;
}

/** The provisioning service. */
export interface ProvisioningEmulator extends ServiceEmulator<ProvisioningTokenOptions>, ProvisioningSetup {}

/** The secrets service. */
export interface SecretsEmulator extends ServiceEmulator<SecretsTokenOptions>, SecretsSetup {}

/** The scheduler. */
export interface SchedulerEmulator extends ServiceEmulator<SchedulerTokenOptions>, AclSetup {}

/** The state of all services, as plain data. */
export interface Inspection {
  /** The contents of the provisioning service. */
  readonly provisioning: ProvisioningInspection;
  /** The contents of the secrets service. */
  readonly secrets: SecretsInspection;
  /** The contents of the scheduler. */
  readonly scheduler: SchedulerInspection & AclInspection;
}

/** All three services, running on this machine. */
export interface Emulator {
  /** The provisioning service: its address, its tokens and its contents. */
  readonly provisioning: ProvisioningEmulator;
  /** The secrets service: its address, its tokens and its contents. */
  readonly secrets: SecretsEmulator;
  /** The scheduler: its address, its tokens and its contents. */
  readonly scheduler: SchedulerEmulator;
  /** Controls the scheduler's event stream. */
  readonly events: SchedulerEvents;
  /** The requests to the services, and their responses. */
  readonly journal: Journal;
  /** Makes the services fail. */
  readonly faults: Faults;
  /**
   * The addresses and tokens as environment variables (`PROVISIONING_ADDR` ...) for a program under test, and
   * the dialects (`PROVISIONING_DIALECT` ...) of services that do not speak the documented one.
   */
  readonly environment: Readonly<Record<string, string>>;
  /** The current time of the emulator. */
  now(): Date;
  /** Moves the emulator's time ahead; everything that is due by then happens before this returns. */
  advance(duration: Duration): void;
  /** A deep copy of the whole state. */
  inspect(): Inspection;
  /**
   * Resets state, journal, statistics, faults, clock and tokens to the start, with the contents of the seed.
   * Addresses and the services' own tokens stay the same. Requests in flight are aborted.
   */
  reset(): void;
  /** Closes all connections at once and stops. */
  close(): Promise<void>;
}

/**
 * Starts the emulator.
 *
 * @throws Error when a port is taken, the certificate and the key do not fit, or the seed is not valid: it names the
 *   member, as `seed.organizations[1].nmae`
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const seed = checkedSeed(options.seed);
  const clock = new EmulatorClock(options.frozenAt?.getTime());
  const journal = new RequestJournal();
  const faults = new FaultInjector(clock, options.faultSeed ?? 1, (name, listening) => {
    running.find((service) => service.name === name)?.server.setListening(listening);
  });
  let generation = 0;
  const dialect = (service: ServiceName): EmulatorDialect => dialectOf(options, service);
  const shared = { journal, faults, clock, generation: () => generation };

  const provisioning = new ProvisioningService(dialect("provisioning"), options.provisioning ?? {}, clock);
  const scheduler = new SchedulerService(
    dialect("scheduler"),
    options.scheduler ?? {},
    clock,
    (caller) => acl.recordOf(caller),
    (method, jwt) => acl.logIn(method, jwt),
  );
  const run = <Rights>(
    name: ServiceName,
    service: Service<Rights>,
    allRights: Rights,
  ): RunningService<Rights> => {
    const { host = "127.0.0.1", ports = {}, tls } = options;
    const tokens = new Tokens(options.tokens?.[name] ?? newToken(), allRights);
    const listening = { host, port: ports[name] ?? 0, tls, understandsList: name === "secrets" };
    return new RunningService(name, service, tokens, shared, listening);
  };
  const provisioningServer = run("provisioning", provisioning, new ProvisioningPermissions());
  const schedulerServer = run("scheduler", scheduler, new SchedulerPermissions());
  schedulerServer.tokens.onRevoked((caller) => scheduler.events.disconnectCaller(caller));
  const acl: Acl = new Acl(schedulerServer.tokens, scheduler.events, clock);
  const emulatedScheduler = { address: () => schedulerServer.server.address, tokens: acl };
  const secrets = new SecretsService(
    dialect("secrets"),
    options.secrets ?? {},
    clock,
    emulatedScheduler,
    () => secretsServer.tokens,
  );
  const secretsServer: RunningService<SecretsPermissions> = run(
    "secrets",
    secrets,
    secrets.permissionsOf({ displayName: "root" }),
  );

  const sow = (): void => {
    plant(seed, {
      provisioning: provisioning.areas.setup,
      secrets: secrets.areas.setup,
      scheduler: acl.setup,
      events: scheduler.events,
    });
  };
  sow();

  const running = [provisioningServer, secretsServer, schedulerServer];
  const close = async (): Promise<void> => {
    clock.reset();
    faults.clear();
    await Promise.all(running.map(async ({ server }) => server.close()));
  };
  const started = await Promise.allSettled(running.map(async ({ server }) => server.start()));
  const failure = started.find((outcome) => outcome.status === "rejected");
  if (failure !== undefined) {
    await close();
    throw failure.reason;
  }

  return {
    provisioning: Object.assign(
      provisioningServer.handle((token?: ProvisioningTokenOptions) => new ProvisioningPermissions(token)),
      provisioning.areas.setup,
    ),
    secrets: Object.assign(
      secretsServer.handle((token?: SecretsTokenOptions) => secrets.permissionsOf(token)),
      secrets.areas.setup,
    ),
    scheduler: Object.assign(
      schedulerServer.handle((token?: SchedulerTokenOptions) => new SchedulerPermissions(token?.access)),
      acl.setup,
    ),
    events: scheduler.events,
    journal,
    faults,
    get environment() {
      return environmentOf(running, options);
    },
    now: () => new Date(clock.now()),
    advance: (duration) => clock.advance(toMilliseconds(duration)),
    inspect: () =>
      structuredClone({
        provisioning: provisioning.areas.inspect(),
        secrets: secrets.areas.inspect(),
        scheduler: { ...scheduler.inspect(), ...acl.inspect() },
      }),
    reset() {
      generation += 1;
      clock.reset();
      faults.reset();
      provisioning.clear();
      secrets.areas.clear();
      scheduler.clear();
      acl.clear();
      for (const { tokens } of running) {
        tokens.reset();
      }
      journal.clear();
      sow();
    },
    close,
  };
}

function dialectOf({ dialect }: EmulatorOptions, service: ServiceName): EmulatorDialect {
  return (typeof dialect === "object" ? dialect[service] : dialect) ?? defaultDialect;
}

function environmentOf(
  services: readonly {
    readonly name: ServiceName;
    readonly server: Server;
    readonly tokens: { readonly main: string };
  }[],
  options: EmulatorOptions,
): Record<string, string> {
  return Object.fromEntries(
    services.flatMap(({ name, server, tokens }) => {
      const dialect = dialectOf(options, name);
      return [
        [`${name.toUpperCase()}_ADDR`, server.address],
        [`${name.toUpperCase()}_TOKEN`, tokens.main],
        ...(dialect === defaultDialect ? [] : [[`${name.toUpperCase()}_DIALECT`, dialect]]),
      ] as [string, string][];
    }),
  );
}
