import assert from "node:assert/strict";
import { version as current } from "../../sdk/package.json";
import { type Program, type StateResource, useStack } from "../engine/support/stack";
import type { Properties } from "../support/provider-process";
import { stepByStep } from "../support/step-by-step";
import { useRunning } from "../support/use-running";
import { inClear } from "../support/values";
import { configuration, declareAll, project, readRecording, recordedVersions } from "./support/recording";
import { ReplayedServices } from "./support/replay";

/** What the program of the oldest recording leaves behind, because no service can undo it. */
const remaining = {
  // A service has no request that deletes its configuration.
  "secrets.schedulerAccess": 1,
  // The credential and the token end by their time to live.
  "secrets.leases": 2,
  "secrets.directoryIssuedAccounts": 1,
  "scheduler.aclTokens": 1,
  // The event of the token.
  "scheduler.frames": 1,
  // The account of the credential, and the three whose passwords were rotated.
  "secrets.directoryEntries": 4,
};

/** What newer versions write into state beside the values. */
const marks: ReadonlySet<string> = new Set(["__managed", "__at", "__private", "__urn", "__secrets"]);

describe("the recorded states", () => {
  it("have one of the version that is released next", () => {
    assert.ok(recordedVersions().includes(current));
  });
});

for (const version of recordedVersions()) {
  for (const marked of [true, false]) {
    const title = marked ? "has made" : "would have made without any marks";
    describe(`a stack that version ${version} ${title}`, function () {
      this.timeout(300_000);
      stepByStep();

      const recording = readRecording(version);
      const program: Program = () => declareAll(recording.program);
      const services = useRunning(
        "a set of services",
        () => ReplayedServices.start(recording),
        (started) => started.close(),
      );
      const stack = useStack(project, () => configuration);

      before(async () => {
        await stack.replaceStateFile(recording.state);
        if (!marked) {
          await stack.rewriteResources((resources) =>
            resources.map((resource) => ({
              ...resource,
              inputs: withoutMarks(resource.inputs),
              outputs: withoutMarks(resource.outputs),
            })),
          );
        }
      });
      beforeEach(() => (services.requests = 0));

      if (marked) {
        it("has what finds its managers in at most 120 bytes, and little beside the data", async () => {
          const resources = (await stack.resourcesInClear()).filter(
            ({ inputs }) => inputs?.__provider !== undefined,
          );
          assert.ok(resources.length > 0);
          for (const { urn, type, inputs, outputs } of resources) {
            const [given, all] = [inputs, outputs].map((each) => inClear(each as Properties));
            const name = type.slice("pulumi-nodejs:dynamic/trivium/".length);
            const constant = `exports.handler=()=>require("pulumi-trivium/dynamic").provider("${name}")`;
            assert.equal(given?.__provider, constant);
            assert.ok(Buffer.byteLength(constant) <= 120, urn);
            // Arguments and outputs, each once.
            const visible = Object.entries({ ...given, ...all }).filter(([name]) => !name.startsWith("__"));
            const data = bytesOf(Object.fromEntries(visible));
            const inState = bytesOf(given) + bytesOf(all);
            assert.ok(inState <= 2 * data + 700, `${urn}: ${inState} bytes for ${data} bytes of data`);
          }
        });

        it("shows no change in a plan, which makes no request", async () => {
          await stack.previewWithoutChanges(program);
          assert.equal(services.requests, 0);
        });
      } else {
        it("is settled after one update in place", async () => {
          const { changes, text } = await stack.up(program);
          assert.deepEqual(Object.keys(changes), ["update"], text);
          await stack.previewWithoutChanges(program);
        });
      }

      it("shows no change in a refresh, an update and another refresh", async () => {
        const refresh = await stack.refresh();
        assert.ok(services.requests > 0);
        for (const { changes, text } of [refresh, await stack.up(program), await stack.refresh()]) {
          assert.deepEqual(changes, {}, text);
        }
      });

      it("is destroyed and leaves nothing behind", async () => {
        await stack.destroy();
        assert.deepEqual(await stack.resources(), []);
        assert.deepEqual(services.left(), {
          ...(recording.left ?? remaining),
          // The former values of the organization were among the marks.
          ...(marked ? {} : { "provisioning.organizations": 1 }),
        });
      });
    });
  }
}

function withoutMarks(properties: StateResource["inputs"]): StateResource["inputs"] {
  return properties && Object.fromEntries(Object.entries(properties).filter(([name]) => !marks.has(name)));
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
