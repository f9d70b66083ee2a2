import * as trivium from "pulumi-trivium";
import { describeLifecycle } from "../../support/lifecycle";
import { countAt } from "../counting";
import { inAnotherCase } from "../names";

const pathOf = (id: string): string => `identity/entity-alias/id/${id}`;

describeLifecycle({
  className: "secrets.identity.EntityAlias",
  type: "pulumi-nodejs:dynamic/trivium/secrets/identity:EntityAlias",
  async prepare(world) {
    const { secrets } = world;
    return {
      ...world.surroundings("secrets", (inspection) => inspection.secrets.entityAliases),
      entityId: await secrets.addEntity(),
      otherEntityId: await secrets.addEntity(),
      accessor: await secrets.addLogin(),
      otherAccessor: await secrets.addLogin(),
    };
  },
  live: {
    needs: ["secrets service"],
    count: (surroundings, ids) => countAt(surroundings, ids, pathOf),
  },
  declare: (name, args, options) =>
    new trivium.secrets.identity.EntityAlias(
      name,
      args as unknown as trivium.secrets.identity.EntityAliasArgs,
      options,
    ),
  valid: ({ entityId, accessor }) => ({
    name: "alice",
    canonicalId: entityId,
    mountAccessor: accessor,
    customMetadata: { team: "payments", floor: "3" },
  }),
  spellings: ({ world }) => ({
    name: inAnotherCase(world, "alice"),
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
    cause: ({ world, entityId }, id) =>
      world.secrets.api.change(pathOf(id), ["name", "mount_accessor", "custom_metadata"], {
        canonical_id: entityId,
      }),
  },
  get: (name, id, options) => trivium.secrets.identity.EntityAlias.get(name, id, options),
  adopt: true,
  vanish: ({ world }, id) => world.secrets.api.remove(pathOf(id)),
  canaries: [],
});
