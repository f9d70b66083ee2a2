import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { JsonValue } from "../../sdk/base/json";
import { OwnNotes } from "../../sdk/engine/shared-notes";
import { adminOrganizationDefinition } from "../../sdk/provisioning/admin-organization";
import { moduleConsumersDefinition } from "../../sdk/provisioning/module-consumers";
import { providerConsumersDefinition } from "../../sdk/provisioning/provider-consumers";
import { definitionIn } from "../../sdk/resource/definition";
import { Ownership } from "../../sdk/resource/lifecycle/ownership";
import { unknown } from "../../sdk/resource/state/entry";
import { FakeEngine } from "../support/fake-engine";
import { repository } from "../support/packed-library";
import { configurationWith } from "../support/proxy";
import type { Properties } from "../support/provider-process";
import { useEmulator } from "../support/use-emulator";

const organization = "platform";
const of = (...consumers: string[]): Properties => ({ organization, consumers });
const classes = [
  ["ModuleConsumers", moduleConsumersDefinition, "moduleConsumers", "modules", "globalModuleSharing"],
  [
    "ProviderConsumers",
    providerConsumersDefinition,
    "providerConsumers",
    "providers",
    "globalProviderSharing",
  ],
] as const;

describe("the consumers of an organization", () => {
  const organizations = [organization, "payments", "search"].map((name) => ({ name }));
  const emulator = useEmulator({ dialect: "hashicorp", seed: { organizations } });
  const settings = configurationWith(() => ({ Dialect: "hashicorp" }));
  let modules: FakeEngine;
  let providers: FakeEngine;
  beforeEach(() => {
    modules = new FakeEngine(moduleConsumersDefinition, emulator, settings);
    providers = new FakeEngine(providerConsumersDefinition, emulator, settings);
  });

  const platform = () =>
    emulator.inspect().provisioning.organizations.find(({ name }) => name === organization) ?? assert.fail();
  const change = (values: object) => emulator.provisioning.changeOrganization(organization, values);
  const assertShared = (modules: readonly string[], providers: readonly string[]): void => {
    const { moduleConsumers, providerConsumers } = platform();
    assert.deepEqual([moduleConsumers, providerConsumers], [modules, providers]);
  };
  const writes = () =>
    emulator.journal.requests().flatMap(({ method, body }) => (method === "GET" ? [] : [body]));
  const partnerships = (attributes: object) => ({ data: { type: "registry-partnerships", attributes } });

  for (const [name, definition, list, , setting] of classes) {
    const create = () => new FakeEngine(definition, emulator, settings);

    it(`${name} writes nothing when it adopts an identical list, or when an empty one is deleted, because that could end global sharing`, async () => {
      change({ [list]: ["search", "payments"] });
      const managed = create();
      await managed.up({ ...of("payments", "search"), adopt: true });
      change({ [setting]: true });
      await managed.destroy();
      assert.deepEqual([writes(), platform()[setting]], [[], true]);
    });

    it(`${name} shows the service's message for a consumer that does not exist, and changes nothing`, async () => {
      const managed = create();
      for (const before of [[], ["payments"]]) {
        await assert.rejects(managed.up(of("payments", "nobody")), {
          message: /returned 422: .*Organization nobody not found/,
        });
        assert.deepEqual(platform()[list], before);
        await managed.up(of("payments"));
      }
    });

    it(`${name} ends its own kind of global sharing, but not the other one`, async () => {
      change({ globalModuleSharing: true, globalProviderSharing: true });
      await create().up(name === "ModuleConsumers" ? of() : of("payments"));
      const { globalModuleSharing, globalProviderSharing } = platform();
      const expected = name === "ModuleConsumers" ? [false, true] : [true, false];
      assert.deepEqual([globalModuleSharing, globalProviderSharing], expected);
    });

    it(`${name} explains that an organization does not exist, and then counts as deleted`, async () => {
      const managed = create();
      await managed.up(of("payments"));
      emulator.provisioning.removeOrganization(organization);
      assert.equal(await managed.refresh(), false);
      managed.id = organization;
      await managed.destroy();
      const advice = "or the token does not belong to a site administrator";
      const message =
        name === "ModuleConsumers"
          ? /^Could not set the module consumers of the organization platform: .* returned 404/
          : new RegExp(`^The organization platform does not exist, ${advice}`);
      await assert.rejects(managed.up(of("payments")), { message });
    });
  }

  it("ModuleConsumers sets the whole list without duplicates, in any order", async () => {
    await modules.up(of("search", "payments", "search"));
    const data = ["search", "payments"].map((id) => ({ type: "organizations", id }));
    assert.deepEqual(writes(), [{ data }]);
    assert.equal(await modules.up(of("payments", "search")), "same");
    await modules.up(of("payments"));
    assertShared(["payments"], []);
  });

  it("ProviderConsumers writes both lists in one document, and keeps the module consumers", async () => {
    change({ moduleConsumers: ["search"] });
    await providers.up(of("search", "payments", "search"));
    const attributes = { "module-consumers": ["search"], "provider-consumers": ["search", "payments"] };
    assert.deepEqual(writes(), [partnerships(attributes)]);
    await providers.destroy();
    assertShared(["search"], []);
  });

  it("ProviderConsumers uses the names in the documentation's sample if the service rejects those in its table", async () => {
    emulator.faults.add({ method: "PUT", status: 422, times: 1 });
    await providers.up(of("payments"));
    assertShared([], ["payments"]);
    assert.deepEqual(writes()[1], partnerships({ module_consumers: [], provider_consumers: ["payments"] }));
  });

  describe("in parallel", () => {
    /** What the document says of modules is then from before the other write. */
    beforeEach(() => {
      emulator.faults.add({ method: "PATCH", latency: 100 });
      emulator.faults.add({ method: "PUT", latency: 200 });
    });

    it("ProviderConsumers and ModuleConsumers do not undo each other in parallel", async () => {
      await Promise.all([providers.up(of("search")), modules.up(of("payments"))]);
      assertShared(["payments"], ["search"]);
      await Promise.all([providers.up(of("payments")), modules.up(of("search"))]);
      assertShared(["search"], ["payments"]);
      await Promise.all([providers.destroy(), modules.destroy()]);
      assertShared([], []);
    });

    it("ProviderConsumers and an AdminOrganization do not undo each other in parallel", async () => {
      const all = new FakeEngine(adminOrganizationDefinition, emulator, settings);
      const args = { name: organization, globalModuleSharing: true };
      await Promise.all([providers.up(of("payments")), all.up(args)]);
      assert.equal(platform().globalModuleSharing, true);
      assertShared([], ["payments"]);
    });
  });

  describe("in a separate process", function () {
    this.timeout(60_000);

    const script = `
      require("ts-node").register({ transpileOnly: true });
      const { FakeEngine } = require("./tests/support/fake-engine");
      const { providerConsumersDefinition } = require("./sdk/provisioning/provider-consumers");
      const [services, settings, args] = JSON.parse(process.argv[1]);
      new FakeEngine(providerConsumersDefinition, services, settings).up(args).then(() => process.exit(0));
    `;
    /** @returns once it has read what its document repeats */
    const providersElsewhere = async () => {
      const { address, token } = emulator.provisioning;
      const service = { address, token };
      const services = { provisioning: service, secrets: service, scheduler: service };
      const program = [services, settings, of("search")];
      const parameters = ["--eval", script, JSON.stringify(program)];
      const child = spawn(process.execPath, parameters, { cwd: repository, stdio: "inherit" });
      const ended = once(child, "exit");
      while (writes().length === 0 && child.exitCode === null) {
        await sleep(20);
      }
      return { child, ended };
    };

    it("a write of provider consumers is not undone by another process, and does not undo that process's writes", async () => {
      emulator.faults.add({ method: "PUT", latency: 500 });
      const { ended } = await providersElsewhere();
      await modules.up(of("payments"));
      assert.deepEqual(await ended, [0, null]);
      assertShared(["payments"], ["search"]);
    });

    it("a process with provider consumers does not block others after it was killed", async () => {
      emulator.faults.add({ method: "PUT", delay: "forever" });
      const { child, ended } = await providersElsewhere();
      child.kill("SIGKILL");
      await ended;
      await modules.up(of("payments"));
      assertShared(["payments"], []);
    });
  });
});

describe("global sharing and sharing with some organizations", () => {
  for (const [name, consumers, , shared, setting] of classes) {
    const all = (isGlobal: JsonValue) =>
      [adminOrganizationDefinition, { name: "acme", [setting]: isGlobal }] as const;
    const some = (owner: JsonValue) => [consumers, { organization: owner, consumers: ["payments"] }] as const;
    /** What check says of the second of two resources of one program. */
    const problem = (...both: readonly ReturnType<typeof all | typeof some>[]) => {
      const notes = new OwnNotes();
      const said = both.map(([definition, args]) => {
        const ownership = new Ownership(definitionIn(definition, "documented"), "here", notes);
        return ownership.claim({ urn: `dev::${definition.type}`, args });
      });
      return said[1];
    };

    it(`the second of two resources that share ${shared} globally and with some organizations is rejected at creation`, () => {
      const undo = `AdminOrganization with ${setting}: true and ${name} would undo each other. Remove one of them.`;
      const managed = (by: string) =>
        `Sharing of the ${shared} of the organization acme is also managed by the resource "${by}" of this program. ${undo}`;
      assert.equal(problem(all(true), some("acme")), managed("provisioning:AdminOrganization"));
      assert.equal(problem(some("acme"), all(true)), managed(consumers.type));
    });

    it(`a resource that shares ${shared} does not conflict with one for another organization, or one that does not share or might not`, () => {
      assert.equal(problem(all(true), some("platform")), undefined);
      assert.equal(problem(all(true), some(unknown)), undefined);
      for (const isGlobal of [false, null, unknown]) {
        assert.equal(problem(some("acme"), all(isGlobal)), undefined);
      }
    });
  }
});
