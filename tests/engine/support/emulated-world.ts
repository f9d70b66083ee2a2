import { type Emulator, startEmulator } from "pulumi-trivium/testing";
import { SecretsApi } from "./api";
import { EmulatedProvisioning } from "./emulated-provisioning";
import type { Dialect } from "./lifecycle-case";
import { connectionTo } from "./surroundings";
import type { Directory, EngineMounts, EngineType, SchedulerWorld, SecretsWorld, World } from "./world";

/** The tokens of the emulated services, which may be shown nowhere. */
export const emulatedTokens = {
  provisioning: "canary-provisioning-token-8d2f61",
  secrets: "canary-secrets-token-41c7e0",
  scheduler: "canary-scheduler-token-90ae",
};

const otherPaths: Readonly<Record<EngineType, string>> = {
  directory: "teams/eu/ldap",
  scheduler: "teams/eu/scheduler",
};

/** A world that an emulator of its own plays. */
export async function emulatedWorld(dialect: Dialect): Promise<World> {
  const emulator = await startEmulator({ dialect, tokens: emulatedTokens });
  const provisioning = new EmulatedProvisioning(emulator);
  const world: World = {
    dialect,
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
    secrets: secretsOf(emulator, dialect),
    scheduler: schedulerOf(emulator),
    async close() {
      await provisioning.close();
      await emulator.close();
    },
  };
  return world;
}

function secretsOf(emulator: Emulator, dialect: Dialect): SecretsWorld {
  const { secrets } = emulator;
  let logins = 0;
  return {
    api: new SecretsApi(secrets.address, secrets.token, dialect),
    addEntity: () => Promise.resolve(secrets.addEntity({}).id),
    addLogin() {
      const path = `auth/login-${(logins += 1)}`;
      return Promise.resolve(secrets.addMount({ type: "userpass", path }).accessor);
    },
    mount(engine): Promise<EngineMounts> {
      const otherMount = otherPaths[engine];
      const { type } = secrets.addMount({ type: engine, path: otherMount });
      const usual = emulator
        .inspect()
        .secrets.mounts.find((each) => each.type === type && each.path !== otherMount);
      return Promise.resolve({ mount: usual?.path ?? "", otherMount, given: {} });
    },
    directory: directoryOf(emulator),
  };
}

function directoryOf(emulator: Emulator): Directory {
  const { secrets } = emulator;
  const base = "ou=services,dc=acme,dc=example";
  const administrator = { dn: "cn=binds,dc=acme,dc=example", password: "canary-bind-password-77ce" };
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
