import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import { type Emulator, startEmulator } from "pulumi-trivium/testing";
import { describeLifecycle } from "../../support/lifecycle";
import { failureOf } from "../../support/projects";
import { type Program, TestStack } from "../../support/stack";

const canaries = {
  token: "canary-token-e5b5aa",
  secretKey: "canary-secret-key-1b",
  otherSecretKey: "canary-secret-key-2c",
  integrationKey: "canary-integration-key-1d",
  otherIntegrationKey: "canary-integration-key-2e",
  driftedKey: "canary-drifted-key-f0",
};
const { PushMethod } = trivium.secrets.mfa;
const type = "pulumi-nodejs:dynamic/trivium/secrets/mfa:PushMethod";
const mountAccessor = "auth_userpass_00000001";

let emulator: Emulator;

async function prepare() {
  emulator = await startEmulator({ tokens: { secrets: canaries.token } });
  return {
    configuration: {
      "trivium:secretsAddress": emulator.secrets.address,
      "trivium:secretsToken": { secret: canaries.token },
    },
    objects: () => emulator.inspect().secrets.pushMethods.map((method) => ({ ...method })),
    requests: () => emulator.journal.count(),
    close: () => emulator.close(),
  };
}

describeLifecycle({
  className: "secrets.mfa.PushMethod",
  type,
  prepare,
  declare: (name, args, options) =>
    new PushMethod(name, args as unknown as trivium.secrets.mfa.PushMethodArgs, options),
  valid: () => ({
    name: "phone",
    mountAccessor,
    usernameFormat: "{{alias.name}}@example.com",
    secretKey: canaries.secretKey,
    integrationKey: canaries.integrationKey,
    apiHostname: "api-1234.example.com",
    pushInfo: "from=portal",
  }),
  spellings: {},
  changes: [
    { argument: "mountAccessor", to: "auth_userpass_00000002" },
    { argument: "usernameFormat", to: "{{entity.metadata.login}}" },
    { argument: "secretKey", to: canaries.otherSecretKey },
    { argument: "integrationKey", to: canaries.otherIntegrationKey },
    { argument: "apiHostname", to: "api-5678.example.com" },
    { argument: "pushInfo", to: "from=console" },
    { argument: "name", to: "push", replaces: true },
  ],
  cleared: ["usernameFormat", "secretKey"],
  drift: {
    argument: "secretKey",
    cause: (_surroundings, id) => emulator.secrets.changePushMethod(id, { secretKey: canaries.driftedKey }),
  },
  get: (name, id) => PushMethod.get(name, id),
  adopt: true,
  vanish: (_surroundings, id) => emulator.secrets.removePushMethod(id),
  canaries: Object.values(canaries),
});

describe("a push method whose format of user names is wrong", function () {
  this.timeout(60_000);

  let stack: TestStack;
  let surroundings: Awaited<ReturnType<typeof prepare>>;

  before(async function () {
    this.timeout(900_000);
    surroundings = await prepare();
    stack = await TestStack.create("engine-push-format", surroundings.configuration);
  });
  after(async () => {
    stack.remove();
    await surroundings.close();
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
