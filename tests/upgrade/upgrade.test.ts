import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { version as current } from "../../sdk/package.json";
import { type Program, type StateResource, TestStack } from "../engine/support/stack";
import { stepByStep } from "../support/step-by-step";
import {
  configuration,
  project,
  readRecording,
  recordedVersions,
  type Recording,
  type World,
} from "./support/recording";
import { ReplayedServices, Translation } from "./support/replay";

/** What is not as the program of the oldest recording has found it once the stack is destroyed, for no service can undo it. */
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
const marks: ReadonlySet<string> = new Set(["__managed", "__at", "__memory", "__urn", "__secrets"]);

describe("the recorded states", () => {
  it("have one of the version that is released next", () => {
    assert.ok(recordedVersions().includes(current));
  });
});

for (const version of recordedVersions()) {
  describe(`a stack that version ${version} has made`, function () {
    this.timeout(300_000);
    stepByStep();

    const recording = readRecording(version);
    const program = programOf(recording);
    let services: ReplayedServices;
    let stack: TestStack;

    before(async function () {
      this.timeout(900_000);
      services = await ReplayedServices.start(recording);
      stack = await TestStack.create(project, configuration);
      await stack.replaceStateFile(recording.state);
    });
    after(async () => {
      stack.remove();
      await services.close();
    });
    beforeEach(() => {
      services.requests = 0;
    });

    it("has what finds its managers in at most 120 bytes, and little beside the data", async () => {
      const sizes = sizesOf(await stack.resources());
      assert.ok(sizes.length > 0);
      for (const { urn, type, provider, data, inState } of sizes) {
        const name = type.slice("pulumi-nodejs:dynamic/trivium/".length);
        const constant = `exports.handler=()=>require("pulumi-trivium/dynamic").provider("${name}")`;
        assert.equal(provider, constant);
        assert.ok(Buffer.byteLength(provider) <= 120, urn);
        assert.ok(inState <= 2 * data + 700, `${urn}: ${inState} bytes for ${data} bytes of data`);
      }
    });

    it("shows no change in a plan, which makes no request", async () => {
      await stack.previewWithoutChanges(program);
      assert.equal(services.requests, 0);
    });

    it("shows no change in a refresh, nor after it", async () => {
      const { changes, text } = await stack.refresh();
      assert.deepEqual(changes, {}, text);
      assert.ok(services.requests > 0);
      await stack.previewWithoutChanges(program);
    });

    it("shows no change in an update, nor in a refresh after it", async () => {
      const updated = await stack.up(program);
      assert.deepEqual(updated.changes, {}, updated.text);
      const refreshed = await stack.refresh();
      assert.deepEqual(refreshed.changes, {}, refreshed.text);
    });

    it("is destroyed and leaves nothing behind", async () => {
      await stack.destroy();
      assert.deepEqual(await stack.resources(), []);
      assert.deepEqual(services.left(), recording.left ?? remaining);
    });
  });

  describe(`a stack as version ${version} would have made it without any marks`, function () {
    this.timeout(300_000);
    stepByStep();

    const recording = readRecording(version);
    const program = programOf(recording);
    let services: ReplayedServices;
    let stack: TestStack;

    before(async function () {
      this.timeout(900_000);
      services = await ReplayedServices.start(recording);
      stack = await TestStack.create(project, configuration);
      await stack.replaceStateFile(recording.state);
      await stack.rewriteResources((resource) => ({
        ...resource,
        inputs: withoutMarks(resource.inputs),
        outputs: withoutMarks(resource.outputs),
      }));
    });
    after(async () => {
      stack.remove();
      await services.close();
    });

    it("is settled after one update in place", async () => {
      const { changes, text } = await stack.up(program);
      assert.deepEqual(Object.keys(changes), ["update"], text);
      await stack.previewWithoutChanges(program);
    });

    it("shows no change in a refresh, nor after it", async () => {
      const { changes, text } = await stack.refresh();
      assert.deepEqual(changes, {}, text);
      await stack.previewWithoutChanges(program);
    });

    it("is destroyed and leaves nothing behind", async () => {
      await stack.destroy();
      assert.deepEqual(await stack.resources(), []);
      // The former values of the organization were among the marks.
      assert.deepEqual(services.left(), {
        ...(recording.left ?? remaining),
        "provisioning.organizations": 1,
      });
    });
  });
}

/** The program of that version, with the library of today. */
function programOf({ program, world = {} }: Recording): Program {
  const { declareAll } = createRequire(__filename)(program) as {
    readonly declareAll: (world: World) => void;
  };
  return () => {
    declareAll(world);
    return Promise.resolve(undefined);
  };
}

function withoutMarks(properties: unknown): unknown {
  return properties === undefined
    ? undefined
    : Object.fromEntries(Object.entries(properties as object).filter(([name]) => !marks.has(name)));
}

/** How large a resource is in state. */
interface Size {
  readonly urn: string;
  readonly type: string;
  /** The text by which the engine finds what manages it. */
  readonly provider: string;
  /** Bytes of its arguments and outputs, each once, in clear. */
  readonly data: number;
  /** Bytes of its inputs and outputs, in clear, hidden ones included. */
  readonly inState: number;
}

/** The sizes of the dynamic resources among those of a stack. */
function sizesOf(resources: readonly StateResource[]): readonly Size[] {
  return resources.flatMap(({ urn, type, inputs = {}, outputs = {} }) => {
    const provider = inputs.__provider;
    if (typeof provider !== "string") {
      return [];
    }
    const [given, all] = [inClear(inputs), inClear(outputs)] as [object, object];
    const visible = Object.entries({ ...given, ...all }).filter(([name]) => !name.startsWith("__"));
    const data = bytesOf(Object.fromEntries(visible));
    return [{ urn, type, provider, data, inState: bytesOf(given) + bytesOf(all) }];
  });
}

/** Takes off what the engine wraps a secret in; its value is JSON. */
function inClear(value: unknown): unknown {
  if (typeof value !== "object" || value === null) {
    return value;
  }
  if (Array.isArray(value)) {
    return value.map(inClear);
  }
  const { plaintext } = value as { readonly plaintext?: unknown };
  return typeof plaintext === "string"
    ? (JSON.parse(plaintext) as unknown)
    : Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inClear(member)]));
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

describe("the translation between a recording and today's services", () => {
  const learned = (): Translation => {
    const translation = new Translation();
    translation.learn(
      { data: { id: "prj-recorded", links: ["/projects/prj-recorded"], name: "payments", size: 1 } },
      { data: { id: "prj-today", links: ["/projects/prj-today"], name: "payments", size: 2 } },
    );
    return translation;
  };

  it("replaces names in both directions, wherever they are", () => {
    assert.equal(
      learned().toToday("GET /projects/prj-recorded?x=prj-recorded"),
      "GET /projects/prj-today?x=prj-today",
    );
    assert.equal(learned().toRecorded('{"id":"prj-today"}'), '{"id":"prj-recorded"}');
  });

  it("leaves alone what is the same, what is short and what it has not seen", () => {
    const translation = learned();
    translation.learn({ kind: "short" }, { kind: "other" });
    translation.learn({ only: "recorded-only" }, null);
    const text = "payments short recorded-only prj-other";
    assert.equal(translation.toToday(text), text);
  });

  it("takes the longer of two names that begin alike, and replaces nothing twice", () => {
    const translation = new Translation();
    translation.learn(["lease-one", "lease-one/more"], ["lease-two", "lease-one"]);
    assert.equal(translation.toToday("lease-one lease-one/more"), "lease-two lease-one");
  });

  it("refuses what is one thing in the recording and two today, and the other way round", () => {
    assert.throws(
      () => learned().learn("prj-recorded", "prj-else"),
      /prj-recorded is prj-today and prj-else/,
    );
    assert.throws(() => learned().learn("prj-else", "prj-today"), /prj-else/);
  });
});
