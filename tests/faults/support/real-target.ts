import assert from "node:assert/strict";
import type { TestServices } from "../../cases/support/test-services";
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
    dialect: () => "hashicorp",
    tokens: { provisioning: nowhere.token, secrets: secrets.token, scheduler: scheduler.token },
    proxy,
    revokeLease: (lease_id) => services.secrets.api.write("sys/leases/revoke", { lease_id }),
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

async function holdingsOf(services: LiveServices, mark: string): Promise<Holdings> {
  const { made } = services;
  const { api } = services.secrets;
  const mounts = [...made.directory, ...made.scheduler];
  // What an engine does not have is not found there.
  const objects = await findInEach(mounts, async (mount) => [
    ...(await findInEach(["config", "config/access", "config/lease"], (kind) => at(api, `${mount}/${kind}`))),
    ...(await findInEach(["library", "static-role", "role"], (kind) => objectsAt(api, `${mount}/${kind}`))),
  ]);
  const libraryStatus: object[] = [];
  const lent: Lease[] = [];
  for (const { path } of objects.filter((each) => each.path.includes("/library/"))) {
    const [{ path: _path, ...status } = { path: "" }] = await at(api, `${path}/status`);
    const found = Object.entries(status as Readonly<Record<string, { readonly available: boolean }>>);
    libraryStatus.push(...found.map(([account, { available }]) => ({ account, available })));
    const leases = await leasesBelow(api, `${path}/check-out/`);
    const newestFirst = leases.toSorted((one, other) => other.issuedAt.localeCompare(one.issuedAt));
    // A check-in does not revoke the lease: those of earlier check-outs stay until they expire.
    lent.push(...newestFirst.slice(0, found.filter(([, { available }]) => !available).length));
  }
  const issuedIn = (engines: readonly string[]) =>
    findInEach(engines, (mount) => leasesBelow(api, `${mount}/creds/`));
  const issued = await issuedIn(made.directory);
  const leases = [...lent, ...issued, ...(await issuedIn(made.scheduler))];
  const totpMethods = await objectsAt(api, "identity/mfa/method/totp");
  const aliases = await objectsAt(api, "identity/entity-alias/id");
  const secrets = {
    objects,
    libraryStatus,
    leases: leases.map(({ id, expiresAt }) => ({ id, expiresAt })),
    totpMethods: totpMethods
      .map((method) => ({ ...method, id: String(method.id), issuer: String(method.issuer) }))
      .filter(({ issuer }) => issuer.includes(mark)),
    entityAliases: aliases.filter(({ canonical_id: entity }) => made.entities.includes(String(entity))),
    directoryLibraryAccounts: lent.map(({ id, expiresAt }) => ({ checkOut: { leaseId: id, expiresAt } })),
    directoryIssuedAccounts: issued.map(({ id }) => ({ leaseId: id })),
    directoryEntries: made.directory.length === 0 ? [] : await entriesBelow(services),
  };
  return { provisioning: { notificationConfigurations: [] }, secrets, scheduler: {} };
}

async function findInEach<Item, Found>(
  items: readonly Item[],
  find: (item: Item) => Promise<readonly Found[]>,
): Promise<Found[]> {
  return (await Promise.all(items.map(find))).flat();
}

/** @returns nothing where there is nothing */
async function at(api: SecretsApi, path: string): Promise<readonly (Values & { readonly path: string })[]> {
  const found = await api.read(path);
  return found === undefined ? [] : [{ ...found, path }];
}

async function keysAt(api: SecretsApi, path: string): Promise<readonly string[]> {
  return ((await api.read(`${path}?list=true`))?.keys ?? []) as readonly string[];
}

async function objectsAt(api: SecretsApi, path: string): ReturnType<typeof at> {
  return findInEach(await keysAt(api, path), (key) => at(api, `${path}/${key}`));
}

type Lease = Readonly<{ id: string; expiresAt: string | null; issuedAt: string }>;

/** Recursive. @param prefix ends with a slash */
async function leasesBelow(api: SecretsApi, prefix: string): Promise<readonly Lease[]> {
  return findInEach(await keysAt(api, `sys/leases/lookup/${prefix}`), async (key) => {
    const id = `${prefix}${key}`;
    if (key.endsWith("/")) {
      return leasesBelow(api, id);
    }
    const lease = await api.write("sys/leases/lookup", { lease_id: id });
    const expiresAt = (lease?.expire_time ?? null) as string | null;
    return [{ id, expiresAt, issuedAt: String(lease?.issue_time) }];
  });
}

async function entriesBelow(services: TestServices, dn?: string): Promise<readonly string[]> {
  const { directory } = services.secrets;
  const below = await directory.below(dn ?? (await directory.base()));
  return [...below, ...(await findInEach(below, (each) => entriesBelow(services, each)))];
}
