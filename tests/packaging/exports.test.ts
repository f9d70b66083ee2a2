import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { packedPackage } from "./support/package";

describe("the exports of the package", function () {
  this.timeout("2m");

  it("have nothing that publint finds fault with", async () => {
    const { publint } = await import("publint");
    const { formatMessage } = await import("publint/utils");
    const { buffer, byteOffset, byteLength } = readFileSync(packedPackage().tarball);
    const { messages, pkg } = await publint({
      pack: { tarball: buffer.slice(byteOffset, byteOffset + byteLength) },
      strict: true,
    });
    assert.equal(pkg.name, "pulumi-trivium");
    assert.deepEqual(
      messages.map((message) => formatMessage(message, pkg)),
      [],
    );
  });

  it("lead to their types from CommonJS, from ES modules, for bundlers and for old compilers", async () => {
    const { checkPackage, createPackageFromTarballData } = await import("@arethetypeswrong/core");
    const { manifest, tarball } = packedPackage();
    const analysis = await checkPackage(createPackageFromTarballData(readFileSync(tarball)));
    assert.ok(analysis.types !== false, "the package has types");
    assert.deepEqual(Object.keys(analysis.entrypoints).toSorted(), Object.keys(manifest.exports).toSorted());
    for (const [entry, { resolutions }] of Object.entries(analysis.entrypoints)) {
      const target = manifest.exports[entry];
      const file = typeof target === "string" ? target : target?.types;
      for (const [kind, { resolution }] of Object.entries(resolutions)) {
        assert.equal(
          resolution?.fileName,
          file?.replace(".", "/node_modules/pulumi-trivium"),
          `${entry} as ${kind}`,
        );
      }
    }
    assert.deepEqual(analysis.problems, []);
  });
});
