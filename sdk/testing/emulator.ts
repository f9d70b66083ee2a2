import { EmulatorClock } from "./clock";
import { toMilliseconds } from "./duration";
import { Exchange, type SharedByServices } from "./exchange";
import { FaultInjector } from "./faults";
import { RequestJournal } from "./journal";
import { ProvisioningService } from "./provisioning/service";
import type { ProvisioningInspection, ProvisioningSetup } from "./provisioning/service";
import type { ProvisioningEmulatorOptions, ProvisioningTokenOptions } from "./provisioning/types";
import type { Service, ServiceBasics } from "./response";
import { SchedulerService } from "./scheduler/service";
import type { AclInspection, AclSetup, SchedulerEmulatorOptions } from "./scheduler/types";
import type { SchedulerEvents, SchedulerInspection, SchedulerTokenOptions } from "./scheduler/types";
import { checkedSeed, plant, type EmulatorSeed } from "./seed";
import { SecretsService, type SecretsInspection, type SecretsSetup } from "./secrets/service";
import type { SecretsEmulatorOptions, SecretsTokenOptions } from "./secrets/types";
import { Server, type ServerOptions } from "./server";
import { newToken } from "./tokens";
import type { Duration, EmulatorDialect, EmulatorTls, Faults, Journal, ServiceEmulator } from "./types";
import type { ServiceName, TokenOptions } from "./types";

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

class RunningService<Rights, Options extends TokenOptions> {
  readonly server: Server;

  constructor(
    readonly name: ServiceName,
    private readonly service: Service<Rights, Options>,
    private readonly shared: SharedByServices,
    listening: ServerOptions,
  ) {
    const parts = { ...shared, name, service, address: () => this.server.address };
    this.server = new Server(listening, (message, response) => {
      void new Exchange(parts, message, response).run();
    });
  }

  get token(): string {
    return this.service.tokens.main;
  }

  handle<Setup extends object>(setup: Setup): ServiceEmulator<Options> & Setup {
    const { server, service, name, shared } = this;
    const handle: ServiceEmulator<Options> = {
      get address() {
        return server.address;
      },
      get token() {
        return service.tokens.main;
      },
      get statistics() {
        return shared.journal.statistics(name);
      },
      addToken: (options) => service.tokens.add(options ?? {}, service.permissionsOf(options)),
      revokeToken: (token) => void service.tokens.revoke(token),
      rotateToken: (token) => service.tokens.rotate(token),
    };
    return Object.assign(handle, setup);
  }
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
  const shared = { journal, faults, clock, generation: () => generation };
  const basicsOf = (name: ServiceName): ServiceBasics => {
    return { clock, dialect: dialectOf(options, name), token: options.tokens?.[name] ?? newToken() };
  };
  const run = <Rights, Options extends TokenOptions>(
    name: ServiceName,
    service: Service<Rights, Options>,
  ) => {
    const { host = "127.0.0.1", ports = {}, tls } = options;
    const listening = { host, port: ports[name] ?? 0, tls, understandsList: name === "secrets" };
    return new RunningService(name, service, shared, listening);
  };

  const provisioning = new ProvisioningService(basicsOf("provisioning"), options.provisioning ?? {});
  const provisioningServer = run("provisioning", provisioning);
  const scheduler = new SchedulerService(basicsOf("scheduler"), options.scheduler ?? {});
  const schedulerServer = run("scheduler", scheduler);
  const secrets = new SecretsService(basicsOf("secrets"), options.secrets ?? {}, {
    address: () => schedulerServer.server.address,
    tokens: scheduler.acl,
  });
  const secretsServer = run("secrets", secrets);

  const sow = (): void => {
    plant(seed, {
      provisioning: provisioning.areas.setup,
      secrets: secrets.areas.setup,
      scheduler: scheduler.acl.setup,
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
    provisioning: provisioningServer.handle(provisioning.areas.setup),
    secrets: secretsServer.handle(secrets.areas.setup),
    scheduler: schedulerServer.handle(scheduler.acl.setup),
    events: scheduler.events,
    journal,
    faults,
    get environment() {
      return Object.assign({}, ...running.map((service) => environmentOf(service, options))) as Record<
        string,
        string
      >;
    },
    now: () => new Date(clock.now()),
    advance: (duration) => clock.advance(toMilliseconds(duration)),
    inspect: () =>
      structuredClone({
        provisioning: provisioning.areas.inspect(),
        secrets: secrets.areas.inspect(),
        scheduler: scheduler.inspect(),
      }),
    reset() {
      generation += 1;
      clock.reset();
      faults.reset();
      for (const service of [provisioning, secrets, scheduler]) {
        service.clear();
        service.tokens.reset();
      }
      journal.clear();
      sow();
    },
    close,
  };
}

function dialectOf({ dialect }: EmulatorOptions, service: ServiceName): EmulatorDialect {
  return (typeof dialect === "object" ? dialect[service] : dialect) ?? "documented";
}

function environmentOf(
  { name, server, token }: Pick<RunningService<never, never>, "name" | "server" | "token">,
  options: EmulatorOptions,
): Record<string, string> {
  const dialect = dialectOf(options, name);
  const prefix = name.toUpperCase();
  return {
    [`${prefix}_ADDR`]: server.address,
    [`${prefix}_TOKEN`]: token,
    ...(dialect === "documented" ? {} : { [`${prefix}_DIALECT`]: dialect }),
  };
}
