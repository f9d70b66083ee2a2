import assert from "node:assert/strict";
import { roleDefinition } from "../../sdk/secrets/scheduler/role";
import { Managed } from "../support/managed";
import { useEmulator } from "../support/use-emulator";

const limit = 32;
const names = Array.from({ length: 1000 }, (_, index) => `role-${index}`);

describe("1,000 requests that wait for their turn", function () {
  this.timeout(120_000);

  const emulator = useEmulator({ resets: false, faultSeed: 5 });
  let managed: readonly Managed[];
  const reads = { service: "secrets", method: "GET", path: /\/role\// } as const;

  before(() => {
    names.forEach((name) => emulator.secrets.addSchedulerRole({ name, type: "management" }));
    const settings = {
      "trivium:secretsMaxConcurrency": String(limit),
      "trivium:secretsMaxRetries": "5",
    };
    managed = names.map((name) => {
      const each = new Managed(roleDefinition, emulator, settings);
      each.id = `scheduler/${name}`;
      each.outputs = { mount: "scheduler", name, __managed: { name: 1 } };
      return each;
    });
  });
  beforeEach(() => {
    emulator.faults.clear();
    emulator.journal.clear();
    emulator.faults.add({ latency: "50ms" });
  });

  it("get it in the order in which they came", async () => {
    // A request for which a connection is opened comes later than those for which there is one.
    await Promise.all(managed.slice(0, limit).map((each) => each.refresh()));
    emulator.journal.clear();
    await Promise.all(managed.map((each) => each.refresh()));
    const order = emulator.journal.requests(reads).map(({ path }) => path.replace(/^.*\//, ""));
    assert.deepEqual(order.toSorted(), names.toSorted());
    // On the way to the service some overtake others; who starves comes last.
    const displacement = farthestDisplacement(names, order);
    assert.ok(displacement < names.length / 2, `one came ${displacement} places too early or too late`);
  });

  for (const [header, value] of [
    ["Retry-After", "3"],
    ["X-RateLimit-Reset", "2.5"],
  ] as const) {
    it(`keep still for as long as ${header} says, and who was turned away comes first`, async () => {
      const turnedAway = emulator.faults.add({
        ...reads,
        status: 429,
        headers: { [header]: value },
        skip: 300,
        times: 3,
      });
      await Promise.all(managed.map((each) => each.refresh()));
      assert.equal(turnedAway.hits, 3);
      const targets = emulator.journal.requests(reads).map(({ target }) => target);
      assert.equal(targets.length, names.length + 3);
      // In that time several hundred others would have been made.
      const gap = longestGap(targets);
      assert.ok(gap <= 2 * limit, `${gap} others were made meanwhile`);
    });
  }
});

/**
 * How far something is from where it should be.
 *
 * @param expected all, in the order in which they asked
 * @param actual the same, in the order in which they were served
 */
function farthestDisplacement(expected: readonly string[], actual: readonly string[]): number {
  const places = new Map(actual.map((name, place) => [name, place]));
  return Math.max(...expected.map((name, place) => Math.abs((places.get(name) ?? Infinity) - place)));
}

/** How many others came, at most, between two appearances of the same one that follow each other. */
function longestGap(names: readonly string[]): number {
  const last = new Map<string, number>();
  let longest = 0;
  names.forEach((name, place) => {
    longest = Math.max(longest, place - (last.get(name) ?? place - 1) - 1);
    last.set(name, place);
  });
  return longest;
}
