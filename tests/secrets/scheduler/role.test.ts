import assert from "node:assert/strict";
import { z } from "zod";
import { checkArguments } from "../../../sdk/resource/lifecycle/check";
import type { Dialect } from "../../../sdk/base/settings";
import { getRole, listRoles, roleDefinition } from "../../../sdk/secrets/scheduler/role";
import type { SchedulerRoleRecord } from "../../../sdk/testing";
import { useEnvironment } from "../../connection/environment";
import { failure } from "../../http/calls";
import { stopServers } from "../../http/server";
import { Managed } from "../../support/managed";
import type { Properties } from "../../support/provider-process";
import { useEmulator } from "../../support/use-emulator";
import { serviceWith } from "../altered-responses";

const path = "/v1/scheduler/role/:name";

/** Everything must hold for both ways in which a service answers reads. */
for (const schedulerReads of ["documented", "real"] as const) {
  describe(`secrets.scheduler.Role, read as ${schedulerReads}`, () => {
    const emulator = useEmulator({ secrets: { schedulerReads } });
    afterEach(stopServers);

    const stored = (): readonly SchedulerRoleRecord[] => emulator.inspect().secrets.schedulerRoles;
    const sent = (): unknown[] => emulator.journal.requests({ method: "POST", path }).map(({ body }) => body);
    const manage = async (args: Properties): Promise<Managed> => {
      const managed = new Managed(roleDefinition, emulator);
      await managed.up({ name: "deploy", ...args });
      return managed;
    };
    const client = { name: "deploy", policies: ["a", "b"] };

    it("is a client role that is not global unless the program says otherwise", async () => {
      const { outputs } = await manage({ policies: "a" });
      assert.deepEqual(sent(), [{ policies: "a", global: false, type: "client" }]);
      assert.equal(outputs.global, false);
    });

    for (const policies of [["b", "a"], ["a", "b", "a"], "a,b", " b , a,", "b,a,a"]) {
      it(`shows no change when its policies are written ${JSON.stringify(policies)}`, async () => {
        const managed = await manage({ policies: ["a", "b"] });
        assert.equal(await managed.up({ ...client, policies }), "same");
        assert.equal(await managed.refresh(), true);
        assert.equal(await managed.up({ ...client, policies }), "same");
      });
    }

    it("becomes a management role and a client role again, each in one update", async () => {
      const managed = await manage({ policies: ["a"], type: "client", global: true });
      assert.equal(await managed.up({ name: "deploy", type: "management", global: true }), "updated");
      assert.deepEqual(stored()[0], {
        mount: "scheduler",
        name: "deploy",
        policies: [],
        global: true,
        type: "management",
      });
      assert.equal(await managed.up({ name: "deploy", type: "management", global: true }), "same");
      assert.equal(await managed.up({ ...client, type: "client", global: true }), "updated");
      assert.deepEqual([stored()[0]?.type, stored()[0]?.policies], ["client", ["a", "b"]]);
      assert.deepEqual(sent(), [
        { policies: "a", global: true, type: "client" },
        { policies: "", global: true, type: "management" },
        { policies: "a,b", global: true, type: "client" },
      ]);
    });

    it("becomes a client role again when the type is no longer given", async () => {
      const managed = await manage({ type: "management" });
      assert.equal(await managed.up(client), "updated");
      assert.equal(stored()[0]?.type, "client");
      assert.equal(await managed.up(client), "same");
    });

    it("does not touch global when the program has never said anything about it", async () => {
      emulator.secrets.addSchedulerRole({ name: "deploy", policies: ["old"], global: true });
      const managed = await manage({ policies: "a", adopt: true });
      assert.equal(stored()[0]?.global, true);
      await managed.up({ name: "deploy", policies: "b", adopt: true });
      assert.deepEqual([stored()[0]?.global, stored()[0]?.policies], [true, ["b"]]);
    });

    it("adopts a role of the other type", async () => {
      emulator.secrets.addSchedulerRole({ name: "deploy", policies: ["old"] });
      const managed = await manage({ type: "management", adopt: true });
      assert.deepEqual([stored()[0]?.type, stored()[0]?.policies], ["management", ["old"]]);
      await managed.destroy();
      emulator.secrets.addSchedulerRole({ name: "deploy", type: "management" });
      await manage({ policies: "a", adopt: true });
      assert.deepEqual([stored()[0]?.type, stored()[0]?.policies], ["client", ["a"]]);
    });

    it("is understood where its policies are one text, and nothing is null", async () => {
      const settings = await serviceWith(emulator, (_request, { status, body }) => ({
        status,
        body: body?.data
          ? { data: { policies: "b, a", token_type: "client", type: null, lease: null, global: null } }
          : body,
      }));
      const managed = new Managed(roleDefinition, emulator, settings);
      await managed.up(client);
      assert.equal(await managed.refresh(), true);
      assert.deepEqual([managed.outputs.policies, managed.outputs.type], [["b", "a"], "client"]);
      assert.equal(await managed.up(client), "same");
    });
  });
}

describe("the arguments of secrets.scheduler.Role", () => {
  const emulator = useEmulator({ resets: false });

  const none = 'policies must contain at least one policy when type is "client"';
  const some = 'policies must be empty when type is "management", whose tokens have all permissions';
  const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
  const cases: readonly [Properties, readonly string[]][] = [
    [{ type: "management" }, []],
    [{ type: "management", policies: "" }, []],
    [{ type: "management", policies: null }, []],
    [{ policies: unknown }, []],
    [{ policies: [unknown] }, []],
    [{ policies: "a", type: unknown }, []],
    [{ policies: ["a", "b,c"] }, ["policies[1] must be the name of a policy, without commas"]],
    [{ policies: 5 }, ["policies must be a list of names, or a string of names separated by commas"]],
  ];
  const doubtful: readonly [Properties, string, RegExp][] = [
    [{}, none, /is empty/],
    [{ policies: [] }, none, /is empty/],
    [{ policies: " , " }, none, /is empty/],
    [{ policies: null, type: null }, none, /is empty/],
    [{ type: "client" }, none, /is empty/],
    [{ type: "management", policies: "a" }, some, /have no effect/],
    [{ type: "management", policies: ["a"] }, some, /have no effect/],
  ];
  for (const [args, refusal, warning] of doubtful) {
    it(`are warned about, and refused only where the products do: ${JSON.stringify(args)}`, () => {
      const judge = (dialect: Dialect) => checkArguments(roleDefinition, z, dialect, { name: "r", ...args });
      const { failures, warnings } = judge("documented");
      assert.deepEqual([failures, warnings.length], [[], 1]);
      assert.match(warnings[0] ?? "", warning);
      assert.deepEqual(
        judge("hashicorp").failures.map(({ property, reason }) => `${property} ${reason}`),
        [refusal],
      );
    });
  }

  it("are warned about where a policy has a space in its name", () => {
    const { failures, warnings } = checkArguments(roleDefinition, z, "documented", {
      name: "r",
      policies: ["a b"],
    });
    assert.deepEqual([failures, warnings.length], [[], 1]);
  });

  it("make a role without policies, and a management role with some", async () => {
    emulator.reset();
    const roles: readonly Properties[] = [
      { name: "bare" },
      { name: "boss", type: "management", policies: ["a"] },
    ];
    for (const args of roles) {
      const managed = new Managed(roleDefinition, emulator);
      assert.equal(await managed.up(args), "created");
      assert.equal(await managed.refresh(), true);
      assert.equal(await managed.up(args), "same");
    }
    const stored = emulator.inspect().secrets.schedulerRoles.map(({ name, policies }) => [name, policies]);
    assert.deepEqual(stored, [
      ["bare", []],
      ["boss", ["a"]],
    ]);
    emulator.journal.clear();
  });

  for (const [args, problems] of cases) {
    it(`are ${problems.length === 0 ? "accepted" : "refused"}: ${JSON.stringify(args)}`, async () => {
      const managed = new Managed(roleDefinition, emulator);
      assert.deepEqual(await managed.problems({ name: "r", ...args }), problems);
    });
  }
});

for (const [schedulerReads, rest] of [
  ["documented", { global: null, lease: "0s" }],
  ["real", { global: true, lease: null }],
] as const) {
  describe(`secrets.scheduler.getRole, of a service that responds as ${schedulerReads}`, () => {
    const emulator = useEmulator({ secrets: { schedulerReads } });
    useEnvironment(() => emulator.environment);

    it("reads a role", async () => {
      emulator.secrets.addSchedulerRole({ name: "deploy", policies: ["a", "b"], global: true });
      assert.deepEqual(await getRole({ name: "deploy" }), {
        mount: "scheduler",
        name: "deploy",
        policies: ["a", "b"],
        type: "client",
        ...rest,
      });
    });

    it("says so when there is no such role", async () => {
      const error = await failure(getRole({ name: "none" }));
      assert.equal(error.message, 'The scheduler role "none" of the mount scheduler does not exist.');
    });

    it("takes a role without policies, and none without a type", async () => {
      const respondWith = (data: object) =>
        emulator.faults.add({ path: "/v1/scheduler/role/deploy", status: 200, body: { data }, times: 1 });
      respondWith({ token_type: "client" });
      assert.deepEqual((await getRole({ name: "deploy" })).policies, []);
      respondWith({ policies: ["a"] });
      assert.match((await failure(getRole({ name: "deploy" }))).message, /data\.token_type/);
    });
  });
}

describe("secrets.scheduler.listRoles", () => {
  const emulator = useEmulator();
  useEnvironment(() => emulator.environment);

  it("lists the names of the roles of a mount", async () => {
    emulator.secrets.addMount({ type: "scheduler", path: "teams/eu" });
    emulator.secrets.addSchedulerRole({ name: "web" });
    emulator.secrets.addSchedulerRole({ name: "a/b" });
    emulator.secrets.addSchedulerRole({ name: "other" }, "teams/eu");
    assert.deepEqual(await listRoles(), { names: ["a/b", "web"] });
    assert.deepEqual(await listRoles({ mount: "teams/eu" }), { names: ["other"] });
    assert.deepEqual(
      emulator.journal.requests().map(({ method, target }) => `${method} ${target}`),
      ["GET /v1/scheduler/role?list=true", "GET /v1/teams/eu/role?list=true"],
    );
  });
});
