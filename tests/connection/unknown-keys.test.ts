import assert from "node:assert/strict";
import { configurationKey, movedFromKey, serviceNames, settingsOf } from "../../sdk/base/settings";
import { unknownKeys, warnOfUnknownKeys } from "../../sdk/connection/unknown-keys";
import { useMocks, warningsOf } from "../resource/mocks";
import * as pulumi from "@pulumi/pulumi";

describe("unknownKeys", () => {
  it("passes every setting of every service, and what else is the library's", () => {
    const own = serviceNames.flatMap((service) => [
      ...settingsOf(service).map(([name]) => configurationKey(service, name)),
      movedFromKey(service),
    ]);
    assert.deepEqual(unknownKeys([...own, "trivium:adapter", "trivium:dialect"]), []);
  });

  it("leaves other namespaces alone", () => {
    assert.deepEqual(unknownKeys(["aws:regoin", "project:secretsTokn", "triviums:secretsTokn"]), []);
  });

  const typos: readonly [string, string | undefined][] = [
    ["secretsTokn", "secretsToken"],
    ["secretstoken", "secretsToken"],
    ["secretAddress", "secretsAddress"],
    ["provisioningAdress", "provisioningAddress"],
    ["schedulerDialekt", "schedulerDialect"],
    ["dialekt", "dialect"],
    ["provisioningNamespace", undefined],
    ["x", undefined],
  ];
  for (const [key, meant] of typos) {
    it(`asks whether ${key} is meant to be ${meant ?? "another"}`, () => {
      const [found, ...more] = unknownKeys([`trivium:${key}`]);
      assert.deepEqual([found?.key, more], [`trivium:${key}`, []]);
      if (meant !== undefined) {
        assert.equal(found?.meant, `trivium:${meant}`);
      }
    });
  }
});

describe("warnOfUnknownKeys", () => {
  useMocks();

  it("says nothing in unit tests of programs", async () => {
    const warnings = await warningsOf(() => {
      pulumi.runtime.setAllConfig({ "trivium:secretsTokn": "x" });
      warnOfUnknownKeys();
    });
    assert.deepEqual(warnings, []);
  });
});
