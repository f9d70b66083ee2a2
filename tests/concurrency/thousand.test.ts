import assert from "node:assert/strict";
import { projectDefinition } from "../../sdk/provisioning/project";
import { roleDefinition } from "../../sdk/secrets/scheduler/role";
import type { Emulator } from "../../sdk/testing";
import { FakeEngine } from "../support/fake-engine";
import { useEmulator } from "../support/use-emulator";
import { stepByStep } from "../support/step-by-step";

/** The objects that exist; how often all are made, at most: a creation that was cut is not repeated. */
const many = [
  {
    what: "projects",
    service: "provisioning",
    definition: projectDefinition,
    runs: 4,
    args: (name: string) => ({ organization: "acme", name }),
    objects: (emulator: Emulator) =>
      emulator.inspect().provisioning.projects.filter(({ isDefault }) => !isDefault),
  },
  {
    what: "roles of the scheduler engine",
    service: "secrets",
    definition: roleDefinition,
    runs: 1,
    args: (name: string) => ({ name, policies: ["job-submit"] }),
    objects: (emulator: Emulator) => emulator.inspect().secrets.schedulerRoles,
  },
] as const;

const limit = 32;
const wanted = Array.from({ length: 1000 }, (_, index) => `object-${index}`);

for (const { what, service, definition, args, objects, runs } of many) {
  describe(`1,000 ${what} at once, of a slow service that limits and cuts at random`, function () {
    this.timeout(300_000);
    stepByStep();

    const emulator = useEmulator({ resets: false, faultSeed: 11 });
    let managed: ReadonlyMap<string, FakeEngine>;
    const requests = () => emulator.journal.requests({ service });

    before(() => {
      emulator.provisioning.addOrganization({ name: "acme" });
      const key = `trivium:${service}Max`;
      const settings = { [`${key}Concurrency`]: String(limit), [`${key}Retries`]: "5" };
      managed = new Map(wanted.map((name) => [name, new FakeEngine(definition, emulator, settings)]));
      emulator.faults.add({ latency: "50ms" });
      emulator.faults.add({ status: 429, headers: { "Retry-After": "0" }, probability: 0.004 });
      emulator.faults.add({ status: 429, headers: { "X-RateLimit-Reset": "0.05" }, probability: 0.004 });
      emulator.faults.add({ drop: "before", probability: 0.005 });
      emulator.faults.add({ drop: "after", probability: 0.005 });
    });
    beforeEach(() => emulator.journal.clear());
    afterEach(() => {
      assert.ok(emulator[service].statistics.mostInFlight <= limit);
      // A refresh that reads lists sends too few for every kind of fault.
      for (const kind of requests().length >= wanted.length ? ["429", "drop"] : []) {
        assert.ok(requests().some(({ fault }) => fault?.includes(kind)));
      }
    });

    it("a thousand objects are all created, each once", async () => {
      let missing = [...managed];
      for (let run = 0; run < runs && missing.length > 0; run++) {
        await Promise.allSettled(missing.map(([name, each]) => each.up(args(name))));
        missing = missing.filter(([, { id }]) => id === undefined);
      }
      assert.deepEqual(missing, []);
      // A refresh that reads lists first can need fewer at once.
      assert.equal(emulator[service].statistics.mostInFlight, limit);
      const names = objects(emulator).map(({ name }) => name);
      assert.deepEqual(names.toSorted(), wanted.toSorted());
      assert.equal(new Set([...managed.values()].map(({ id }) => id)).size, wanted.length);
    });

    it("a refresh finds a thousand objects, all unchanged", async () => {
      const found = await Promise.all([...managed.values()].map((each) => each.refresh()));
      assert.ok(found.every(Boolean));
      const steps = await Promise.all([...managed].map(([name, each]) => each.up(args(name))));
      assert.deepEqual([...new Set(steps)], ["same"]);
    });

    it("a thousand objects are all deleted", async () => {
      await Promise.all([...managed.values()].map((each) => each.destroy()));
      assert.equal(emulator[service].statistics.mostInFlight, limit);
      assert.deepEqual(objects(emulator), []);
    });
  });
}
