import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import { pushMethod } from "../../../cases/secrets/mfa/push-method";
import { useEmulator } from "../../../support/use-emulator";
import { describeLifecycle } from "../../support/lifecycle";
import { failureOf } from "../../support/projects";
import { type Program, TestStack } from "../../support/stack";
import { configurationOf, connectionTo } from "../../support/surroundings";

const { PushMethod } = trivium.secrets.mfa;
const mountAccessor = "auth_userpass_00000001";

describeLifecycle(pushMethod);

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
