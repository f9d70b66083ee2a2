import assert from "node:assert/strict";
import * as sdk from "@pulumi/pulumi/version";
import { assertGetSupported } from "../../sdk/resource/get";

describe("assertGetSupported", () => {
  const { version } = sdk;
  afterEach(() => assert.ok(Reflect.set(sdk, "version", version)));

  for (const supported of [version, "3.268.0", "3.300.1", "4.0.0", "3.268.0-alpha.1"]) {
    it(`passes with version ${supported} of the SDK`, () => {
      Reflect.set(sdk, "version", supported);
      assertGetSupported("provisioning.Project");
    });
  }

  for (const old of ["3.267.9", "3.216.0"]) {
    it(`refuses with version ${old}, saying which is needed`, () => {
      Reflect.set(sdk, "version", old);
      assert.throws(() => assertGetSupported("provisioning.Project"), {
        message:
          `provisioning.Project.get requires @pulumi/pulumi 3.268.0 or later, but this program uses ${old}. ` +
          "Run `npm install @pulumi/pulumi@^3.268.0`: without a version, npm installs an older one on Node.js 20. " +
          "The rest of pulumi-trivium works with your version.",
      });
    });
  }
});
