import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import * as trivium from "../../../sdk/index";
import { isKnown, useMocks, valueOf } from "../mocks";

const { directory, mfa, scheduler } = trivium.secrets;

describe("the outputs of a dynamic resource that a preview creates", () => {
  useMocks({ preview: true });

  const args = { address: "https://scheduler.acme.example", token: "management" };

  it("the outputs that a preview shows for a creation contain defaults of omitted arguments and depend on the resource", async () => {
    const config = new directory.Config("directory", { binddn: "cn=a", bindpass: "pw" });
    assert.equal(await valueOf(config.mount), "ldap");
    const { allResources } = config.mount as unknown as { allResources: () => Promise<Set<pulumi.Resource>> };
    assert.deepEqual([...(await allResources())], [config]);
  });

  it("a preview's outputs of a creation have the default of the dialect that the stack or a provider configures", async () => {
    assert.equal(await valueOf(new scheduler.Access("one", args).mount), "scheduler");
    const provider = new trivium.Provider("vault", { secrets: { dialect: "hashicorp" } });
    assert.equal(await valueOf(new scheduler.Access("two", args, { provider }).mount), "nomad");
    pulumi.runtime.setAllConfig({ "trivium:secretsDialect": "hashicorp" });
    assert.equal(await valueOf(new scheduler.Access("three", args).mount), "nomad");
  });

  it("a preview's outputs of a creation are unknown if they depend on an unknown provider", async () => {
    const dialect = pulumi.output(new mfa.TotpMethod("method", { issuer: "Acme" }).type);
    const provider = new trivium.Provider("vault", { secrets: { dialect: dialect as never } });
    assert.equal(await isKnown(new scheduler.Access("one", args, { provider }).mount), false);
  });

  it("a preview's outputs of a creation have documented defaults and durations in seconds, and are unknown if the service decides", async () => {
    const { period, digits, type } = new mfa.TotpMethod("method", { issuer: "Acme", period: "1m" });
    assert.deepEqual([await valueOf(period), await valueOf(digits)], [60, 6]);
    assert.equal(await isKnown(type), false);
  });

  it("a preview's outputs of a creation are the same each time, and remain secret", async () => {
    const access = new scheduler.Access("one", { ...args, clientKey: "key", clientCert: "cert" });
    assert.equal(access.mount, access.mount);
    assert.deepEqual(await Promise.all([access.token, access.address].map(pulumi.isSecret)), [true, false]);
  });
});

// With the real engine: tests/engine/plans.test.ts.
describe("the outputs of a dynamic resource that a preview updates", () => {
  const token = "pulumi-nodejs:dynamic/trivium/secrets/mfa:TotpMethod";
  const urn = `urn:pulumi:stack::project::${token}::method`;
  const unmarked = { issuer: "Acme", period: 60, digits: 8, type: "totp" };
  const managed = { ...unmarked, __managed: { issuer: true, period: true, digits: true } };
  let state: unknown;
  /** Check adds null for each argument that the program no longer gives. */
  const outputs: Record<string, unknown> = {};
  useMocks({ preview: "update", readsState: true, outputs, response: () => ({ outputs: state }) });

  /** Issuer, period, digits and type as a program sees them; `undefined` where one is not known. */
  const seen = async (
    args: Partial<trivium.secrets.mfa.TotpMethodArgs>,
    resources: unknown = { [urn]: { outputs: managed } },
  ): Promise<readonly unknown[]> => {
    state = resources;
    const { issuer, period, digits, type } = new mfa.TotpMethod("method", { issuer: "Acme", ...args });
    const shown = [issuer, period, digits, type] as readonly pulumi.Output<unknown>[];
    return Promise.all(shown.map(async (each) => ((await isKnown(each)) ? valueOf(each) : undefined)));
  };

  it("a preview's outputs of an update are the ones in state, with either adapter, if nothing changes", async () => {
    assert.deepEqual(await seen({ period: "1m", digits: 8 }), ["Acme", 60, 8, "totp"]);
    const plugin = { [urn.replace(token, "trivium:secrets/mfa:TotpMethod")]: { outputs: managed } };
    assert.deepEqual(await seen({ period: 60, digits: 8 }, plugin), ["Acme", 60, 8, "totp"]);
  });

  it("the outputs that a preview shows for an update contain the defaults of removed arguments, and the values of arguments that were added again", async () => {
    outputs.period = null;
    assert.deepEqual(await seen({ digits: 6 }), ["Acme", 30, 6, "totp"]);
    delete outputs.period;
    assert.deepEqual(await seen({ issuer: "Other", period: 60 }), ["Other", 60, 8, "totp"]);
  });

  it("a preview's outputs of an update are unknown if the program sets an unknown value", async () => {
    const period = pulumi.output(new mfa.TotpMethod("another", { issuer: "Acme" }).type) as never;
    assert.deepEqual(await seen({ period, digits: 8 }), ["Acme", undefined, 8, "totp"]);
  });

  for (const [what, resources] of [
    ["has no entry for the resource", {}],
    ["does not record what the program manages", { [urn]: { outputs: unmarked } }],
    ["has no outputs", { [urn]: {} }],
    ["is none", "state"],
  ] as const) {
    it(`a preview's outputs of an update are the program's values and defaults if the state ${what}`, async () => {
      assert.deepEqual(await seen({ period: 60 }, resources), ["Acme", 60, undefined, undefined]);
      assert.equal(await valueOf(new directory.RootRotation("rotation").mount), "ldap");
    });
  }

  it("a preview's outputs of an update are secret if they are secret in state", async () => {
    state = { [urn]: { outputs: { ...managed, __secrets: ["issuer"] } } };
    const { issuer, type } = new mfa.TotpMethod("method", { issuer: "Acme", period: 60, digits: 8 });
    assert.deepEqual([await pulumi.isSecret(issuer), await pulumi.isSecret(type)], [true, false]);
  });
});
