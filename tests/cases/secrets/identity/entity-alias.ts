import { defineCase } from "../../support/case";
import { countAt, enterprise, inAnotherCase } from "../../support/engines";

const pathOf = (id: string): string => `identity/entity-alias/id/${id}`;

export const entityAlias = defineCase({
  type: "secrets/identity:EntityAlias",
  async prepare(services) {
    const { secrets } = services;
    return {
      ...services.context("secrets", (inspection) => inspection.secrets.entityAliases),
      entityId: await secrets.addEntity(),
      otherEntityId: await secrets.addEntity(),
      accessor: await secrets.addLogin(),
      otherAccessor: await secrets.addLogin(),
    };
  },
  live: { needs: ["secrets service"], count: countAt(pathOf) },
  valid: ({ entityId, accessor }) => ({
    name: "alice",
    canonicalId: entityId,
    mountAccessor: accessor,
    customMetadata: { team: "payments", floor: "3" },
  }),
  spellings: ({ services }) => ({
    name: inAnotherCase(services, "alice"),
    customMetadata: { floor: "3", team: "payments" },
  }),
  changes: [
    { argument: "name", to: "alicia" },
    { argument: "canonicalId", toIn: ({ otherEntityId }) => otherEntityId },
    { argument: "mountAccessor", toIn: ({ otherAccessor }) => otherAccessor },
    { argument: "customMetadata", to: { team: "search" } },
  ],
  cleared: ["customMetadata"],
  drift: {
    argument: "canonicalId",
    cause: ({ services, entityId }, id) =>
      services.secrets.api.change(pathOf(id), ["name", "mount_accessor", "custom_metadata"], {
        canonical_id: entityId,
      }),
  },
  hashicorp: {
    changes: [
      { argument: "externalId", to: "scim-7", replaces: true, needs: enterprise },
      { argument: "issuer", to: "https://login.acme.example", replaces: true, needs: enterprise },
      { argument: "mountAccessor", to: null, replaces: true, needs: enterprise },
    ],
  },
  vanish: ({ services }, id) => services.secrets.api.remove(pathOf(id)),
  populate({ secrets }, { otherEntityId, accessor, services }) {
    secrets.addEntityAlias({
      name: services.freshName("bob"),
      canonicalId: otherEntityId,
      mountAccessor: accessor,
    });
  },
  canaries: [],
});
