import { onStatus } from "../base/errors";
import { path, type Path } from "../base/path";
import { defineFunction } from "../functions/definition";
import type { ResourceBehavior } from "../resource/definition";
import type { Desired } from "../resource/fields/field";
import type { PlainArgsOf, Row } from "../resource/fields/rows";
import {
  claimSharing,
  organizationKind,
  organizationMember,
  organizationNotFound,
  organizationResult,
  type Shared,
  turnOf,
} from "./admin-organization";
import type { ProvisioningClient } from "./client";
import { provisioningService } from "./service";
import type { consumersRows } from "./shared-rows";

export const consumersPaths: Readonly<Record<Shared, (organization: string) => Path>> = {
  modules: (organization) => path`/admin/organizations/${organization}/relationships/module-consumers`,
  providers: (organization) => path`/admin/organizations/${organization}/relationships/provider-consumers`,
};

/**
 * @returns `undefined` if the organization does not exist, or the token does not belong to a site administrator
 */
async function listConsumers(client: ProvisioningClient, organization: string, shared: Shared) {
  const summary = `list the consumers of the organization ${organization}`;
  const all = client.listAll({ summary, path: consumersPaths[shared](organization), kind: organizationKind });
  return (await all.catch(onStatus([404], () => undefined)))?.items;
}

/** The IDs only; `undefined` as for {@link listConsumers}. */
export async function readConsumers(client: ProvisioningClient, organization: string, shared: Shared) {
  return (await listConsumers(client, organization, shared))?.map(({ id }) => id);
}

type Sharing = Desired<typeof consumersRows> & { readonly organization: string };

/** The definition of a resource that manages an organization's list of consumers. */
export function sharingBehavior(
  shared: Shared,
  replace: (client: ProvisioningClient, organization: string, consumers: readonly string[]) => Promise<void>,
) {
  const find = async (client: ProvisioningClient, organization: string) => {
    const consumers = (await readConsumers(client, organization, shared)) ?? [];
    return consumers.length === 0 ? undefined : { id: organization, state: { organization, consumers } };
  };
  return {
    identity: {
      idIs: "the organization's name",
      arguments: ["organization"],
      claims: ({ organization }: Partial<Sharing>) => claimSharing(organization, shared),
    },
    importedBy: {
      option: "admin-organization",
      ids: async (client, name) =>
        ((await readConsumers(client, name, shared)) ?? []).length === 0 ? [] : [name],
    },

    turn: (_step, { organization }) => turnOf(organization),
    writesParts: true,
    look: async ({ client }, { organization }) => ({ existing: await find(client, organization) }),
    recover: ({ client }, { organization }) => find(client, organization),

    async create({ client }, { organization, consumers }) {
      await replace(client, organization, consumers);
      return { id: organization, state: { organization } };
    },

    async read({ client }, id) {
      const consumers = await readConsumers(client, id, shared);
      return consumers ? { organization: id, consumers } : client.proveAbsent(organizationMember(id));
    },

    async update({ client }, id, { consumers }) {
      await replace(client, id, consumers);
      return { organization: id };
    },

    async delete({ client }, id) {
      const consumers = await readConsumers(client, id, shared);
      if (consumers === undefined) {
        await client.proveAbsent(organizationMember(id));
      } else if (consumers.length > 0) {
        // Setting a list, even an empty one, ends global sharing, so an empty list is not set again.
        await replace(client, id, []);
      }
    },
  } satisfies ResourceBehavior<ProvisioningClient, Sharing>;
}

export function listFunction(
  name: string,
  shared: Shared,
  rows: { readonly organization: Row<string, string, "required"> },
) {
  return defineFunction(provisioningService, rows)(
    name,
    async (client, { organization }: PlainArgsOf<typeof rows>) => {
      const consumers = await listConsumers(client, organization, shared);
      if (consumers === undefined) {
        throw organizationNotFound(organization);
      }
      return { organizations: consumers.map((consumer) => organizationResult(client, consumer)) };
    },
  );
}
