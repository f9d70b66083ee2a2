import type { Emulator } from "pulumi-trivium/testing";
import { ProvisioningApi, SecretsApi } from "../../engine/support/api";
import { type Receiver, startReceiver } from "../../engine/support/receiver";
import { connectionTo } from "../../engine/support/configuration";
import { bindPassword, type Dialect } from "./case";
import type {
  Directory,
  EngineMounts,
  EngineType,
  TestProvisioning,
  TestScheduler,
  TestSecrets,
  TestServices,
} from "./test-services";

/** These must not be shown anywhere. */
export const emulatedTokens = {
  provisioning: "canary-provisioning-token-8d2f61",
  secrets: "canary-secrets-token-41c7e0",
  scheduler: "canary-scheduler-token-90ae",
};

interface EmulatedServicesOptions {
  readonly dialect: Dialect;
  /** Part of every name, for cases that share an emulator or a process. Default: plain names. */
  readonly mark?: string;
  /** The marks of other cases, whose objects these services do not have. */
  readonly others?: readonly string[];
  /** Whether closing the services closes the emulator. */
  readonly closes?: boolean;
  /** Default: one of its own, which closes with the services. */
  readonly receiver?: { readonly address: string };
  /** Lifetime of what is issued. Default: two hours. */
  readonly lifetime?: string;
}

export function emulatedServices(emulator: Emulator, options: EmulatedServicesOptions): TestServices {
  const { dialect, mark, others = [], closes = false, lifetime = "2h", receiver } = options;
  let started: Promise<Receiver> | undefined;
  const startOwn = (): Promise<Receiver> => (started ??= startReceiver());
  const services: TestServices = {
    dialect,
    lifetime,
    freshName: (name) => (mark === undefined ? name : `${name}-${mark}`),
    context(service, objects) {
      return {
        services,
        emulator,
        connection: connectionTo(emulator, service),
        objects: () =>
          objects(emulator.inspect())
            .filter((each) => !others.some((other) => JSON.stringify(each).includes(other)))
            .map((each) => ({ ...each })),
        requests: () => emulator.journal.count(),
        close: () => services.close(),
      };
    },
    provisioning: provisioningOf(emulator, mark, async () => (receiver ?? (await startOwn())).address),
    secrets: secretsOf(emulator, options),
    scheduler: schedulerOf(emulator),
    async close() {
      await (await started)?.close();
      await (closes ? emulator.close() : undefined);
    },
  };
  return services;
}

const otherPaths: Readonly<Record<EngineType, string>> = {
  directory: "teams/eu/ldap",
  scheduler: "teams/eu/scheduler",
};

function secretsOf(emulator: Emulator, { dialect, mark, lifetime }: EmulatedServicesOptions): TestSecrets {
  const { secrets } = emulator;
  const lifetimes = lifetime === undefined ? {} : { defaultLeaseTtl: lifetime, maxLeaseTtl: lifetime };
  const own = (name: string): string => (mark === undefined ? name : `${name}-${mark}`);
  let entities = 0;
  let logins = 0;
  return {
    api: new SecretsApi(secrets.address, secrets.token, dialect),
    addEntity: () => Promise.resolve(secrets.addEntity({ name: own(`entity-${(entities += 1)}`) }).id),
    addTotpMethod: () => Promise.resolve(secrets.addTotpMethod({ issuer: own("Acme") }).id),
    addLogin() {
      const path = `auth/${own("login")}-${(logins += 1)}`;
      return Promise.resolve(secrets.addMount({ type: "userpass", path }).accessor);
    },
    mount(engine): Promise<EngineMounts> {
      const otherMount = own(otherPaths[engine]);
      const { type } = secrets.addMount({ type: engine, path: otherMount, ...lifetimes });
      if (mark !== undefined) {
        const { path } = secrets.addMount({ type: engine, path: own(engine), ...lifetimes });
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

function schedulerOf(emulator: Emulator): TestScheduler {
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

const names = ["acme", "platform", "payments", "search"];

function provisioningOf(
  emulator: Emulator,
  mark: string | undefined,
  receiver: () => Promise<string>,
): TestProvisioning {
  const { provisioning } = emulator;
  const inspect = () => emulator.inspect().provisioning;
  const organizations = (count: number): Promise<readonly string[]> => {
    const chosen = names.slice(0, count).map((name) => (mark === undefined ? name : `${name}-${mark}`));
    chosen.forEach((name) => provisioning.addOrganization({ name }));
    return Promise.resolve(chosen);
  };
  return {
    api: new ProvisioningApi(provisioning.address, provisioning.token),
    organizations,
    newOrganizations: organizations,
    addWorkspaces: (organization, count) =>
      Promise.resolve(numbers(count).map(() => provisioning.addWorkspace({ organization }).id)),
    addProjects: (organization, count) =>
      Promise.resolve(
        numbers(count).map(
          (number) => provisioning.addProject({ organization, name: `project-${number}` }).id,
        ),
      ),
    addTeams: (organization, count) =>
      Promise.resolve(numbers(count).map(() => provisioning.addTeam({ organization }).id)),
    defaultProject(organization) {
      const project = inspect().projects.find((each) => each.isDefault && each.organization === organization);
      return Promise.resolve(project?.id ?? "");
    },
    projectOf(workspaceId) {
      const workspace = inspect().workspaces.find(({ id }) => id === workspaceId);
      return Promise.resolve(workspace?.projectId ?? "");
    },
    receiver,
    organization(name) {
      const found = inspect().organizations.find((each) => each.name === name);
      return found === undefined ? Promise.reject(new Error(`There is no ${name}.`)) : Promise.resolve(found);
    },
    changeOrganization(name, change) {
      provisioning.changeOrganization(name, change);
      return Promise.resolve();
    },
  };
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}
