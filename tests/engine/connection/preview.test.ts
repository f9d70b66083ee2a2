import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";
import { stepByStep } from "../../support/step-by-step";
import { useEmulator } from "../../support/use-emulator";
import { failureOf, organization, programOf, withOrganization } from "../support/projects";
import { useSharedStack } from "../support/shared-stack";

const { Project } = trivium.provisioning;

/** What tests/contract shows of check, as the CLI prints it. */
describe("what a preview finds without a request", function () {
  this.timeout(120_000);
  stepByStep();

  const emulator = useEmulator({ resets: false, ...withOrganization });
  const stack = useSharedStack("engine-preview", () => ({}));

  it("a preview finds a missing address, and names the three places to set it", async () => {
    const text = await failureOf(stack.preview(programOf(["payments"])));
    for (const part of [
      "resource 'payments' has a problem: The provisioning service is not configured. Missing: ",
      "`pulumi config set trivium:provisioningAddress`",
      "the environment variable PROVISIONING_ADDR",
      'new trivium.Provider("name", { provisioning: { address, token } })',
    ]) {
      assert.ok(text.includes(part), text);
    }
    assert.doesNotMatch(text, /<nil>|\bat .*:\d+:\d+/);
  });

  it("a preview warns once of a missing token, of unknown keys and of a token in plain text", async () => {
    await stack.setConfiguration("trivium:provisioningAddress", emulator.provisioning.address);
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
    await stack.removeConfiguration("trivium:provisioningTokn");
    await stack.removeConfiguration("trivium:secretsToken");
    await stack.setConfiguration("trivium:provisioningToken", emulator.provisioning.token, true);
  });

  it("a preview accepts arguments and settings that are not known yet", async () => {
    const { text, changes } = await stack.preview(() => {
      const project = new Project("payments", { organization, name: "payments" });
      const later = pulumi.interpolate`${project.id}`;
      new Project("follower", { organization: project.permissions.apply(() => organization), name: later });
      for (const [name, token] of Object.entries({ both: { token: later }, address: {} })) {
        const provider = new trivium.Provider(name, { secrets: { address: later, ...token } });
        new trivium.secrets.mfa.TotpMethod(`of-${name}`, { issuer: "acme" }, { provider });
      }
    });
    assert.equal(changes.create, 7);
    assert.doesNotMatch(text, /warning|not configured|not a valid URL/);
    assert.equal(emulator.journal.count(), 0);
  });

  it("an update refuses an argument that becomes known only then, before it sends anything", async () => {
    const text = await failureOf(
      stack.up(() => {
        const source = new Project("source", { organization, name: "source" });
        new Project("follower", { organization, name: source.id.apply((id) => id.slice(0, 2)) });
      }),
    );
    assert.match(text, /property name value \{pr\} has a problem: .*\b3\b/);
    assert.equal(emulator.journal.count({ method: "POST" }), 1);
  });
});
