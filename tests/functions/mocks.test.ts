import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { Provider } from "../../sdk/connection/provider";
import { getProject, getProjectOutput, Project } from "../../sdk/provisioning";
import { directory } from "../../sdk/secrets";
import { useEnvironment } from "../connection/environment";
import { failure } from "../http/calls";
import { useMocks, valueOf } from "../resource/mocks";

/** A provider of dynamic resources that has nothing to do with the library. */
class ForeignProvider extends pulumi.ProviderResource {}

describe("functions in a unit test with mocks", () => {
  let calls: pulumi.runtime.MockCallArgs[];
  const mocked = useMocks({
    response(args) {
      calls.push(args);
      return { id: "prj-1", password: "password-of-the-mocks" };
    },
  });
  beforeEach(() => {
    calls = [];
  });
  // Nothing listens there: a request would fail.
  const settings = { address: "http://127.0.0.1:9", token: "token of the person who runs the test" };
  useEnvironment(() => ({
    PROVISIONING_ADDR: settings.address,
    PROVISIONING_TOKEN: settings.token,
    SECRETS_ADDR: settings.address,
    SECRETS_TOKEN: settings.token,
  }));
  const providerIn = (name: string) => new Provider(name, { provisioning: settings });
  const europe = () => providerIn("europe");

  it("functions in a unit test with mocks return the results of the mocks, which receive their names and arguments", async () => {
    const args = { organization: "acme", name: "payments" };
    assert.equal((await getProject(args)).id, "prj-1");
    const { id } = new Project("payments", args);
    assert.equal(await valueOf(getProjectOutput({ id }).id), "prj-1");
    const { password } = directory.getStaticCredentialsOutput({ roleName: "reports" });
    const found = [await valueOf(password), await pulumi.isSecret(password)];
    assert.deepEqual(found, ["password-of-the-mocks", true]);
    assert.deepEqual(calls, [
      { token: "trivium:provisioning:getProject", inputs: args },
      { token: "trivium:provisioning:getProject", inputs: { id: "payments-id" } },
      { token: "trivium:secrets/directory:getStaticCredentials", inputs: { roleName: "reports" } },
    ]);
  });

  it("functions in a unit test pass the mocks the same provider as resources do", async () => {
    const provider = europe();
    const project = new Project("payments", { organization: "acme", name: "payments" }, { provider });
    await valueOf(getProjectOutput({ id: project.id }, { provider }));
    const resource = mocked.registered.find(({ name }) => name === "payments");
    assert.match(calls[0]?.provider ?? "", /europe::europe-id$/);
    assert.equal(calls[0]?.provider, resource?.provider);
  });

  it("functions in a unit test with mocks still reject invalid arguments", async () => {
    const error = await failure(getProject({ id: "prj-1", name: "payments" }));
    assert.match(error.message, /^provisioning\.getProject: takes either id, or organization and name\.$/);
    assert.deepEqual(calls, []);
  });

  const component = (options: pulumi.ComponentResourceOptions): pulumi.ComponentResource =>
    new pulumi.ComponentResource("acme:platform:Team", "team", {}, options);
  const ofEurope = () => component({ providers: [europe()] });
  const providersOf: readonly [string, () => pulumi.InvokeOutputOptions, RegExp][] = [
    ["the provider of a component", () => ({ parent: component({ provider: europe() }) }), /::europe-id$/],
    [
      "one of the providers of a component, also in a nested component",
      () => ({ parent: component({ parent: ofEurope() }) }),
      /::europe-id$/,
    ],
    [
      "the provider in their options rather than the component's",
      () => ({ parent: ofEurope(), provider: providerIn("asia") }),
      /::asia-id$/,
    ],
    [
      "the provider that a component names by the plugin's package",
      () => ({ parent: component({ providers: { trivium: europe() } }) }),
      /::europe-id$/,
    ],
    ["no provider if the component has none", () => ({ parent: component({}) }), /^$/],
  ];
  for (const [what, options, provider] of providersOf) {
    it(`functions in a unit test with mocks use ${what}`, async () => {
      await valueOf(getProjectOutput({ id: "prj-1" }, options()));
      assert.match(calls[0]?.provider ?? "", provider);
    });
  }

  it("functions in a unit test with mocks reject a component with another kind of provider", async () => {
    const parent = component({ providers: [new ForeignProvider("pulumi-nodejs", "foreign")] });
    const message = /provisioning\.getProject: the provider of its parent must be a trivium\.Provider\.$/;
    assert.throws(() => getProjectOutput({ id: "prj-1" }, { parent }), { message });
    await assert.rejects(getProject({ id: "prj-1" }, { parent }), { message });
  });
});
