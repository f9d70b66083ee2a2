import assert from "node:assert/strict";
import { rememberEnvironment } from "../../connection/environment";
import { json, startServer, stopServers } from "../../http/server";
import { FakeEngine, providerWith } from "../../support/fake-engine";
import { configurationWith } from "../../support/proxy";
import { definitions } from "../../support/services";

describe("a resource that the user declares to be gone", () => {
  let restore: () => void;
  beforeEach(() => (restore = rememberEnvironment()));
  afterEach(() => {
    restore();
    stopServers();
  });

  const existing: Readonly<Record<string, readonly [id: string, outputs: object]>> = {
    "secrets/directory:StaticRole": ["ldap/payments", { mount: "ldap", roleName: "payments" }],
    "secrets/directory:Config": ["ldap", { mount: "ldap", binddn: "cn=admin" }],
    "secrets/directory:DynamicCredential": [
      "lease-1",
      { mount: "ldap", roleName: "ops", leaseId: "lease-1" },
    ],
    "secrets/identity:EntityAlias": ["alias-1", { name: "alice" }],
    "secrets/mfa:TotpMethod": ["method-1", { issuer: "Acme" }],
    "provisioning:Project": ["prj-1", { organization: "acme", name: "payments" }],
    "provisioning:ModuleConsumers": ["acme", { organization: "acme", consumers: ["a"] }],
  };
  const responses: readonly (readonly [status: number, body: string])[] = [
    [200, "null"],
    [204, ""],
    [200, "<html>Sign in</html>"],
    [301, ""],
    [400, "{}"],
    [401, "{}"],
    [403, "{}"],
    [404, "404 page not found"],
    [404, "<html>Not found</html>"],
    [404, '{"message":"no Route matched"}'],
    [410, ""],
    [502, "bad gateway"],
  ];

  for (const [type, [id, outputs]] of Object.entries(existing)) {
    it(`${type} counts as deleted in a refresh and a destroy, whatever the service returns`, async () => {
      for (const [status, body] of responses) {
        const { address } = await startServer((response) => response.writeHead(status).end(body));
        const configuration = configurationWith(() => ({
          Address: address,
          Token: `token-of-${id}-canary`,
          MaxRetries: "0",
        }));
        const managed = (): FakeEngine => {
          const provider = providerWith(definitions.get(type) ?? assert.fail(type), configuration);
          const engine = new FakeEngine(definitions.get(type), { operate: (calls) => calls(provider, {}) });
          const entry = { ...outputs, __managed: {} };
          engine.resource = {
            name: "subject",
            id,
            inputs: {},
            outputs: entry,
            incomplete: false,
            deleted: false,
          };
          return engine;
        };
        process.env.TRIVIUM_ASSUME_GONE = `other,${id}`;
        assert.equal(await managed().refresh(), false, `${status} ${body}`);
        await managed().destroy();
      }
    });
  }

  it("a resource that the service still returns does not count as deleted", async () => {
    const { address } = await startServer((response) =>
      json(response, 200, { data: { username: "svc", dn: "", rotation_period: 5, last_svc_rotation: "" } }),
    );
    process.env.TRIVIUM_ASSUME_GONE = "ldap/payments";
    const configuration = configurationWith(() => ({
      Address: address,
      Token: "token-of-the-shown-one",
      MaxRetries: "0",
    }));
    const definition = definitions.get("secrets/directory:StaticRole");
    const provider = providerWith(definition ?? assert.fail(), configuration);
    assert.equal(
      (await provider.refresh("ldap/payments", { mount: "ldap", __managed: {} })).id,
      "ldap/payments",
    );
  });
});
