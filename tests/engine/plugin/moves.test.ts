import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";
import { type Emulator, startEmulator } from "pulumi-trivium/testing";
import { HandWritten } from "../support/hand-written";
import {
  configurationFor,
  emulatorWithOrganization,
  organization,
  projectsIn,
  projectType,
} from "../support/projects";
import { type Program, TestStack } from "../support/stack";
import { configurationOf, connectionTo } from "../support/surroundings";

/**
 * Projects with the provider of the stack, with one of their own, and in a component that hands it down to
 * hand-written dynamic resources too.
 */
function program(emulator: Emulator, ...handWritten: readonly string[]): Program {
  return () => {
    const { address, token } = emulator.provisioning;
    const provider = new trivium.Provider("other", {
      provisioning: { address, token: pulumi.secret(token) },
    });
    new trivium.provisioning.Project("payments", { organization, name: "payments" });
    new trivium.provisioning.Project("billing", { organization, name: "billing" }, { provider });
    const component = new pulumi.ComponentResource("test:index:Team", "team", {}, { providers: [provider] });
    new trivium.provisioning.Project("inside", { organization, name: "inside" }, { parent: component });
    ["first", ...handWritten].forEach((name) => new HandWritten(name, { parent: component }));
    return Promise.resolve(undefined);
  };
}

describe("a stack that moves between dynamic resources and the plugin", function () {
  this.timeout(240_000);

  let emulator: Emulator;
  let stack: TestStack;

  before(async () => {
    emulator = await emulatorWithOrganization();
    const configuration = { ...configurationFor(emulator), "plugin-moves:plain": "something" };
    stack = await TestStack.create("plugin-moves", configuration);
  });

  after(async () => {
    stack.remove();
    await emulator.close();
  });

  const withoutRequest = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const before = emulator.journal.count();
    const result = await work();
    assert.equal(emulator.journal.count(), before, "a request was made");
    return result;
  };

  it("shows no change in the plugin, and makes no request", async () => {
    await stack.up(program(emulator));
    await stack.useAdapter("plugin");
    const { changes, text } = await withoutRequest(() => stack.up(program(emulator)));
    assert.deepEqual(changes, {}, text);
    assert.equal((await stack.ids("trivium:provisioning:Project")).length, 3);
    await withoutRequest(() => stack.previewWithoutChanges(program(emulator)));
  });

  it("is refreshed and changed there", async () => {
    const { changes } = await stack.refresh();
    assert.deepEqual(changes, {});
    const state = await stack.resources("trivium:provisioning:Project");
    assert.equal(state.length, 3);
    await stack.previewWithoutChanges(program(emulator));
  });

  it("leaves hand-written dynamic resources of a component their configuration", async () => {
    const { changes, text } = await stack.up(program(emulator, "second"));
    assert.deepEqual(changes, { create: 1 }, text);
    const made = await stack.resources("pulumi-nodejs:dynamic:Resource");
    assert.deepEqual(
      Object.fromEntries(made.map(({ urn, outputs }) => [urn.split("::").at(-1), outputs?.["seen"]])),
      {
        // Made when the provider of the component was one of all dynamic resources.
        first: "nothing",
        second: "something",
      },
    );
  });

  it("moves back without a request; then refresh and destroy work", async () => {
    await stack.useAdapter("dynamic");
    const { steps } = await withoutRequest(() => stack.up(program(emulator, "second")));
    const projects = ["billing", "inside", "payments"];
    const done = projects.map((name) => steps.get(name)?.map(({ operation }) => operation));
    // Nothing but what dynamic providers keep in state is written.
    assert.deepEqual(done, [["update"], ["update"], ["update"]]);
    assert.equal((await stack.ids(projectType)).length, 3);
    await withoutRequest(() => stack.previewWithoutChanges(program(emulator, "second")));
    assert.deepEqual((await stack.refresh()).changes, {});
    await stack.destroy();
    assert.deepEqual(projectsIn(emulator), []);
  });
});

describe("a stack that moves to the plugin and back with changes on the way", function () {
  this.timeout(240_000);

  let emulator: Emulator;
  let stack: TestStack;

  before(async () => {
    emulator = await startEmulator();
    emulator.secrets.addMount({ type: "scheduler", path: "teams/scheduler" });
    stack = await TestStack.create("plugin-changes", configurationOf(connectionTo(emulator, "secrets")));
  });
  after(async () => {
    stack.remove();
    await emulator.close();
  });

  const { Access, Lease, Role, Token } = trivium.secrets.scheduler;

  /** A chain of three, whose head replaces all of it; and one that leaves the program. */
  const chain =
    (mount: string, hasLease: boolean): Program =>
    () => {
      const { address, token } = emulator.scheduler;
      const access = new Access("access", { mount, address, token });
      const role = new Role("role", { mount: access.mount, name: "role", type: "management" });
      new Token("token", { mount: role.mount, roleName: role.name });
      if (hasLease) {
        new Lease("lease", { mount: "teams/scheduler", ttl: "1h" });
      }
      return Promise.resolve(undefined);
    };
  const roles = (): readonly string[] =>
    emulator.inspect().secrets.schedulerRoles.map(({ mount, name }) => `${mount}/${name}`);

  it("replaces a chain and deletes what has left the program, with dynamic resources again", async () => {
    await stack.useAdapter("plugin");
    await stack.up(chain("scheduler", true));
    await stack.useAdapter("dynamic");
    assert.match(await stack.library(["use-dynamic"]), /still names the plugin: .* in the state of test\./);
    const planned = await stack.preview(chain("teams/scheduler", false));
    assert.deepEqual(planned.changes, { replace: 3, delete: 1 }, planned.text);
    const { changes, text } = await stack.up(chain("teams/scheduler", false));
    assert.deepEqual(changes, { replace: 3, delete: 1 }, text);
    assert.deepEqual(roles(), ["teams/scheduler/role"]);
    await stack.previewWithoutChanges(chain("teams/scheduler", false));
  });

  it("no longer needs the plugin then, as use-dynamic finds", async () => {
    assert.match(await stack.library(["use-dynamic"]), /names no plugin/);
    await stack.refresh();
    await stack.previewWithoutChanges(chain("teams/scheduler", false));
  });

  it("replaces the chain there too, and is destroyed before it came back", async () => {
    await stack.useAdapter("plugin");
    const { changes, text } = await stack.up(chain("scheduler", true));
    assert.deepEqual(changes, { create: 1, replace: 3 }, text);
    await stack.useAdapter("dynamic");
    await stack.refresh();
    await stack.destroy();
    assert.deepEqual(roles(), []);
  });
});
