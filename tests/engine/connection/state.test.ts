import assert from "node:assert/strict";
import { stepByStep } from "../../support/step-by-step";
import { useEmulator } from "../../support/use-emulator";
import {
  configurationFor,
  failureOf,
  organization,
  programOf,
  projectsIn,
  withOrganization,
} from "../support/projects";
import { useSharedStack } from "../support/shared-stack";

/** Which setting counts, tests/connection shows; what is said of another service, tests/contract. */
describe("the connection in the configuration of a stack, which its state remembers", function () {
  this.timeout(120_000);
  stepByStep();

  const emulator = useEmulator({ resets: false, ...withOrganization });
  const stack = useSharedStack("engine-state", () => configurationFor(emulator, "provisioning"));

  it("a preview warns once about a missing token, unknown keys and a token in plain text", async () => {
    await stack.removeConfiguration("trivium:provisioningToken");
    await stack.setConfiguration("trivium:provisioningTokn", "x");
    await stack.setConfiguration("trivium:secretsToken", "canary-in-plain-text");
    const { text, changes } = await stack.preview(programOf(["one", "two", "three"]));
    assert.equal(changes.create, 4);
    for (const warning of [
      "The provisioning service is not configured. Missing: token",
      "trivium:provisioningTokn is not a valid configuration key, so it has no effect. " +
        "Did you mean trivium:provisioningToken?",
      "trivium:secretsToken is stored in plain text. Set it again with `pulumi config set --secret trivium:secretsToken`",
    ]) {
      assert.equal(text.replace(/\s+/g, " ").split(`warning: ${warning}`).length, 2, text);
    }
    assert.equal(emulator.journal.count(), 0);
    await stack.removeConfiguration("trivium:provisioningTokn");
    await stack.removeConfiguration("trivium:secretsToken");
    await stack.setConfiguration("trivium:provisioningToken", emulator.provisioning.token, true);
  });

  it("a stack cannot be destroyed with the former token, but with TRIVIUM_PROVISIONING_TOKEN, as the error advises", async () => {
    await stack.up(programOf(["payments"]));
    const former = emulator.provisioning.token;
    emulator.provisioning.rotateToken();
    const { token } = emulator.provisioning;
    await stack.setConfiguration("trivium:provisioningToken", token, true);
    const text = await failureOf(stack.destroy());
    assert.match(text, /returned 401.*token from the configuration value trivium:provisioningToken/);
    assert.match(text, /To override it, set TRIVIUM_PROVISIONING_TOKEN/);
    assert.equal(projectsIn(emulator).length, 1);
    stack.setEnvironment({ TRIVIUM_PROVISIONING_TOKEN: token });
    await stack.destroy();
    assert.deepEqual(projectsIn(emulator), []);
    const shown = stack.output + (await stack.state());
    assert.ok(![former, token].some((each) => shown.includes(each)));
  });

  it("a missing organization is reported with two solutions, one of which works", async () => {
    await stack.up(programOf(["payments", "billing"]));
    const ids = projectsIn(emulator).map(({ id }) => id);
    const before = await stack.resourcesInClear();
    emulator.provisioning.removeOrganization(organization);
    for (const operation of [() => stack.refresh(), () => stack.destroy()]) {
      const text = await failureOf(operation());
      assert.match(text, /was deleted, or the token has no access to it.*pulumi state delete/);
      ids.forEach((id) => assert.ok(text.includes(`TRIVIUM_ASSUME_GONE=${id}`), text));
      assert.deepEqual(await stack.resourcesInClear(), before);
    }
    stack.setEnvironment({ TRIVIUM_ASSUME_GONE: ids.join() });
    await stack.destroy();
    assert.deepEqual(await stack.resources(), []);
  });
});
