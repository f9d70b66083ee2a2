import assert from "node:assert/strict";
import type { Emulator } from "pulumi-trivium/testing";
import { ProvisioningApi, SecretsApi } from "../../engine/support/api";
import { type Receiver, startReceiver } from "../../engine/support/receiver";
import { connectionTo } from "../../engine/support/configuration";
import { bindPassword, type Dialect } from "./case";
import type { Directory, EngineType, TestProvisioning, TestScheduler, TestSecrets } from "./test-services";
import type { TestServices } from "./test-services";

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
    addEntity: () => secrets.addEntity({ name: own(`entity-${(entities += 1)}`) }).id,
    addTotpMethod: () => secrets.addTotpMethod({ issuer: own("Acme") }).id,
    addLogin: () =>
      secrets.addMount({ type: "userpass", path: `auth/${own("login")}-${(logins += 1)}` }).accessor,
    mount(engine) {
      const otherMount = own(otherPaths[engine]);
      const { type } = secrets.addMount({ type: engine, path: otherMount, ...lifetimes });
      if (mark !== undefined) {
        const { path } = secrets.addMount({ type: engine, path: own(engine), ...lifetimes });
        return { mount: path, otherMount, given: { mount: path } };
      }
      const { mounts } = emulator.inspect().secrets;
      const usual = mounts.find((each) => each.type === type && each.path !== otherMount);
      return { mount: usual?.path ?? "", otherMount, given: {} };
    },
    directory: directoryOf(emulator, own),
  };
}

function directoryOf(emulator: Emulator, own: (name: string) => string): Directory {
  const base = `ou=${own("services")},dc=acme,dc=example`;
  const administrator = { dn: `cn=${own("binds")},dc=acme,dc=example`, password: bindPassword };
  const add = (dn: string, password?: string): string => {
    emulator.secrets.addDirectoryEntry({ dn, ...(password === undefined ? {} : { password }) });
    return dn;
  };
  const entries = () => emulator.inspect().secrets.directoryEntries;
  return {
    url: "ldap://ldap.acme.example",
    base: () => base,
    add: (name, password) => add(`cn=${name},${base}`, password),
    administrator() {
      add(administrator.dn, administrator.password);
      return administrator;
    },
    accepts: (dn, password) =>
      Promise.resolve(entries().some((entry) => entry.dn === dn && entry.password === password)),
    below: (parent) => entries().flatMap(({ dn }) => (dn.endsWith(`,${parent}`) ? [dn] : [])),
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
      const [topic, type] = ["Deployment", "DeploymentStatusUpdate"];
      const keys = ["d1", "d2"] as const;
      keys.forEach((key) => events.emit({ topic, type, key, filterKeys: ["web"] }));
      return { topic, type, filter: "web", keys };
    },
  };
}

function provisioningOf(
  emulator: Emulator,
  mark: string | undefined,
  receiver: () => Promise<string>,
): TestProvisioning {
  const { provisioning } = emulator;
  const inspect = () => emulator.inspect().provisioning;
  const organizations = (count: number): readonly string[] => {
    const names = ["acme", "platform", "payments", "search"].slice(0, count);
    const chosen = names.map((name) => (mark === undefined ? name : `${name}-${mark}`));
    chosen.forEach((name) => provisioning.addOrganization({ name }));
    return chosen;
  };
  const several = (count: number, add: (number: number) => { readonly id: string }): readonly string[] =>
    Array.from({ length: count }, (_, index) => add(index + 1).id);
  return {
    api: new ProvisioningApi(provisioning.address, provisioning.token),
    organizations,
    newOrganizations: organizations,
    addWorkspaces: (organization, count) => several(count, () => provisioning.addWorkspace({ organization })),
    addProjects: (organization, count) =>
      several(count, (number) => provisioning.addProject({ organization, name: `project-${number}` })),
    addTeams: (organization, count) => several(count, () => provisioning.addTeam({ organization })),
    defaultProject: (organization) =>
      inspect().projects.find((each) => each.isDefault && each.organization === organization)?.id ?? "",
    projectOf: (workspaceId) => inspect().workspaces.find(({ id }) => id === workspaceId)?.projectId ?? "",
    receiver,
    organization: (name) =>
      Promise.resolve(
        inspect().organizations.find((each) => each.name === name) ?? assert.fail(`There is no ${name}.`),
      ),
    changeOrganization: (name, change) => void provisioning.changeOrganization(name, change),
  };
}
