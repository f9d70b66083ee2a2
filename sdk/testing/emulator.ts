import { randomUUID } from "node:crypto";
import { isIP } from "node:net";
import { EmulatorClock } from "./clock";
import { type Duration, toMilliseconds } from "./duration";
import { Exchange, type SharedByServices } from "./exchange";
import { FaultInjector } from "./faults";
import { RequestJournal } from "./journal";
import {
  type ProvisioningInspection,
  ProvisioningService,
  type ProvisioningSetup,
} from "./provisioning/service";
import type { ProvisioningEmulatorOptions } from "./provisioning/types";
import type { ProvisioningTokenOptions } from "./provisioning/seeds";
import type { Service, ServiceBasics } from "./response";
import { EventStream } from "./scheduler/event-stream";
import { SchedulerService } from "./scheduler/service";
import type {
  AclInspection,
  AclSetup,
  SchedulerEmulatorOptions,
  SchedulerEvents,
  SchedulerInspection,
} from "./scheduler/types";
import type { SchedulerTokenOptions } from "./scheduler/seeds";
import { validSeed, applySeed, type EmulatorSeed } from "./seed";
import { SecretsService, type SecretsSetup } from "./secrets/service";
import type { SecretsEmulatorOptions, SecretsInspection } from "./secrets/types";
import type { SecretsTokenOptions } from "./secrets/seeds";
import { Server, type ServerOptions } from "./server";
import { newToken } from "./tokens";
import type { EmulatorDialect, EmulatorTls, Faults, Journal, ServiceEmulator, ServiceName } from "./types";
import type { TokenOptions } from "./schemas";
import { schedulerTraits } from "./scheduler/traits";

/** All options are optional. */
export interface EmulatorOptions {
  /**
   * The host name or address to listen on, which is also used in the returned addresses. Default `127.0.0.1`.
   */
  readonly host?: string;
  /** Fixed ports. Default: free ports, different at each start. */
  readonly ports?: Readonly<Partial<Record<ServiceName, number>>>;
  /** Fixed tokens. Default: random ones. */
  readonly tokens?: Readonly<Partial<Record<ServiceName, string>>>;
  /** The dialect of all services, or of each of them. Default `"documented"`. */
  readonly dialect?: EmulatorDialect | Readonly<Partial<Record<ServiceName, EmulatorDialect>>>;
  /** The certificates for HTTPS. Default: plain HTTP. */
  readonly tls?: EmulatorTls;
  /** The initial contents of the services, which a reset restores. Default: empty. */
  readonly seed?: EmulatorSeed;
  /** The random seed of faults with a `probability`. Default 1. */
  readonly faultSeed?: number;
  /**
   * The time of a frozen clock, which only `emulator.advance` moves forward. Default: the clock runs, and
   * `advance` moves it forward.
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
  /** Moves the emulator's time forward. Everything that is due by then happens before this method returns. */
  advance(duration: Duration): void;
  /** A deep copy of the whole state. */
  inspect(): Inspection;
  /**
   * Resets state, journal, statistics, faults, clock and tokens to their initial values, with the contents of
   * the seed. Addresses and the services' own tokens stay the same. Requests in flight are aborted.
   */
  reset(): void;
  /** Closes all connections at once and stops the emulator. */
  close(): Promise<void>;
}

class RunningService<Rights, Options extends TokenOptions> {
  readonly server: Server;

  /** @param service returns the current service, because a reset replaces it */
  constructor(
    readonly name: ServiceName,
    private readonly service: () => Service<Rights, Options>,
    private readonly shared: SharedByServices & { readonly lifetime: () => AbortSignal },
    listening: ServerOptions,
  ) {
    this.server = new Server(listening, (message, response) => {
      const parts = { name, service: service(), ended: shared.lifetime(), address: this.server.address };
      void new Exchange({ ...shared, ...parts }, message, response).run();
    });
  }

  environment(dialect: EmulatorDialect): Record<string, string> {
    const prefix = this.name.toUpperCase();
    return {
      [`${prefix}_ADDR`]: this.server.address,
      [`${prefix}_TOKEN`]: this.service().tokens.main,
      ...(dialect === "documented" ? {} : { [`${prefix}_DIALECT`]: dialect }),
    };
  }

  handle<Setup extends object>(setup: () => Setup): ServiceEmulator<Options> & Setup {
    const { server, service, name, shared } = this;
    const handle: ServiceEmulator<Options> = {
      get address() {
        return server.address;
      },
      get token() {
        return service().tokens.main;
      },
      get statistics() {
        return shared.journal.statistics(name);
      },
      addToken: (options) => service().tokens.add(options ?? {}, service().permissionsOf(options)),
      revokeToken: (token) => void service().tokens.revoke(token),
      rotateToken: (token) => service().tokens.rotate(token),
    };
    return Object.assign(handle, withCopies(setup));
  }
}

type Method = (...values: readonly unknown[]) => unknown;

/** Copies the arguments and results of each method, so that a test never holds a record itself. */
function withCopies<Setup extends object>(setup: () => Setup): Setup {
  const methods = Object.keys(setup()).map((name) => [
    name,
    (...values: readonly unknown[]) => {
      const method = Reflect.get(setup(), name) as Method;
      const result = method(...structuredClone(values));
      return result instanceof Promise ? (result as unknown) : structuredClone(result);
    },
  ]);
  return Object.fromEntries(methods) as Setup;
}

/**
 * Starts the emulator.
 *
 * @throws Error if a port is taken, the certificate and the key do not match, or the seed is not valid; the
 * error then names the member, such as `seed.organizations[1].nmae`
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const { host = "127.0.0.1" } = options;
  // With an empty string, it would listen on every address of the machine.
  if (!isHost(host)) {
    throw new Error(`${JSON.stringify(host)} is not the name or address of a host, such as 127.0.0.1.`);
  }
  const seed = validSeed(options.seed);
  const clock = new EmulatorClock(options.frozenAt?.getTime());
  const journal = new RequestJournal();
  const faults = new FaultInjector(clock, options.faultSeed ?? 1, (name, listening) => {
    running.find((service) => service.name === name)?.server.setListening(listening);
  });
  const nomad = schedulerTraits[dialectOf(options, "scheduler")];
  const events = new EventStream(clock, nomad, options.scheduler ?? {});
  const schedulerToken = nomad.tokensAreUuids ? randomUUID() : newToken();
  const generatedTokens = { provisioning: newToken(), secrets: newToken(), scheduler: schedulerToken };
  let lifetime = new AbortController();
  const createBasics = (name: ServiceName): ServiceBasics => {
    const token = options.tokens?.[name] ?? generatedTokens[name];
    const address = (): string => emulator[name].address;
    return { clock, dialect: dialectOf(options, name), token, address, ended: lifetime.signal };
  };
  const createServices = () => {
    const schedulerService = new SchedulerService(createBasics("scheduler"), events, options.scheduler);
    return {
      provisioning: new ProvisioningService(createBasics("provisioning"), options.provisioning ?? {}),
      secrets: new SecretsService(createBasics("secrets"), options.secrets ?? {}, {
        address: (): string => scheduler.server.address,
        tokens: schedulerService.acl,
      }),
      scheduler: schedulerService,
    };
  };
  let services = createServices();

  const shared = { journal, faults, clock, lifetime: () => lifetime.signal };
  const createRunning = <Rights, Options extends TokenOptions>(
    name: ServiceName,
    service: () => Service<Rights, Options>,
  ) => {
    const { ports = {}, tls } = options;
    const listening = { host, port: ports[name] ?? 0, tls, acceptsList: name === "secrets" };
    return new RunningService(name, service, shared, listening);
  };
  const provisioning = createRunning("provisioning", () => services.provisioning);
  const secrets = createRunning("secrets", () => services.secrets);
  const scheduler = createRunning("scheduler", () => services.scheduler);
  const running = [provisioning, secrets, scheduler];

  const emulator: Emulator = {
    provisioning: provisioning.handle(() => services.provisioning.areas.setup),
    secrets: secrets.handle(() => services.secrets.areas.setup),
    scheduler: scheduler.handle(() => services.scheduler.acl.setup),
    events,
    journal,
    faults,
    get environment() {
      const environments = running.map((service) => service.environment(dialectOf(options, service.name)));
      return Object.assign({}, ...environments) as Record<string, string>;
    },
    now: () => new Date(clock.now()),
    advance: (duration) => clock.advance(toMilliseconds(duration)),
    inspect: () =>
      structuredClone({
        provisioning: services.provisioning.areas.inspect(),
        secrets: services.secrets.areas.inspect(),
        scheduler: { ...events.inspect(), ...services.scheduler.acl.inspect() },
      }),
    reset() {
      lifetime.abort(new Error("the emulator was reset"));
      lifetime = new AbortController();
      clock.reset();
      faults.reset();
      events.clear();
      journal.clear();
      services = createServices();
      applySeed(seed, emulator);
    },
    async close() {
      lifetime.abort(new Error("the emulator was closed"));
      clock.reset();
      faults.clear();
      await Promise.all(running.map(async ({ server }) => server.close()));
    },
  };
  applySeed(seed, emulator);
  const started = await Promise.allSettled(running.map(async ({ server }) => server.start()));
  const failure = started.find((outcome) => outcome.status === "rejected");
  if (failure !== undefined) {
    await emulator.close();
    throw failure.reason;
  }
  return emulator;
}

function isHost(text: string): boolean {
  return isIP(text) !== 0 || /^[\p{L}\p{N}](?:[\p{L}\p{N}._-]*[\p{L}\p{N}.])?$/u.test(text);
}

function dialectOf({ dialect }: EmulatorOptions, service: ServiceName): EmulatorDialect {
  return (typeof dialect === "object" ? dialect[service] : dialect) ?? "documented";
}
