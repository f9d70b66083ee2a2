import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";
import { type Emulator, startEmulator } from "pulumi-trivium/testing";
import { configurationFor, emulatorWithOrganization, failureOf, organization } from "../support/projects";
import { type Program, TestStack } from "../support/stack";

/** What only the plugin does with an operation. */
describe("an operation with the plugin", function () {
  this.timeout(240_000);

  let emulator: Emulator;
  let stack: TestStack;

  before(async () => {
    emulator = await emulatorWithOrganization();
    const { address, token } = emulator.scheduler;
    stack = await TestStack.create(
      "plugin-operations",
      {
        ...configurationFor(emulator),
        "trivium:schedulerAddress": address,
        "trivium:schedulerToken": { secret: token },
        "trivium:secretsAddress": emulator.secrets.address,
        "trivium:secretsToken": { secret: emulator.secrets.token },
      },
      {},
      "plugin",
    );
  });

  after(async () => {
    stack.remove();
    await emulator.close();
  });

  const gate: Program = () => {
    new trivium.scheduler.EventGate(
      "gate",
      { topics: ["Deployment:web"], match: {}, timeout: "1h" },
      { customTimeouts: { create: "2s" } },
    );
    return Promise.resolve(undefined);
  };

  it("waits no longer than its customTimeouts say", async () => {
    const text = await failureOf(stack.up(gate));
    assert.match(text, /The operation exceeded the 2 s of customTimeouts\./);
    assert.doesNotMatch(text, /has no effect/);
  });

  it("tells in a plan what is known, and makes no request", async () => {
    const seen: unknown[] = [];
    await stack.preview(() => {
      const project = new trivium.provisioning.Project("payments", { organization, name: "payments" });
      const method = new trivium.secrets.mfa.TotpMethod("codes", { issuer: "Acme", period: "1m" });
      pulumi.all([project.name, method.period, method.keySize]).apply((values) => seen.push(...values));
      method.namespace.apply((namespace) => seen.push(namespace));
      return Promise.resolve(undefined);
    });
    assert.deepEqual(seen, ["payments", 60, 20]);
  });

  it("shows the part of a map that has changed, whatever its key", async () => {
    const { secrets } = emulator;
    const canonicalId = secrets.addEntity().id;
    const mountAccessor = secrets.addMount({ type: "userpass", path: "auth/people" }).accessor;
    const alias =
      (value: string): Program =>
      () => {
        const keys = ["CORP\\alice", 'say "hi"', "x.y[0]", "ends\\"];
        new trivium.secrets.identity.EntityAlias("alice", {
          name: "alice",
          canonicalId,
          mountAccessor,
          customMetadata: Object.fromEntries(keys.map((key) => [key, value])),
        });
        return Promise.resolve(undefined);
      };
    await stack.up(alias("former-value"));
    const { text } = await stack.preview(alias("newer-value"));
    assert.equal(text.match(/"former-value" => "newer-value"/g)?.length, 4, text);
  });

  it("sends no token of the environment to a provider's own address, whatever the provider's name", async () => {
    const other = await startEmulator();
    const method = (options?: pulumi.CustomResourceOptions): void => {
      new trivium.secrets.mfa.TotpMethod("codes", { issuer: "Acme" }, options);
    };
    stack.setEnvironment({ SECRETS_TOKEN: emulator.secrets.token });
    await stack.removeConfiguration("trivium:secretsToken");
    const text = await failureOf(
      stack.up(() => {
        const provider = new RawProvider("default_1_2_3", { secretsAddress: other.secrets.address });
        method({ provider });
        return Promise.resolve(undefined);
      }),
    );
    assert.match(text, /secrets service is not configured\. Missing: token/);
    assert.equal(other.journal.count(), 0);
    await other.close();
    // It is for the address in stack configuration.
    await stack.up(() => {
      method();
      return Promise.resolve(undefined);
    });
    assert.equal(emulator.inspect().secrets.totpMethods.length, 1);
  });
});

/** A provider as an SDK that is generated from the schema has it. */
class RawProvider extends pulumi.ProviderResource {
  constructor(name: string, settings: pulumi.Inputs) {
    super("trivium", name, settings);
  }
}
