import * as trivium from "pulumi-trivium";
import { type Emulator, startEmulator } from "pulumi-trivium/testing";
import { describeLifecycle } from "../../support/lifecycle";

const token = "canary-token-41c7e0";
const mountAccessor = "auth_userpass_00000001";

let emulator: Emulator;
let entityId: string;
let otherEntityId: string;
let otherAccessor: string;

describeLifecycle({
  className: "secrets.identity.EntityAlias",
  type: "pulumi-nodejs:dynamic/trivium/secrets/identity:EntityAlias",
  async prepare() {
    emulator = await startEmulator({ tokens: { secrets: token } });
    [entityId, otherEntityId] = [emulator.secrets.addEntity({}).id, emulator.secrets.addEntity({}).id];
    otherAccessor = emulator.secrets.addMount({ type: "userpass", path: "auth/other" }).accessor;
    return {
      configuration: {
        "trivium:secretsAddress": emulator.secrets.address,
        "trivium:secretsToken": { secret: token },
      },
      objects: () => emulator.inspect().secrets.entityAliases.map((alias) => ({ ...alias })),
      requests: () => emulator.journal.count(),
      close: () => emulator.close(),
    };
  },
  declare: (name, args, options) =>
    new trivium.secrets.identity.EntityAlias(
      name,
      args as unknown as trivium.secrets.identity.EntityAliasArgs,
      options,
    ),
  valid: () => ({
    name: "alice",
    canonicalId: entityId,
    mountAccessor,
    customMetadata: { team: "payments", floor: "3" },
  }),
  spellings: { name: "Alice", customMetadata: { floor: "3", team: "payments" } },
  changes: [
    { argument: "name", to: "alicia" },
    { argument: "canonicalId", to: () => otherEntityId },
    { argument: "mountAccessor", to: () => otherAccessor },
    { argument: "customMetadata", to: { team: "search" } },
  ],
  cleared: ["customMetadata"],
  drift: {
    argument: "canonicalId",
    cause: (_surroundings, id) => emulator.secrets.changeEntityAlias(id, { canonicalId: entityId }),
  },
  get: (name, id) => trivium.secrets.identity.EntityAlias.get(name, id),
  adopt: true,
  vanish: (_surroundings, id) => emulator.secrets.removeEntityAlias(id),
  canaries: [token],
});
