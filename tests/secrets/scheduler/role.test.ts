import assert from "node:assert/strict";
import { definitionIn } from "../../../sdk/resource/definition";
import { z } from "zod";
import { checkArguments } from "../../../sdk/resource/lifecycle/check";
import { unknown } from "../../../sdk/resource/state/entry";
import { getRole, listRoles, roleDefinition } from "../../../sdk/secrets/scheduler/role";
import { failure } from "../../http/calls";
import { FakeEngine } from "../../support/fake-engine";
import type { Properties } from "../../support/provider-process";
import { reading, serviceWith } from "../altered-responses";
import { bodiesSentTo, useSecrets } from "../emulated-client";

/** Everything must hold for both ways in which a service answers reads. */
for (const schedulerReads of ["documented", "real"] as const) {
  describe(`secrets.scheduler.Role, read as ${schedulerReads}`, () => {
    const emulator = useSecrets({ secrets: { schedulerReads } });

    const stored = () => emulator.inspect().secrets.schedulerRoles[0];
    const manage = (args: Properties, settings = {}) =>
      FakeEngine.create(roleDefinition, emulator, { name: "deploy", ...args }, settings);
    const client = { name: "deploy", policies: ["a", "b"] };

    it("a scheduler role is a client role that is not global by default", async () => {
      const { outputs } = await manage({ policies: "a" });
      const sent = bodiesSentTo(emulator, "scheduler/role/deploy");
      assert.deepEqual(sent, [{ policies: "a", global: false, type: "client" }]);
      assert.equal(outputs.global, false);
    });

    it("a scheduler role keeps global if the program has never set it", async () => {
      emulator.secrets.addSchedulerRole({ name: "deploy", policies: ["old"], global: true });
      const managed = await manage({ policies: "a", adopt: true });
      await managed.up({ name: "deploy", policies: "b", adopt: true });
      assert.deepEqual([stored()?.global, stored()?.policies], [true, ["b"]]);
    });

    it("a scheduler role adopts a role of the other type", async () => {
      emulator.secrets.addSchedulerRole({ name: "deploy", policies: ["old"] });
      await manage({ type: "management", adopt: true });
      assert.deepEqual([stored()?.type, stored()?.policies], ["management", ["old"]]);
      await manage({ policies: "a", adopt: true });
      assert.deepEqual([stored()?.type, stored()?.policies], ["client", ["a"]]);
    });

    it("a scheduler role can be read if its policies are one text and no value is null", async () => {
      const data = { policies: "b, a", token_type: "client", type: null, lease: null, global: null };
      const altered = reading(() => data);
      const managed = await manage(client, await serviceWith(emulator, altered));
      assert.equal(await managed.refresh(), true);
      assert.deepEqual([managed.outputs.policies, managed.outputs.type], [["b", "a"], "client"]);
      assert.equal(await managed.up(client), "same");
    });

    it("a scheduler role is read by a function", async () => {
      emulator.secrets.addSchedulerRole({ name: "deploy", policies: ["a", "b"], global: true });
      const rest = schedulerReads === "real" ? { global: true, lease: null } : { global: null, lease: "0s" };
      const role = { mount: "scheduler", ...client, type: "client" };
      assert.deepEqual(await getRole({ name: "deploy" }), { ...role, ...rest });
      const { message } = await failure(getRole({ name: "none" }));
      assert.equal(message, 'The scheduler role "none" of the mount scheduler does not exist.');
    });
  });
}

describe("secrets.scheduler.Role", () => {
  const emulator = useSecrets();

  const none = 'policies is empty: tokens of type "client" then have no permissions';
  const some = 'policies have no effect when type is "management", whose tokens have all permissions';
  const refusals: Readonly<Record<string, string>> = {
    [none]:
      'policies must contain at least one policy when type is "client", whose tokens otherwise have no permissions',
    [some]: 'policies must be empty when type is "management", whose tokens have all permissions',
  };
  const spaced = "policies contains a name with a space, which the scheduler does not accept";
  const noList = "policies must be a list of names, or a string of names separated by commas";
  const cases: readonly [Properties, failures?: readonly string[], warnings?: readonly string[]][] = [
    [{ type: "management" }],
    [{ type: "management", policies: "" }],
    [{ type: "management", policies: null }],
    [{ policies: unknown }],
    [{ policies: [unknown] }],
    [{ policies: "a", type: unknown }],
    [{ policies: ["a", "b,c"] }, ["policies[1] must be the name of a policy, without commas"]],
    [{ policies: 5 }, [noList]],
    [{ policies: ["a b"] }, [], [spaced]],
    // Only the products refuse these.
    [{}, [], [none]],
    [{ policies: [] }, [], [none]],
    [{ policies: " , " }, [], [none]],
    [{ policies: null, type: null }, [], [none]],
    [{ type: "management", policies: ["a"] }, [], [some]],
  ];
  for (const [args, expected = [], warned = []] of cases) {
    it(`the arguments of a scheduler role are checked: ${JSON.stringify(args)}`, () => {
      const [documented, hashicorp] = (["documented", "hashicorp"] as const).map((dialect) => {
        const checked = checkArguments(definitionIn(roleDefinition, dialect), z, { name: "r", ...args });
        const problems = checked.failures.map(({ property, reason }) => `${property} ${reason}`);
        return { problems, warnings: checked.warnings };
      });
      assert.deepEqual(documented, { problems: expected, warnings: warned });
      const refused = [...expected, ...warned.flatMap((warning) => refusals[warning] ?? [])];
      assert.deepEqual(hashicorp?.problems, refused);
    });
  }

  const unusual: readonly Properties[] = [{}, { type: "management", policies: ["a"] }];
  for (const args of unusual) {
    it(`a scheduler role is created even if it is unusual: ${JSON.stringify(args)}`, async () => {
      const role = { name: "deploy", ...args };
      const managed = await FakeEngine.create(roleDefinition, emulator, role);
      assert.equal(await managed.refresh(), true);
      assert.equal(await managed.up(role), "same");
      assert.deepEqual(emulator.inspect().secrets.schedulerRoles[0]?.policies, args.policies ?? []);
    });
  }

  it("getRole reads a role without policies, but not one without a type", async () => {
    const respondWith = (data: object) =>
      emulator.faults.add({ path: "/v1/scheduler/role/deploy", status: 200, body: { data } });
    respondWith({ token_type: "client" });
    assert.deepEqual((await getRole({ name: "deploy" })).policies, []);
    respondWith({ policies: ["a"] });
    assert.match((await failure(getRole({ name: "deploy" }))).message, /data\.token_type/);
  });

  it("listRoles lists the names of the roles of a mount", async () => {
    emulator.secrets.addMount({ type: "scheduler", path: "teams/eu" });
    assert.deepEqual(await listRoles({ mount: "teams/eu" }), { names: [] });
    ["web", "a/b"].forEach((name) => emulator.secrets.addSchedulerRole({ name }));
    assert.deepEqual(await listRoles(), { names: ["a/b", "web"] });
  });
});
