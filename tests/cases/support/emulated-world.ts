import type { Emulator } from "pulumi-trivium/testing";
import { SecretsApi } from "../../engine/support/api";
import { connectionTo } from "../../engine/support/surroundings";
import type { Dialect } from "./case";
import { bindPassword } from "./directory";
import { EmulatedProvisioning } from "./emulated-provisioning";
import type {
  Directory,
  EngineMounts,
  EngineType,
  Notification,
  SchedulerWorld,
  SecretsWorld,
  World,
} from "./world";

/** The tokens of the emulated services, which may be shown nowhere. */
export const emulatedTokens = {
  provisioning: "canary-provisioning-token-8d2f61",
  secrets: "canary-secrets-token-41c7e0",
  scheduler: "canary-scheduler-token-90ae",
};

/** What sets an emulated world apart. */
export interface EmulatedWorldOptions {
  readonly dialect: Dialect;
  /**
   * Part of every name that the world makes, where several worlds share an emulator, or a process remembers what it
   * was asked about. Default: usual names.
   */
  readonly mark?: string;
  /** Default: one of its own, which ends with the world. */
  readonly receiver?: { readonly address: string; readonly requests: readonly Notification[] };
  /** How long what is issued lives. Default: two hours. */
  readonly lifetime?: string;
}

/** A world that an emulator plays, which goes on when the world ends. */
export function worldOn(emulator: Emulator, options: EmulatedWorldOptions): World {
  const { dialect, mark, lifetime = "2h", receiver } = options;
  const provisioning = new EmulatedProvisioning(
    emulator,
    mark,
    receiver && (() => Promise.resolve({ ...receiver, close: () => Promise.resolve() })),
  );
  const world: World = {
    dialect,
    lifetime,
    freshName: (name) => (mark === undefined ? name : `${name}-${mark}`),
    surroundings(service, objects) {
      return {
        world,
        emulator,
        connection: connectionTo(emulator, service),
        objects: () => objects(emulator.inspect()).map((each) => ({ ...each })),
        requests: () => emulator.journal.count(),
        close: () => world.close(),
      };
    },
    provisioning,
    secrets: secretsOf(emulator, options),
    scheduler: schedulerOf(emulator),
    close: () => provisioning.close(),
  };
  return world;
}

const otherPaths: Readonly<Record<EngineType, string>> = {
  directory: "teams/eu/ldap",
  scheduler: "teams/eu/scheduler",
};

function secretsOf(emulator: Emulator, { dialect, mark, lifetime }: EmulatedWorldOptions): SecretsWorld {
  const { secrets } = emulator;
  const lives = lifetime === undefined ? {} : { defaultLeaseTtl: lifetime, maxLeaseTtl: lifetime };
  const own = (name: string): string => (mark === undefined ? name : `${name}-${mark}`);
  let entities = 0;
  let logins = 0;
  return {
    api: new SecretsApi(secrets.address, secrets.token, dialect),
    addEntity: () => Promise.resolve(secrets.addEntity({ name: own(`entity-${(entities += 1)}`) }).id),
    addTotpMethod: () => Promise.resolve(secrets.addTotpMethod({ issuer: "Acme" }).id),
    addLogin() {
      const path = `auth/${own("login")}-${(logins += 1)}`;
      return Promise.resolve(secrets.addMount({ type: "userpass", path }).accessor);
    },
    mount(engine): Promise<EngineMounts> {
      const otherMount = own(otherPaths[engine]);
      const { type } = secrets.addMount({ type: engine, path: otherMount, ...lives });
      if (mark !== undefined) {
        const { path } = secrets.addMount({ type: engine, path: own(engine), ...lives });
        return Promise.resolve({ mount: path, otherMount, given: { mount: path } });
      }
      const usual = emulator
        .inspect()
        .secrets.mounts.find((each) => each.type === type && each.path !== otherMount);
      return Promise.resolve({ mount: usual?.path ?? "", otherMount, given: {} });
    },
    directory: directoryOf(emulator, own),
  };
}

function directoryOf(emulator: Emulator, own: (name: string) => string): Directory {
  const { secrets } = emulator;
  const base = `ou=${own("services")},dc=acme,dc=example`;
  const administrator = { dn: `cn=${own("binds")},dc=acme,dc=example`, password: bindPassword };
  const add = (dn: string, password?: string): Promise<string> => {
    secrets.addDirectoryEntry({ dn, ...(password === undefined ? {} : { password }) });
    return Promise.resolve(dn);
  };
  const entries = () => emulator.inspect().secrets.directoryEntries;
  return {
    url: "ldap://ldap.acme.example",
    base: () => Promise.resolve(base),
    add: (name, password) => add(`cn=${name},${base}`, password),
    async administrator() {
      await add(administrator.dn, administrator.password);
      return administrator;
    },
    accepts: (dn, password) =>
      Promise.resolve(entries().some((entry) => entry.dn === dn && entry.password === password)),
    below: (parent) =>
      Promise.resolve(
        entries()
          .map(({ dn }) => dn)
          .filter((dn) => dn.endsWith(`,${parent}`)),
      ),
  };
}

function schedulerOf(emulator: Emulator): SchedulerWorld {
  const { scheduler, events } = emulator;
  return {
    address: scheduler.address,
    token: scheduler.token,
    knowsToken: (accessorId) =>
      Promise.resolve(
        emulator.inspect().scheduler.aclTokens.some((token) => token.accessorId === accessorId),
      ),
    happen() {
      const type = "DeploymentStatusUpdate";
      for (const key of ["d1", "d2"]) {
        events.emit({ topic: "Deployment", type, key, filterKeys: ["web"] });
      }
      return Promise.resolve({ topic: "Deployment", type, filter: "web", keys: ["d1", "d2"] });
    },
  };
}
