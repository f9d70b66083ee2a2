import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { Provider } from "../../sdk/connection/provider";
import { getProject, getProjectOutput, Project } from "../../sdk/provisioning";
import { directory } from "../../sdk/secrets";
import { useEnvironment } from "../connection/environment";
import { failure } from "../http/calls";
import { useMocks, valueOf } from "../resource/mocks";

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
  useEnvironment(() => ({
    PROVISIONING_ADDR: "http://127.0.0.1:9",
    PROVISIONING_TOKEN: "token of whoever runs the test",
    SECRETS_ADDR: "http://127.0.0.1:9",
    SECRETS_TOKEN: "token of whoever runs the test",
  }));

  it("are answered by the mocks, which get their names and arguments", async () => {
    const { id } = await getProject({ organization: "acme", name: "payments" });
    assert.equal(id, "prj-1");
    const project = new Project("payments", { organization: "acme", name: "payments" });
    assert.equal(await valueOf(getProjectOutput({ id: project.id }).id), "prj-1");
    assert.deepEqual(calls, [
      { token: "trivium:provisioning:getProject", inputs: { organization: "acme", name: "payments" } },
      { token: "trivium:provisioning:getProject", inputs: { id: "payments-id" } },
    ]);
  });

  it("keep secret what is secret", async () => {
    const credentials = directory.getStaticCredentialsOutput({ roleName: "reports" });
    assert.equal(await valueOf(credentials.password), "password-of-the-mocks");
    assert.equal(await pulumi.isSecret(credentials.password), true);
    assert.deepEqual(calls, [
      { token: "trivium:secrets/directory:getStaticCredentials", inputs: { roleName: "reports" } },
    ]);
  });

  it("get the same error about settings as resources", async () => {
    const provider = new Provider("europe", { provisioning: { address: "http://127.0.0.1:9", token: "t" } });
    const project = new Project("payments", { organization: "acme", name: "payments" }, { provider });
    await valueOf(getProjectOutput({ id: project.id }, { provider }));
    const [asked] = calls;
    const resource = mocked.registered.find(({ name }) => name === "payments");
    assert.match(asked?.provider ?? "", /europe::europe-id$/);
    assert.equal(asked?.provider, resource?.provider);
  });

  it("still refuse arguments that make no sense", async () => {
    const error = await failure(getProject({ id: "prj-1", name: "payments" }));
    assert.match(error.message, /^provisioning\.getProject: takes either id, or organization and name\.$/);
    assert.deepEqual(calls, []);
  });
});

describe("functions on behalf of a component", () => {
  const providers: (string | undefined)[] = [];
  useMocks({
    response({ provider }) {
      providers.push(provider);
      return {};
    },
  });
  beforeEach(() => {
    providers.length = 0;
  });

  const settings = { provisioning: { address: "http://127.0.0.1:9", token: "t" } };
  const component = (options: pulumi.ComponentResourceOptions): pulumi.ComponentResource =>
    new pulumi.ComponentResource("acme:platform:Team", "team", {}, options);
  const ask = async (options: Parameters<typeof getProjectOutput>[1]): Promise<string | undefined> => {
    await valueOf(getProjectOutput({ id: "prj-1" }, options));
    return providers[0];
  };

  for (const option of ["provider", "providers"] as const) {
    it(`use the provider that it got as ${option}, also in a component within`, async () => {
      const europe = new Provider("europe", settings);
      const outer = component({ [option]: option === "provider" ? europe : [europe] });
      const inner = new pulumi.ComponentResource("acme:platform:Part", "part", {}, { parent: outer });
      assert.match((await ask({ parent: inner })) ?? "", /::europe::europe-id$/);
    });
  }

  it("use their own before that, and none where it has none", async () => {
    const parent = component({ providers: [new Provider("europe", settings)] });
    const provider = new Provider("asia", settings);
    assert.match((await ask({ parent, provider })) ?? "", /::asia::asia-id$/);
    assert.equal(await ask({ parent: component({}) }).then(() => providers[1]), undefined);
  });

  it("refuse one that is none of ours", async () => {
    const parent = component({ providers: [new ForeignProvider("pulumi-nodejs", "foreign")] });
    assert.throws(
      () => getProjectOutput({ id: "prj-1" }, { parent }),
      /^InputError: provisioning\.getProject: the provider of its parent must be a trivium\.Provider\.$/,
    );
    const error = await failure(getProject({ id: "prj-1" }, { parent }));
    assert.match(error.message, /the provider of its parent/);
  });
});

/** A provider of dynamic resources that has nothing to do with the library. */
class ForeignProvider extends pulumi.ProviderResource {}
