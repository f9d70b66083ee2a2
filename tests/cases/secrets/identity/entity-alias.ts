import { defineCase } from "../../support/case";
import { inAnotherCase, objectsAt } from "../../support/engines";

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
  needs: ["secrets service"],
  ...objectsAt((id) => `identity/entity-alias/id/${id}`, ["name", "mount_accessor", "custom_metadata"]),
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
    { name: "alicia" },
    { canonicalId: ({ otherEntityId }) => otherEntityId },
    { mountAccessor: ({ otherAccessor }) => otherAccessor },
    { customMetadata: { team: "search" } },
  ],
  drifts: { canonicalId: { canonical_id: ({ entityId }) => entityId } },
  hashicorp: {
    alsoCreatedWith: [{ externalId: "scim-7", issuer: "https://login.acme.example" }],
    changes: [
      { externalId: "scim-7" },
      { issuer: "https://login.acme.example" },
      // Without a mount it needs these.
      { mountAccessor: null, externalId: "scim-7", issuer: "https://login.acme.example" },
    ],
  },
  populate({ secrets }, { otherEntityId: canonicalId, accessor: mountAccessor, services }) {
    secrets.addEntityAlias({ name: services.freshName("bob"), canonicalId, mountAccessor });
  },
});
