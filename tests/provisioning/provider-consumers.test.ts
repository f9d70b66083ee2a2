import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { adminOrganizationDefinition } from "../../sdk/provisioning/admin-organization";
import { moduleConsumersDefinition } from "../../sdk/provisioning/module-consumers";
import { providerConsumersDefinition } from "../../sdk/provisioning/provider-consumers";
import { FakeEngine } from "../support/fake-engine";
import { repository } from "../support/packed-library";
import { configurationWith } from "../support/proxy";
import { useEmulator } from "../support/use-emulator";

describe("provisioning.ProviderConsumers", () => {
  const emulator = useEmulator({ dialect: "hashicorp" });
  const settings = configurationWith(() => ({ Dialect: "hashicorp" }));
  const organization = "platform";

  beforeEach(() => {
    for (const name of [organization, "payments", "search"]) {
      emulator.provisioning.addOrganization({ name });
    }
  });

  const modules = () => new FakeEngine(moduleConsumersDefinition, emulator, settings);
  const providers = () => new FakeEngine(providerConsumersDefinition, emulator, settings);
  const platform = () =>
    emulator.inspect().provisioning.organizations.find(({ name }) => name === organization) ?? assert.fail();
  const shared = () => {
    const { moduleConsumers, providerConsumers } = platform();
    return { modules: moduleConsumers, providers: providerConsumers };
  };
  const writes = () => emulator.journal.requests({ method: "PUT" }).map(({ body }) => body);

  /** What the document says of modules is then from before the other write. */
  const delayWrites = () => {
    emulator.faults.add({ method: "PATCH", latency: 100 });
    emulator.faults.add({ method: "PUT", latency: 200 });
  };

  it("ProviderConsumers writes both lists in one document, and keeps the module consumers", async () => {
    emulator.provisioning.changeOrganization(organization, { moduleConsumers: ["search"] });
    const managed = providers();
    await managed.up({ organization, consumers: ["search", "payments", "search"] });
    const attributes = { "module-consumers": ["search"], "provider-consumers": ["search", "payments"] };
    assert.deepEqual(writes(), [{ data: { type: "registry-partnerships", attributes } }]);
    await managed.destroy();
    assert.deepEqual(shared(), { modules: ["search"], providers: [] });
  });

  it("ProviderConsumers uses the spelling of the documentation's sample where that of its table is refused", async () => {
    emulator.faults.add({ method: "PUT", status: 422, times: 1 });
    await providers().up({ organization, consumers: ["payments"] });
    assert.deepEqual(shared(), { modules: [], providers: ["payments"] });
    const attributes = { module_consumers: [], provider_consumers: ["payments"] };
    assert.deepEqual(writes()[1], { data: { type: "registry-partnerships", attributes } });
  });

  it("ProviderConsumers and ModuleConsumers do not undo each other, one after another", async () => {
    const [some, others] = [modules(), providers()];
    await some.up({ organization, consumers: ["payments"] });
    await others.up({ organization, consumers: ["search"] });
    await some.up({ organization, consumers: ["search"] });
    await others.up({ organization, consumers: ["payments", "search"] });
    assert.deepEqual(shared(), { modules: ["search"], providers: ["payments", "search"] });
    await some.destroy();
    assert.deepEqual(shared(), { modules: [], providers: ["payments", "search"] });
    await others.destroy();
    assert.deepEqual(shared(), { modules: [], providers: [] });
  });

  it("ProviderConsumers and ModuleConsumers do not undo each other in parallel", async () => {
    const [some, others] = [modules(), providers()];
    delayWrites();
    for (const [one, other] of [
      ["payments", "search"],
      ["search", "payments"],
    ] as const) {
      await Promise.all([
        others.up({ organization, consumers: [other] }),
        some.up({ organization, consumers: [one] }),
      ]);
      assert.deepEqual(shared(), { modules: [one], providers: [other] });
    }
    await Promise.all([others.destroy(), some.destroy()]);
    assert.deepEqual(shared(), { modules: [], providers: [] });
  });

  describe("in a process of its own", function () {
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
      const { provisioning, secrets, scheduler } = emulator;
      const services = [provisioning, secrets, scheduler].map(({ address, token }) => ({ address, token }));
      const [one, two, three] = services;
      const args = { organization, consumers: ["search"] };
      const program = [{ provisioning: one, secrets: two, scheduler: three }, settings, args];
      const child = spawn(process.execPath, ["--eval", script, JSON.stringify(program)], {
        cwd: repository,
        stdio: "inherit",
      });
      const ended = once(child, "exit");
      while (writes().length === 0 && child.exitCode === null) {
        await sleep(20);
      }
      return { child, ended };
    };

    it("a write of provider consumers is not undone by another process, and does not undo what that writes", async () => {
      emulator.faults.add({ method: "PUT", latency: 500 });
      const { ended } = await providersElsewhere();
      await modules().up({ organization, consumers: ["payments"] });
      assert.deepEqual(await ended, [0, null]);
      assert.deepEqual(shared(), { modules: ["payments"], providers: ["search"] });
    });

    it("a process with provider consumers blocks nobody once it was killed", async () => {
      emulator.faults.add({ method: "PUT", delay: "forever" });
      const { child, ended } = await providersElsewhere();
      child.kill("SIGKILL");
      await ended;
      await modules().up({ organization, consumers: ["payments"] });
      assert.deepEqual(shared(), { modules: ["payments"], providers: [] });
    });
  });

  it("ProviderConsumers ends sharing providers with everybody, and leaves sharing modules with everybody as it is", async () => {
    emulator.provisioning.changeOrganization(organization, {
      globalModuleSharing: true,
      globalProviderSharing: true,
    });
    const managed = providers();
    await managed.up({ organization, consumers: ["payments"] });
    const settingsOf = () => [platform().globalModuleSharing, platform().globalProviderSharing];
    assert.deepEqual(settingsOf(), [true, false]);
    assert.deepEqual(shared(), { modules: [], providers: ["payments"] });
    await managed.destroy();
    assert.deepEqual(settingsOf(), [true, false]);
  });

  it("ProviderConsumers and an AdminOrganization do not undo each other in parallel", async () => {
    const all = new FakeEngine(adminOrganizationDefinition, emulator, settings);
    delayWrites();
    await Promise.all([
      providers().up({ organization, consumers: ["payments"] }),
      all.up({ name: organization, globalModuleSharing: true }),
    ]);
    assert.equal(platform().globalModuleSharing, true);
    assert.deepEqual(shared(), { modules: [], providers: ["payments"] });
  });

  it("ProviderConsumers repeats the service's message for a consumer that does not exist, and changes nothing", async () => {
    await assert.rejects(providers().up({ organization, consumers: ["payments", "nobody"] }), {
      message: /returned 422: .*Organization nobody not found/,
    });
    assert.deepEqual(shared(), { modules: [], providers: [] });
  });

  it("ProviderConsumers says of an organization that does not exist what is wrong", async () => {
    await assert.rejects(providers().up({ organization: "none", consumers: ["payments"] }), {
      message: /The organization none does not exist, or the token is not that of a site administrator/,
    });
  });
});
