import type { EngineType, TestServices } from "../../cases/support/test-services";
import type { Values } from "../../cases/support/case";
import type { SecretsApi } from "../../engine/support/api";
import { LiveServices } from "../../live/live-services";
import type { Servers } from "../../live/servers";
import { Proxy } from "../../support/proxy";
import { preparedIn } from "../../support/services";
import type { FaultTarget, Holdings } from "./fault-target";

interface Made {
  readonly services: TestServices;
  readonly mark: string;
  readonly mounts: { readonly engine: EngineType; readonly path: string }[];
  readonly entities: string[];
}

/** Nothing listens here: the address of a service that no class of the secrets service calls. */
const nowhere = "http://127.0.0.1:1";
const unused = "token-of-no-service";

/**
 * OpenBao or Vault, with the Nomad and the LDAP server of its engines. Only objects of the current run are inspected.
 */
export async function realTarget(servers: Servers): Promise<FaultTarget> {
  const { secrets: server, scheduler } = servers;
  if (server === undefined) {
    throw new Error("The environment has to name a secrets service.");
  }
  const proxy = await Proxy.start({
    provisioning: { address: nowhere },
    secrets: server,
    scheduler: scheduler ?? { address: nowhere },
  });
  let made: Made | undefined;
  const end = async (): Promise<void> => {
    await made?.services.close();
    made = undefined;
  };
  return {
    dialect: "hashicorp",
    tokens: { provisioning: unused, secrets: server.token, scheduler: scheduler?.token ?? unused },
    proxy,
    operator: {
      provisioning: { removeNotificationConfiguration: () => undefined },
      secrets: {
        revokeLease: (lease_id) => made?.services.secrets.api.write("sys/leases/revoke", { lease_id }),
        removeTotpMethod: (id) => made?.services.secrets.api.remove(`identity/mfa/method/totp/${id}`),
      },
    },
    names: {},
    async begin(faultCase, mark) {
      await end();
      made = { ...notedWorld(servers, mark), mark };
      return preparedIn(faultCase, await faultCase.prepare(made.services));
    },
    inspect: () => (made === undefined ? Promise.resolve(nothing) : holdingsOf(made)),
    secretsIn: (kept) => Promise.resolve(kept),
    async close() {
      proxy.close();
      await end();
    },
  };
}

/** Records the mounts and entities that are created in it. */
function notedWorld(servers: Servers, mark: string): Omit<Made, "mark"> {
  const live = new LiveServices(servers);
  const mounts: Made["mounts"] = [];
  const entities: string[] = [];
  const services: TestServices = {
    dialect: live.dialect,
    lifetime: live.lifetime,
    freshName: (name) => `${name}-${mark}`,
    context: (service) => ({ ...live.context(service), services }),
    get provisioning() {
      return live.provisioning;
    },
    get scheduler() {
      return live.scheduler;
    },
    secrets: {
      api: live.secrets.api,
      get directory() {
        return live.secrets.directory;
      },
      async addEntity() {
        const id = await live.secrets.addEntity();
        entities.push(id);
        return id;
      },
      addTotpMethod: () => live.secrets.addTotpMethod(),
      addLogin: () => live.secrets.addLogin(),
      async mount(engine) {
        const found = await live.secrets.mount(engine);
        mounts.push({ engine, path: found.mount }, { engine, path: found.otherMount });
        return found;
      },
    },
    close: () => live.close(),
  };
  return { services, mounts, entities };
}

const nothing: Holdings = {
  provisioning: { notificationConfigurations: [] },
  secrets: { leases: [], totpMethods: [], directoryIssuedAccounts: [], directoryLibraryAccounts: [] },
  scheduler: {},
};

async function holdingsOf({ services, mark, mounts, entities }: Made): Promise<Holdings> {
  const { api } = services.secrets;
  const paths = (engine: EngineType): readonly string[] =>
    mounts.filter((mount) => mount.engine === engine).map(({ path }) => path);
  const [directories, schedulers] = [paths("directory"), paths("scheduler")];
  const objects = async (at: readonly string[], kind: string): Promise<readonly Found[]> =>
    (await Promise.all(at.map((path) => objectsAt(api, `${path}/${kind}`)))).flat();
  const single = async (at: readonly string[], kind: string): Promise<readonly Values[]> =>
    (await Promise.all(at.map(async (path) => ({ path, ...(await api.read(`${path}/${kind}`)) })))).filter(
      (found) => Object.keys(found).length > 1,
    );
  const librarySets = await objects(directories, "library");
  const libraryStatus: { account: string; available: boolean }[] = [];
  const lent: Lease[] = [];
  for (const { path } of librarySets) {
    const found = Object.entries((await api.read(`${path}/status`)) ?? {}).map(([account, state]) => ({
      account,
      available: (state as { readonly available: boolean }).available,
    }));
    const leases = await leasesBelow(api, [`${path}/check-out/`]);
    const newestFirst = [...leases].sort((one, other) => other.issuedAt.localeCompare(one.issuedAt));
    libraryStatus.push(...found);
    // A check-in does not revoke the lease: those of earlier check-outs stay until they expire.
    lent.push(...newestFirst.slice(0, found.filter(({ available }) => !available).length));
  }
  const issued = await leasesBelow(
    api,
    directories.map((path) => `${path}/creds/`),
  );
  const tokens = await leasesBelow(
    api,
    schedulers.map((path) => `${path}/creds/`),
  );
  const totpMethods = await objectsAt(api, "identity/mfa/method/totp");
  const aliases = await objectsAt(api, "identity/entity-alias/id");
  const secrets = {
    leases: [...lent, ...issued, ...tokens].map(({ id, expiresAt }) => ({ id, expiresAt })),
    totpMethods: totpMethods
      .filter(({ issuer }) => String(issuer).includes(mark))
      .map((method) => ({ ...method, id: String(method.id), issuer: String(method.issuer) })),
    entityAliases: aliases.filter(({ canonical_id: entity }) => entities.includes(String(entity))),
    directoryConfigs: await single(directories, "config"),
    directoryStaticRoles: await objects(directories, "static-role"),
    directoryDynamicRoles: await objects(directories, "role"),
    directoryLibrarySets: librarySets,
    directoryLibraryStatus: libraryStatus,
    directoryLibraryAccounts: lent.map(({ id, expiresAt }) => ({ checkOut: { leaseId: id, expiresAt } })),
    directoryIssuedAccounts: issued.map(({ id }) => ({ leaseId: id })),
    directoryEntries:
      directories.length === 0 ? [] : await entriesBelow(services, await services.secrets.directory.base()),
    schedulerAccesses: await single(schedulers, "config/access"),
    schedulerLeases: await single(schedulers, "config/lease"),
    schedulerRoles: await objects(schedulers, "role"),
  };
  return { ...nothing, secrets };
}

type Found = Values & { readonly path: string };

async function objectsAt(api: SecretsApi, path: string): Promise<readonly Found[]> {
  const found = await Promise.all(
    (await keysAt(api, path)).map(async (key) => ({
      ...(await api.read(`${path}/${key}`)),
      path: `${path}/${key}`,
    })),
  );
  return found;
}

async function keysAt(api: SecretsApi, path: string): Promise<readonly string[]> {
  const { keys = [] } = (await api.read(`${path}?list=true`)) ?? {};
  return keys as readonly string[];
}

interface Lease {
  readonly id: string;
  readonly expiresAt: string | null;
  readonly issuedAt: string;
}

/** Recursive; the prefixes end with a slash. */
async function leasesBelow(api: SecretsApi, prefixes: readonly string[]): Promise<readonly Lease[]> {
  const found = await Promise.all(
    prefixes.map(async (prefix) => {
      const keys = await keysAt(api, `sys/leases/lookup/${prefix}`);
      const deeper = keys.filter((key) => key.endsWith("/")).map((key) => `${prefix}${key}`);
      const leases = keys.filter((key) => !key.endsWith("/"));
      return [
        ...(await leasesBelow(api, deeper)),
        ...(await Promise.all(
          leases.map(async (key) => {
            const id = `${prefix}${key}`;
            const lease = await api.write("sys/leases/lookup", { lease_id: id });
            const expiresAt = (lease?.expire_time as string | null | undefined) ?? null;
            return { id, expiresAt, issuedAt: String(lease?.issue_time) };
          }),
        )),
      ];
    }),
  );
  return found.flat();
}

async function entriesBelow(services: TestServices, dn: string): Promise<readonly string[]> {
  const below = await services.secrets.directory.below(dn);
  const deeper = await Promise.all(below.map((each) => entriesBelow(services, each)));
  return [...below, ...deeper.flat()];
}
