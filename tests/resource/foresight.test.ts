import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import * as trivium from "../../sdk/index";
import { useMocks, valueOf } from "./mocks";

const { directory, mfa, scheduler } = trivium.secrets;

/** Whether an output is known, which the SDK keeps to itself. */
function isKnown(output: pulumi.Output<unknown>): Promise<boolean> {
  return (output as unknown as { readonly isKnown: Promise<boolean> }).isKnown;
}

// With a state, and with updates, only the real engine shows it: tests/engine/plans.
describe("the outputs of a dynamic resource that a preview creates", () => {
  useMocks({ preview: true });

  const args = { address: "https://scheduler.acme.example", token: "management" };

  it("have a default that the program leaves out, and carry the resource", async () => {
    const config = new directory.Config("directory", { binddn: "cn=a", bindpass: "pw" });
    assert.equal(await valueOf(config.mount), "ldap");
    const { allResources } = config.mount as unknown as {
      readonly allResources: () => Promise<ReadonlySet<pulumi.Resource>>;
    };
    assert.deepEqual([...(await allResources())], [config]);
  });

  it("have the default of the dialect that the stack or a provider configures", async () => {
    assert.equal(await valueOf(new scheduler.Access("one", args).mount), "scheduler");
    const provider = new trivium.Provider("vault", { secrets: { dialect: "hashicorp" } });
    assert.equal(await valueOf(new scheduler.Access("two", args, { provider }).mount), "nomad");
    pulumi.runtime.setAllConfig({ "trivium:secretsDialect": "hashicorp" });
    assert.equal(await valueOf(new scheduler.Access("three", args).mount), "nomad");
  });

  it("leave open what depends on a provider that is not known", async () => {
    const dialect = pulumi.output(new mfa.TotpMethod("method", { issuer: "Acme" }).type);
    const provider = new trivium.Provider("vault", { secrets: { dialect: dialect as never } });
    assert.equal(await isKnown(new scheduler.Access("one", args, { provider }).mount), false);
  });

  it("have documented defaults and durations in seconds, and leave open what the service decides", async () => {
    const { period, digits, type } = new mfa.TotpMethod("method", { issuer: "Acme", period: "1m" });
    assert.deepEqual([await valueOf(period), await valueOf(digits)], [60, 6]);
    assert.equal(await isKnown(type), false);
  });

  it("are the same each time", () => {
    const config = new directory.Config("directory", { binddn: "cn=a", bindpass: "pw" });
    assert.equal(config.mount, config.mount);
  });

  it("are secret as before", async () => {
    const access = new scheduler.Access("one", { ...args, clientKey: "key", clientCert: "cert" });
    assert.equal(await pulumi.isSecret(access.token), true);
    assert.equal(await pulumi.isSecret(access.address), false);
  });
});
