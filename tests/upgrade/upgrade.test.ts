import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { version as current } from "../../sdk/package.json";
import type { JsonObject } from "../../sdk/base/json";
import { decodeEntry, providerStub } from "../../sdk/resource/state/encoding";
import { casesIn } from "../cases";
import { typeWith } from "../engine/support/adapter";
import { useSharedStack } from "../engine/support/shared-stack";
import type { Properties } from "../support/provider-process";
import { stepByStep } from "../support/step-by-step";
import { useRunning } from "../support/use-running";
import { inClear } from "../support/values";
import { configurationIn, declareAll, project, readRecordings, stateFileOf } from "./support/recording";
import { replay } from "./support/replay";

describe("the recorded states of the version that is released next", () => {
  const recordings = readRecordings().filter(([version]) => version === current);

  it("recorded states exist for both adapters in both dialects", () => {
    const found = recordings.map(([, { adapter, dialect }]) => `${adapter} ${dialect}`);
    const expected = ["dynamic documented", "dynamic hashicorp", "plugin documented", "plugin hashicorp"];
    assert.deepEqual(found, expected);
  });

  for (const [, { adapter, dialect, resources, drifted }] of recordings) {
    it(`recorded states have every class, each form of a managed argument, an import and drift: ${adapter}, ${dialect}`, () => {
      const outputs = resources.flatMap((each) =>
        each.outputs ? [decodeEntry(each.outputs as JsonObject)] : [],
      );
      const managed = outputs.flatMap((each) => Object.values(each.managed ?? {}));
      const forms = managed.map((how) => (how === true ? "as given" : Object.keys(how).join()));
      assert.deepEqual([...new Set(forms)].sort(), ["as", "as given", "cleared"]);
      const types = resources.map(({ type }) => type);
      const missing = [...casesIn(dialect).keys()].filter((type) => !types.includes(typeWith(adapter, type)));
      assert.deepEqual(missing, []);
      const imported = outputs.filter((each) => each.managed === undefined && each.service !== undefined);
      assert.equal(imported.length, adapter === "plugin" ? 1 : 0);
      assert.ok(drifted > 10);
    });
  }
});

for (const [version, recording] of readRecordings()) {
  const { adapter, dialect, drifted } = recording;
  describe(`a stack that version ${version} has made (${adapter}, ${dialect})`, function () {
    this.timeout(300_000);
    stepByStep();

    const program = (): void => declareAll(recording.program, adapter);
    const services = useRunning(
      "a set of services",
      () => replay(recording),
      (started) => started.close(),
    );
    const stack = useSharedStack(project, () => configurationIn(dialect), { adapter });

    before(() => writeFileSync(stack.statePath, stateFileOf(recording)));
    beforeEach(() => (services.requests = 0));

    if (adapter === "dynamic") {
      it("the recorded state finds its managers in at most 120 bytes, and has little beside the data", async () => {
        const resources = (await stack.resourcesInClear()).filter(({ inputs }) => inputs?.__provider);
        assert.ok(resources.length > 0);
        for (const { urn, type, inputs, outputs } of resources) {
          const [given, all] = [inputs, outputs].map((each) => inClear(each as Properties));
          const constant = providerStub(type.replace("pulumi-nodejs:dynamic/trivium/", ""));
          assert.equal(given?.__provider, constant);
          assert.ok(Buffer.byteLength(constant) <= 120, urn);
          // Arguments and outputs, each once.
          const visible = Object.entries({ ...given, ...all }).filter(([name]) => !name.startsWith("__"));
          const data = bytesOf(Object.fromEntries(visible));
          const inState = bytesOf(given) + bytesOf(all);
          const { managed = {} } = decodeEntry(all ?? {});
          const most = 2 * data + 400 + 40 * Object.keys(managed).length;
          assert.ok(inState <= most, `${urn}: ${inState} bytes for ${data} bytes of data`);
        }
      });
    }

    it("the first preview plans to restore what had drifted, and nothing else, without a request", async () => {
      const { changes, text } = await stack.preview(program);
      assert.deepEqual(changes, { update: drifted }, text);
      assert.equal(services.requests, 0);
    });

    it("the stack is settled after that: no change in a refresh, an update and another refresh", async () => {
      const { changes: restored, text: how } = await stack.up(program);
      assert.deepEqual(restored, { update: drifted }, how);
      assert.ok(services.requests > 0);
      for (const settled of [() => stack.refresh(), () => stack.up(program), () => stack.refresh()]) {
        const { changes, text } = await settled();
        assert.deepEqual(changes, {}, text);
      }
    });

    it("the stack is destroyed and leaves nothing behind", async () => {
      await stack.destroy();
      assert.deepEqual(await stack.resources(), []);
      assert.deepEqual(services.left(), recording.left);
    });
  });
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
