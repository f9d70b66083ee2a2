import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import * as sources from "../../sdk";
import { sharedProject } from "../support/packed-library";

/**
 * The texts in users' state by which the engine finds what manages a resource. State is kept for years: no line ever
 * changes or goes away.
 */
const stubs: readonly string[] = [
  'exports.handler=()=>require("pulumi-trivium/dynamic").provider("provisioning:AdminOrganization")',
  'exports.handler=()=>require("pulumi-trivium/dynamic").provider("provisioning:ModuleConsumers")',
  'exports.handler=()=>require("pulumi-trivium/dynamic").provider("provisioning:NotificationConfiguration")',
  'exports.handler=()=>require("pulumi-trivium/dynamic").provider("provisioning:Project")',
  'exports.handler=()=>require("pulumi-trivium/dynamic").provider("provisioning:ProjectWorkspaces")',
  'exports.handler=()=>require("pulumi-trivium/dynamic").provider("scheduler:EventGate")',
  'exports.handler=()=>require("pulumi-trivium/dynamic").provider("secrets/directory:Config")',
  'exports.handler=()=>require("pulumi-trivium/dynamic").provider("secrets/directory:DynamicCredential")',
  'exports.handler=()=>require("pulumi-trivium/dynamic").provider("secrets/directory:DynamicRole")',
  'exports.handler=()=>require("pulumi-trivium/dynamic").provider("secrets/directory:LibraryCheckout")',
  'exports.handler=()=>require("pulumi-trivium/dynamic").provider("secrets/directory:LibrarySet")',
  'exports.handler=()=>require("pulumi-trivium/dynamic").provider("secrets/directory:RootRotation")',
  'exports.handler=()=>require("pulumi-trivium/dynamic").provider("secrets/directory:StaticRole")',
  'exports.handler=()=>require("pulumi-trivium/dynamic").provider("secrets/directory:StaticRoleRotation")',
  'exports.handler=()=>require("pulumi-trivium/dynamic").provider("secrets/identity:EntityAlias")',
  'exports.handler=()=>require("pulumi-trivium/dynamic").provider("secrets/mfa:PushMethod")',
  'exports.handler=()=>require("pulumi-trivium/dynamic").provider("secrets/mfa:TotpMethod")',
  'exports.handler=()=>require("pulumi-trivium/dynamic").provider("secrets/mfa:TotpSecret")',
  'exports.handler=()=>require("pulumi-trivium/dynamic").provider("secrets/scheduler:Access")',
  'exports.handler=()=>require("pulumi-trivium/dynamic").provider("secrets/scheduler:Lease")',
  'exports.handler=()=>require("pulumi-trivium/dynamic").provider("secrets/scheduler:Role")',
  'exports.handler=()=>require("pulumi-trivium/dynamic").provider("secrets/scheduler:Token")',
];

interface ResourceClass {
  readonly definition: { readonly type: string };
  new (name: string, args: object): pulumi.CustomResource;
}

/** All resource classes that a module exports, also from the namespaces in it. */
function resourceClasses(module: object): ResourceClass[] {
  return Object.values(module).flatMap((exported: unknown) => {
    if (typeof exported === "function" && "definition" in exported) {
      return [exported as unknown as ResourceClass];
    }
    return typeof exported === "object" && exported !== null ? resourceClasses(exported) : [];
  });
}

describe("the provider text of every resource", () => {
  let sent: { readonly type: string; readonly stub: string }[] = [];

  before(async () => {
    await pulumi.runtime.setMocks({
      newResource: ({ type, inputs }) => {
        const { __provider: stub } = inputs as { readonly __provider: string };
        sent.push({ type, stub });
        return { id: "id", state: {} };
      },
      call: () => ({}),
    });
  });
  beforeEach(() => {
    sent = [];
  });
  after("other tests have programs of their own", () =>
    pulumi.runtime.resetOptions("", "", -1, "", "", false, ""),
  );

  const builds: Readonly<Record<string, () => object>> = {
    sources: () => sources,
    "packed library": () => createRequire(join(sharedProject().path, "index.js"))("pulumi-trivium") as object,
  };
  for (const [build, load] of Object.entries(builds)) {
    it(`is what it has always been, as the classes of the ${build} send it`, async () => {
      const resources = resourceClasses(load()).map((Class) => new Class(Class.definition.type, {}));
      await Promise.all(resources.map(({ urn }) => new Promise((resolve) => urn.apply(resolve))));
      const texts = sent.map(({ stub }) => stub);
      assert.deepEqual(
        stubs.filter((stub) => !texts.includes(stub)),
        [],
        "what is in users' state must be understood for ever",
      );
      for (const { type, stub } of sent) {
        const named = type.replace("pulumi-nodejs:dynamic/trivium/", "");
        assert.equal(stub, `exports.handler=()=>require("pulumi-trivium/dynamic").provider("${named}")`);
      }
    });
  }

  it("has at most 120 bytes", () => {
    assert.deepEqual(
      stubs.filter((stub) => Buffer.byteLength(stub) > 120),
      [],
    );
  });
});
