import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { collectClasses } from "../../sdk/resource/definition";
import { sharedProject } from "../support/packed-library";

/** State is kept for years: no name ever changes or goes away. */
const types = `
  provisioning:AdminOrganization provisioning:ModuleConsumers provisioning:NotificationConfiguration
  provisioning:Project provisioning:ProjectWorkspaces scheduler:EventGate
  secrets/directory:Config secrets/directory:DynamicCredential secrets/directory:DynamicRole
  secrets/directory:LibraryCheckout secrets/directory:LibrarySet secrets/directory:RootRotation
  secrets/directory:StaticRole secrets/directory:StaticRoleRotation secrets/identity:EntityAlias
  secrets/mfa:PushMethod secrets/mfa:TotpMethod secrets/mfa:TotpSecret
  secrets/scheduler:Access secrets/scheduler:Lease secrets/scheduler:Role secrets/scheduler:Token
`;
describe("the provider text of every resource", () => {
  const sent = new Map<string, string>();

  before(() =>
    pulumi.runtime.setMocks({
      newResource: ({ type, inputs }) => {
        const { __provider: stub } = inputs as { readonly __provider: string };
        sent.set(type.replace("pulumi-nodejs:dynamic/trivium/", ""), stub);
        return { id: "id", state: {} };
      },
      call: () => ({}),
    }),
  );
  after("other tests have programs of their own", () =>
    pulumi.runtime.resetOptions("", "", -1, "", "", false, ""),
  );

  it("the provider text of every resource is unchanged in the packed library, and has at most 120 bytes", async () => {
    type Constructor = new (name: string, args: object) => pulumi.CustomResource;
    const library = createRequire(join(sharedProject().path, "index.js"))("pulumi-trivium") as object;
    const resources = [...collectClasses(library)].map(
      ([type, Class]) => new (Class as unknown as Constructor)(type, {}),
    );
    await Promise.all(resources.map(({ urn }) => new Promise((resolve) => urn.apply(resolve))));
    for (const [type, stub] of sent) {
      assert.equal(stub, `exports.handler=()=>require("pulumi-trivium/dynamic").provider("${type}")`);
      assert.ok(Buffer.byteLength(stub) <= 120, stub);
    }
    const expected = types.trim().split(/\s+/);
    assert.deepEqual(
      expected.filter((type) => !sent.has(type)),
      [],
    );
  });
});
