import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";
import { useEmulator } from "../../support/use-emulator";
import {
  configurationFor,
  withOrganization,
  failureOf,
  numbered,
  organization,
  programOf,
} from "../support/projects";
import { TestStack } from "../support/stack";

/** How often a text stands in another. */
function countOf(text: string, part: RegExp): number {
  return [...text.replace(/\s+/g, " ").matchAll(new RegExp(part, "g"))].length;
}

describe("what a preview finds without a request", function () {
  this.timeout(900_000);

  const emulator = useEmulator({ resets: false, ...withOrganization });
  const stacks: TestStack[] = [];
  const create = async (
    name: string,
    configuration: Readonly<Record<string, string | { readonly secret: string }>>,
  ): Promise<TestStack> => {
    const stack = await TestStack.create(`preview-${name}`, configuration);
    stacks.push(stack);
    return stack;
  };
  beforeEach(() => emulator.journal.clear());
  afterEach(() => assert.equal(emulator.journal.count(), 0, "a request was made"));
  after(() => {
    stacks.forEach((stack) => stack.remove());
  });

  it("is a missing address, naming the three places to set it", async () => {
    const stack = await create("address", {});
    const text = await failureOf(stack.preview(programOf(["payments"])));
    assert.match(
      text,
      /resource 'payments' has a problem: The provisioning service is not configured\. Missing: /,
    );
    for (const place of [
      "`pulumi config set trivium:provisioningAddress`",
      "the environment variable PROVISIONING_ADDR",
      'new trivium.Provider("name", { provisioning: { address, token } })',
    ]) {
      assert.ok(text.includes(place), text);
    }
    assert.doesNotMatch(text, /<nil>|\bat .*:\d+:\d+/);
  });

  it("is an address that is no URL", async () => {
    const stack = await create("url", { "trivium:provisioningAddress": "foo.example.com" });
    const text = await failureOf(stack.preview(programOf(["payments"])));
    assert.match(
      text,
      /resource .payments. has a problem: The configuration value trivium:provisioningAddress is not a valid URL such as https:\/\/example\.com: it is "foo\.example\.com", and https:\/\/ is missing\./,
    );
  });

  it("is a missing token, which it warns of once, and keys that nobody reads", async () => {
    const stack = await create("token", {
      "trivium:provisioningAddress": emulator.provisioning.address,
      "trivium:provisioningTokn": "x",
    });
    const { text, changes } = await stack.preview(programOf(numbered(10)));
    assert.equal(changes.create, 11);
    assert.equal(
      countOf(text, /warning: The provisioning service is not configured\. Missing: token/),
      1,
      text,
    );
    assert.equal(
      countOf(
        text,
        /warning: trivium:provisioningTokn is not a valid configuration key, so it has no effect\. Did you mean trivium:provisioningToken\?/,
      ),
      1,
      text,
    );
  });

  it("is a bad part of an argument, without a value that the engine cannot find", async () => {
    const stack = await create("argument", configurationFor(emulator));
    const text = await failureOf(
      stack.preview(() => {
        new trivium.provisioning.NotificationConfiguration("deployments", {
          workspaceId: "ws-1",
          destinationType: "generic",
          enabled: false,
          url: "https://hooks.acme.example",
          triggers: ["run:exploded"],
        } as unknown as trivium.provisioning.NotificationConfigurationArgs);
        return Promise.resolve(undefined);
      }),
    );
    assert.match(text, /resource 'deployments' has a problem: triggers\[0\] must be /);
    assert.match(text, /resource 'deployments' has a problem: name is required/);
    assert.doesNotMatch(text, /<nil>/);
  });

  it("is nothing of settings that are not known yet", async () => {
    const stack = await create("unknown", configurationFor(emulator));
    const { text, changes } = await stack.preview(() => {
      const project = new trivium.provisioning.Project("payments", { organization, name: "payments" });
      const later = pulumi.interpolate`${project.id}`;
      for (const [name, secrets] of Object.entries({
        both: { address: later, token: later },
        address: { address: later },
      })) {
        const provider = new trivium.Provider(name, { secrets });
        new trivium.secrets.mfa.TotpMethod(`of-${name}`, { issuer: "acme" }, { provider });
      }
      return Promise.resolve(undefined);
    });
    assert.equal(changes.create, 6);
    assert.doesNotMatch(text, /warning|not configured|not a valid URL/);
  });
});
