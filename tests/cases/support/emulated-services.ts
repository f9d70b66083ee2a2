import assert from "node:assert/strict";
import type { Emulator } from "pulumi-trivium/testing";
import { ProvisioningApi, SecretsApi } from "../../engine/support/api";
import { type Receiver, startReceiver } from "../../engine/support/receiver";
import { connectionTo } from "../../engine/support/configuration";
import { bindPassword, type Dialect } from "./case";
import type {
  EngineMounts,
  EngineType,
  Happening,
  OrganizationState,
  Served,
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
  /** The hidden outputs of other cases, whose objects these services do not have. */
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
  const own = (name: string): string => (mark === undefined ? name : `${name}-${mark}`);
  const services: TestServices = {
    dialect,
    lifetime,
    freshName: own,
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
    provisioning: provisioningOf(
      emulator,
      own,
      async () => (receiver ?? (await (started ??= startReceiver()))).address,
    ),
    secrets: secretsOf(emulator, options, own),
    scheduler: schedulerOf(emulator),
    async close() {
      await (await started)?.close();
      await (closes ? emulator.close() : undefined);
    },
  };
  return services;
}

type Own = (name: string) => string;

export function secretsOf(
  emulator: Emulator,
  { dialect, mark, lifetime }: EmulatedServicesOptions,
  own: Own,
) {
  const { secrets } = emulator;
  const lifetimes = lifetime === undefined ? {} : { defaultLeaseTtl: lifetime, maxLeaseTtl: lifetime };
  let made = 0;
  return {
    api: new SecretsApi(secrets.address, secrets.token, dialect),
    addEntity: () => secrets.addEntity({ name: own(`entity-${(made += 1)}`) }).id,
    addTotpMethod: () => secrets.addTotpMethod({ issuer: own("Acme") }).id,
    addLogin: () =>
      secrets.addMount({ type: "userpass", path: `auth/${own("login")}-${(made += 1)}` }).accessor,
    /** Mounts an engine twice. */
    mount(engine: EngineType): EngineMounts {
      const otherMount = own(engine === "directory" ? "teams/eu/ldap" : "teams/eu/scheduler");
      const { type } = secrets.addMount({ type: engine, path: otherMount, ...lifetimes });
      if (mark !== undefined) {
        const { path } = secrets.addMount({ type: engine, path: own(engine), ...lifetimes });
        return { mount: path, otherMount, given: { mount: path } };
      }
      const { mounts } = emulator.inspect().secrets;
      const usual = mounts.find((each) => each.type === type && each.path !== otherMount);
      return { mount: usual?.path ?? "", otherMount, given: {} };
    },
    directory: directoryOf(emulator, own) as Served<ReturnType<typeof directoryOf>>,
  };
}

export function directoryOf(emulator: Emulator, own: Own) {
  const base = `ou=${own("services")},dc=acme,dc=example`;
  const add = (dn: string, password?: string): string => {
    emulator.secrets.addDirectoryEntry({ dn, ...(password === undefined ? {} : { password }) });
    return dn;
  };
  const entries = () => emulator.inspect().secrets.directoryEntries;
  return {
    url: "ldap://ldap.acme.example" as string,
    base: () => base,
    /** @returns the DN; without a password nobody can bind as it */
    add: (name: string, password?: string) => add(`cn=${name},${base}`, password),
    /** An entry that is allowed to change those below the base. */
    administrator: () => ({
      dn: add(`cn=${own("binds")},dc=acme,dc=example`, bindPassword),
      password: bindPassword,
    }),
    accepts: (dn: string, password: string) =>
      Promise.resolve(entries().some((entry) => entry.dn === dn && entry.password === password)),
    /** Only direct children. */
    below: (parent: string): readonly string[] =>
      entries().flatMap(({ dn }) => (dn.endsWith(`,${parent}`) ? [dn] : [])),
  };
}

export function schedulerOf(emulator: Emulator) {
  const { scheduler, events } = emulator;
  return {
    address: scheduler.address,
    token: scheduler.token,
    knowsToken: (id: string) =>
      Promise.resolve(emulator.inspect().scheduler.aclTokens.some(({ accessorId }) => accessorId === id)),
    happen(): Happening {
      const [topic, type] = ["Deployment", "DeploymentStatusUpdate"];
      const keys = ["d1", "d2"] as const;
      keys.forEach((key) => events.emit({ topic, type, key, filterKeys: ["web"] }));
      return { topic, type, filter: "web", keys };
    },
  };
}

export function provisioningOf(emulator: Emulator, own: Own, receiver: () => Promise<string> | string) {
  const { provisioning } = emulator;
  const inspect = () => emulator.inspect().provisioning;
  const organizations = (count: number): readonly string[] => {
    const names = ["acme", "platform", "payments", "search"].slice(0, count).map(own);
    names.forEach((name) => provisioning.addOrganization({ name }));
    return names;
  };
  const adding =
    (add: (organization: string, number: number) => { readonly id: string }) =>
    (organization: string, count: number): readonly string[] =>
      Array.from({ length: count }, (_, index) => add(organization, index + 1).id);
  return {
    api: new ProvisioningApi(provisioning.address, provisioning.token),
    /** Existing organizations, at most `count`. */
    organizations,
    newOrganizations: organizations,
    addWorkspaces: adding((organization) => provisioning.addWorkspace({ organization })),
    addProjects: adding((organization, number) =>
      provisioning.addProject({ organization, name: `project-${number}` }),
    ),
    addTeams: adding((organization) => provisioning.addTeam({ organization })),
    defaultProject: (organization: string) =>
      inspect().projects.find((each) => each.isDefault && each.organization === organization)?.id ?? "",
    projectOf: (workspaceId: string) =>
      inspect().workspaces.find(({ id }) => id === workspaceId)?.projectId ?? "",
    /** @returns the address of a receiver that accepts all notifications */
    receiver,
    organization: (name: string) => {
      const found = inspect().organizations.find((each) => each.name === name);
      return Promise.resolve<OrganizationState>(found ?? assert.fail(`There is no ${name}.`));
    },
    changeOrganization: (name: string, change: Partial<OrganizationState>): void =>
      void provisioning.changeOrganization(name, change),
  };
}
