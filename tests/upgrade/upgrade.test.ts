import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { startEmulator } from "pulumi-trivium/testing";
import { version as current } from "../../sdk/package.json";
import type { JsonObject } from "../../sdk/base/json";
import { decodeEntry } from "../../sdk/resource/state/encoding";
import { casesIn } from "../cases";
import { typeWith } from "../engine/support/adapter";
import { useSharedStack } from "../engine/support/shared-stack";
import { leftIn } from "../support/left-in";
import type { Properties } from "../support/provider-process";
import { Proxy } from "../support/proxy";
import { stepByStep } from "../support/step-by-step";
import { useRunning } from "../support/use-running";
import { inClear } from "../support/values";
import {
  configurationIn,
  declareAll,
  ports,
  project,
  type Recording,
  recordings,
  shortestName,
  stateFile,
  tokens,
} from "./support/recording";

/** By the version that wrote the state. */
const all = readdirSync(recordings, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".json"))
  .sort()
  .map((file) => {
    const recording = JSON.parse(readFileSync(join(recordings, file), "utf8")) as Recording;
    return { version: dirname(file), ...recording };
  });

describe("the recorded states of the version that is released next", () => {
  const latest = all.filter(({ version }) => version === current);

  it("recorded states exist for both adapters in both dialects", () => {
    const found = latest.map(({ adapter, dialect }) => `${adapter} ${dialect}`);
    const expected = ["dynamic documented", "dynamic hashicorp", "plugin documented", "plugin hashicorp"];
    assert.deepEqual(found, expected);
  });

  for (const { adapter, dialect, resources, drifted } of latest) {
    it(`recorded states contain every class, each form of a managed argument, an import and drift: ${adapter}, ${dialect}`, () => {
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

for (const { version, ...recording } of all) {
  const { adapter, dialect, drifted, left } = recording;
  describe(`a stack that version ${version} has created (${adapter}, ${dialect})`, function () {
    this.timeout(300_000);
    stepByStep();

    const program = (): void => declareAll(recording.program, adapter);
    const services = useRunning(
      "a set of services",
      () => replay(recording),
      (started) => started.close(),
    );
    const stack = useSharedStack(project, () => configurationIn(dialect), { adapter });

    before(() => {
      writeFileSync(stack.statePath, stateFile(recording));
    });
    beforeEach(() => (services.requests = 0));

    if (adapter === "dynamic") {
      it("the recorded state contains little more than the data: arguments and outputs, each once", async () => {
        const managed = (await stack.resourcesInClear()).filter(({ inputs }) => inputs?.__provider);
        assert.ok(managed.length > 0);
        for (const { urn, inputs, outputs } of managed) {
          const [given, made] = [inputs, outputs].map((each) => inClear(each as Properties));
          const visible = Object.entries({ ...given, ...made }).filter(([name]) => !name.startsWith("__"));
          const data = bytesOf(Object.fromEntries(visible));
          const inState = bytesOf(given) + bytesOf(made);
          const most = 2 * data + 400 + 40 * Object.keys(decodeEntry(made ?? {}).managed ?? {}).length;
          assert.ok(inState <= most, `${urn}: ${inState} bytes for ${data} bytes of data`);
        }
      });
    }

    it("the first preview plans only to revert drift, without a request", async () => {
      const { changes, text } = await stack.preview(program);
      assert.deepEqual(changes, { update: drifted }, text);
      assert.equal(services.requests, 0);
    });

    it("the stack does not change after that in a refresh, an update and another refresh", async () => {
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
      assert.deepEqual(services.left(), left);
    });
  });
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/**
 * Today's services, which hold what a recorded state describes, under the names that it knows: an emulator is set up as
 * the recorded one was, and gets the same requests. Its clock stands still at the same time.
 */
async function replay({ dialect, recordedAt, steps, preparing }: Recording) {
  const frozenAt = new Date(recordedAt);
  const emulator = await startEmulator({ dialect, frozenAt, tokens, ports: { scheduler: ports.scheduler } });
  const names = new Names();
  /** What there was before the program ran. */
  let empty = emulator.inspect();
  for (const [index, step] of steps.entries()) {
    if (index === preparing) {
      empty = emulator.inspect();
    }
    if ("on" in step) {
      const { on, call, result } = step;
      const functions = emulator[on] as unknown as Readonly<Record<string, (...given: unknown[]) => unknown>>;
      const set = functions[call] ?? assert.fail(`The emulator has no function ${on}.${call} any more.`);
      const given = JSON.parse(names.toToday(JSON.stringify(step.arguments))) as unknown[];
      names.learn(result, set.apply(functions, given));
    } else {
      const { service, method, target, headers, body, status, response } = step;
      const sent = { method, headers, ...(body === "" ? {} : { body: names.toToday(body) }) };
      const repeated = await fetch(`${emulator[service].address}${names.toToday(target)}`, sent);
      const today = await repeated.text();
      assert.equal(repeated.status, status, `${method} ${target}: ${today}`);
      names.learn(JSON.parse(response || "null"), JSON.parse(today || "null"));
    }
  }
  const { provisioning, secrets } = emulator;
  const proxy = await Proxy.start({ provisioning, secrets }, { ports });
  const services = {
    /** Since the replay. */
    requests: 0,
    left: () => leftIn(empty, emulator.inspect()),
    close() {
      proxy.close();
      return emulator.close();
    },
  };
  proxy.rewrite = (text) => names.toToday(text);
  proxy.after = ({ response }) => {
    services.requests += 1;
    return { body: names.toRecorded(response) };
  };
  return services;
}

/**
 * The names that services invent (ids, accessors, leases), as they were recorded and as today's services have them.
 * They are found by comparing responses: what is at the same place is the same thing.
 */
class Names {
  private readonly today = new Map<string, string>();
  private readonly recorded = new Map<string, string>();

  learn(recorded: unknown, today: unknown): void {
    if (typeof recorded === "string" && typeof today === "string") {
      if (recorded !== today && recorded.length >= shortestName) {
        const known = [this.today.get(recorded) ?? today, this.recorded.get(today) ?? recorded];
        assert.deepEqual(known, [today, recorded], "one thing in one of the responses is two in the other");
        this.today.set(recorded, today);
        this.recorded.set(today, recorded);
      }
    } else if (isListOfTexts(recorded) && isListOfTexts(today)) {
      // Services order lists by names that they have invented.
      const unknown = recorded.filter((name) => !today.includes(this.today.get(name) ?? ""));
      const others = today.filter((name) => !recorded.includes(this.recorded.get(name) ?? ""));
      unknown.forEach((name, index) => this.learn(name, others[index]));
    } else if (typeof recorded === "object" && typeof today === "object") {
      for (const [name, value] of Object.entries(recorded ?? {})) {
        this.learn(value, (today as Readonly<Record<string, unknown>> | null)?.[name]);
      }
    }
  }

  toToday(text: string): string {
    return replaceAll(text, this.today);
  }

  toRecorded(text: string): string {
    return replaceAll(text, this.recorded);
  }
}

function isListOfTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** Replaces in one pass, so that nothing is replaced twice; of names that begin alike the longest counts. */
function replaceAll(text: string, names: ReadonlyMap<string, string>): string {
  const longestFirst = [...names.keys()].sort((left, right) => right.length - left.length);
  const escaped = longestFirst.map((name) => name.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
  const pattern = new RegExp(escaped.join("|") || "(?!)", "g");
  return text.replace(pattern, (name) => names.get(name) ?? name);
}
