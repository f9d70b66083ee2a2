import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import * as trivium from "pulumi-trivium";
import { useEmulator } from "../../../support/use-emulator";
import { describeLifecycle } from "../../support/lifecycle";
import { failureOf } from "../../support/projects";
import { type Program, TestStack } from "../../support/stack";
import { configurationOf, connectionTo } from "../../support/surroundings";
import type { WorldSurroundings } from "../../support/world";
import { countAt } from "../counting";

const canaries = {
  secretKey: "canary-secret-key-1b",
  otherSecretKey: "canary-secret-key-2c",
  integrationKey: "canary-integration-key-1d",
  otherIntegrationKey: "canary-integration-key-2e",
  driftedKey: "canary-drifted-key-f0",
};
const { PushMethod } = trivium.secrets.mfa;
const type = "pulumi-nodejs:dynamic/trivium/secrets/mfa:PushMethod";
const mountAccessor = "auth_userpass_00000001";
/** Methods stand beside those of others in a real server. */
const name = `phone-${randomUUID().slice(0, 8)}`;
const fields = [
  "mount_accessor",
  "username_format",
  "secret_key",
  "integration_key",
  "api_hostname",
  "push_info",
];
const kinds = { documented: "pushauth", hashicorp: "duo" };

function pathIn({ world }: WorldSurroundings): (id: string) => string {
  return (id) => `sys/mfa/method/${kinds[world.dialect]}/${id}`;
}

describeLifecycle({
  className: "secrets.mfa.PushMethod",
  type,
  async prepare(world) {
    const { secrets } = world;
    return {
      ...world.surroundings("secrets", (inspection) => inspection.secrets.pushMethods),
      accessor: await secrets.addLogin(),
      otherAccessor: await secrets.addLogin(),
    };
  },
  live: {
    needs: ["secrets service", "step-up methods"],
    count: (surroundings, ids) => countAt(surroundings, ids, pathIn(surroundings)),
  },
  declare: (name, args, options) =>
    new PushMethod(name, args as unknown as trivium.secrets.mfa.PushMethodArgs, options),
  valid: ({ accessor }) => ({
    name,
    mountAccessor: accessor,
    usernameFormat: "{{alias.name}}@example.com",
    secretKey: canaries.secretKey,
    integrationKey: canaries.integrationKey,
    apiHostname: "api-1234.example.com",
    pushInfo: "from=portal",
  }),
  spellings: {},
  changes: [
    { argument: "mountAccessor", toIn: ({ otherAccessor }) => otherAccessor },
    { argument: "usernameFormat", to: "{{entity.metadata.login}}" },
    { argument: "secretKey", to: canaries.otherSecretKey },
    { argument: "integrationKey", to: canaries.otherIntegrationKey },
    { argument: "apiHostname", to: "api-5678.example.com" },
    { argument: "pushInfo", to: "from=console" },
    { argument: "name", to: `${name}-2`, replaces: true },
  ],
  cleared: ["usernameFormat", "secretKey"],
  drift: {
    argument: "secretKey",
    cause: (surroundings, id) =>
      surroundings.world.secrets.api.change(pathIn(surroundings)(id), fields, {
        secret_key: canaries.driftedKey,
      }),
  },
  get: (name, id, options) => PushMethod.get(name, id, options),
  adopt: true,
  vanish: (surroundings, id) => surroundings.world.secrets.api.remove(pathIn(surroundings)(id)),
  canaries: Object.values(canaries),
});

describe("a push method whose format of user names is wrong", function () {
  this.timeout(60_000);

  let stack: TestStack;
  const emulator = useEmulator({ resets: false });

  before(async function () {
    this.timeout(900_000);
    stack = await TestStack.create("engine-push-format", configurationOf(connectionTo(emulator, "secrets")));
  });
  after(() => {
    stack.remove();
  });

  const program =
    (usernameFormat: string): Program =>
    () => {
      new PushMethod("phone", { name: "phone", mountAccessor, usernameFormat });
      return Promise.resolve(undefined);
    };

  it("is refused in the preview, which names the placeholder, and makes no request", async () => {
    const text = await failureOf(stack.preview(program("{{alias.nme}}")));
    assert.match(text, /usernameFormat.*has the unknown placeholder \{\{alias\.nme\}\}/);
    assert.match(await failureOf(stack.preview(program("{{alias.name"))), /placeholder that is never closed/);
    assert.equal(emulator.journal.count(), 0);
  });
});
