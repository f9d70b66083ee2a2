import assert from "node:assert/strict";
import type { EngineType, TestServices } from "../../cases/support/test-services";
import type { Values } from "../../cases/support/case";
import type { SecretsApi } from "../../engine/support/api";
import { LiveServices } from "../../live/live-services";
import type { Servers } from "../../live/servers";
import { Proxy } from "../../support/proxy";
import { preparedIn } from "../../support/services";
import type { FaultTarget, Holdings } from "./pool";

/** Nothing listens here: the address of a service that no class of the secrets service calls. */
const nowhere = { address: "http://127.0.0.1:1", token: "token-of-no-service" };

/**
 * OpenBao or Vault, with the Nomad and the LDAP server of its engines. Only objects of the current run are inspected.
 */
export async function realTarget(servers: Servers): Promise<FaultTarget> {
  const { secrets = assert.fail("The environment has to name a secrets service."), scheduler = nowhere } =
    servers;
  const proxy = await Proxy.start({ provisioning: nowhere, secrets, scheduler });
  let services = new LiveServices(servers);
  let mark = "";
  return {
    dialect: "hashicorp",
    tokens: { provisioning: nowhere.token, secrets: secrets.token, scheduler: scheduler.token },
    proxy,
    operator: {
      provisioning: { removeNotificationConfiguration: () => undefined },
      secrets: {
        revokeLease: (lease_id) => services.secrets.api.write("sys/leases/revoke", { lease_id }),
        removeTotpMethod: (id) => services.secrets.api.remove(`identity/mfa/method/totp/${id}`),
      },
    },
    async prepare(faultCase, newMark) {
      await services.close();
      mark = newMark;
      services = new LiveServices(servers, mark);
      return preparedIn(faultCase, await faultCase.prepare(services));
    },
    inspect: () => holdingsOf(services, mark),
    async close() {
      proxy.close();
      await services.close();
    },
  };
}

type Found = Values & { readonly path: string };

async function holdingsOf(services: LiveServices, mark: string): Promise<Holdings> {
  const { api } = services.secrets;
  const { made } = services;
  const inEach = async <Each>(
    engine: EngineType,
    find: (mount: string) => Promise<readonly Each[]>,
  ): Promise<Each[]> => (await Promise.all(made[engine].map(find))).flat();
  const single = (engine: EngineType, kind: string) =>
    inEach(engine, async (path) => {
      const found = await api.read(`${path}/${kind}`);
      return found === undefined ? [] : [{ ...found, path }];
    });
  const several = (engine: EngineType, kind: string) =>
    inEach(engine, (path) => objectsAt(api, `${path}/${kind}`));
  const issuedIn = (engine: EngineType) => inEach(engine, (path) => leasesBelow(api, `${path}/creds/`));

  const directoryLibrarySets = await several("directory", "library");
  const directoryLibraryStatus: object[] = [];
  const lent: Lease[] = [];
  for (const { path } of directoryLibrarySets) {
    const found = Object.entries((await api.read(`${path}/status`)) ?? {}).map(([account, status]) => {
      return { account, available: (status as { readonly available: boolean }).available };
    });
    directoryLibraryStatus.push(...found);
    const leases = await leasesBelow(api, `${path}/check-out/`);
    const newestFirst = leases.toSorted((one, other) => other.issuedAt.localeCompare(one.issuedAt));
    // A check-in does not revoke the lease: those of earlier check-outs stay until they expire.
    lent.push(...newestFirst.slice(0, found.filter(({ available }) => !available).length));
  }
  const issued = await issuedIn("directory");
  const leases = [...lent, ...issued, ...(await issuedIn("scheduler"))];
  const totpMethods = await objectsAt(api, "identity/mfa/method/totp");
  const aliases = await objectsAt(api, "identity/entity-alias/id");
  const secrets = {
    leases: leases.map(({ id, expiresAt }) => ({ id, expiresAt })),
    totpMethods: totpMethods
      .map((method) => ({ ...method, id: String(method.id), issuer: String(method.issuer) }))
      .filter(({ issuer }) => issuer.includes(mark)),
    entityAliases: aliases.filter(({ canonical_id: entity }) => made.entities.includes(String(entity))),
    ...{ directoryLibrarySets, directoryLibraryStatus },
    directoryConfigs: await single("directory", "config"),
    directoryStaticRoles: await several("directory", "static-role"),
    directoryDynamicRoles: await several("directory", "role"),
    directoryLibraryAccounts: lent.map(({ id, expiresAt }) => ({ checkOut: { leaseId: id, expiresAt } })),
    directoryIssuedAccounts: issued.map(({ id }) => ({ leaseId: id })),
    directoryEntries: made.directory.length === 0 ? [] : await entriesBelow(services),
    schedulerAccesses: await single("scheduler", "config/access"),
    schedulerLeases: await single("scheduler", "config/lease"),
    schedulerRoles: await several("scheduler", "role"),
  };
  return { provisioning: { notificationConfigurations: [] }, secrets, scheduler: {} };
}

async function keysAt(api: SecretsApi, path: string): Promise<readonly string[]> {
  return ((await api.read(`${path}?list=true`))?.keys ?? []) as readonly string[];
}

async function objectsAt(api: SecretsApi, path: string): Promise<readonly Found[]> {
  const paths = (await keysAt(api, path)).map((key) => `${path}/${key}`);
  return Promise.all(paths.map(async (each) => ({ ...(await api.read(each)), path: each })));
}

interface Lease {
  readonly id: string;
  readonly expiresAt: string | null;
  readonly issuedAt: string;
}

/** Recursive. @param prefix ends with a slash */
async function leasesBelow(api: SecretsApi, prefix: string): Promise<readonly Lease[]> {
  const found = (await keysAt(api, `sys/leases/lookup/${prefix}`)).map(async (key) => {
    const id = `${prefix}${key}`;
    if (key.endsWith("/")) {
      return leasesBelow(api, id);
    }
    const lease = await api.write("sys/leases/lookup", { lease_id: id });
    const expiresAt = (lease?.expire_time as string | null | undefined) ?? null;
    return [{ id, expiresAt, issuedAt: String(lease?.issue_time) }];
  });
  return (await Promise.all(found)).flat();
}

async function entriesBelow(services: TestServices, dn?: string): Promise<readonly string[]> {
  const { directory } = services.secrets;
  const below = await directory.below(dn ?? (await directory.base()));
  const deeper = await Promise.all(below.map((each) => entriesBelow(services, each)));
  return [...below, ...deeper.flat()];
}
