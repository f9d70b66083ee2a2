import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { listRoles, listRolesOutput } from "../../../sdk/secrets/scheduler/list-roles";
import { useEnvironment } from "../../connection/environment";
import { useMocks, valueOf } from "../../resource/mocks";
import { useEmulator } from "../../support/use-emulator";

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

  it("lists nothing where there is nothing", async () => {
    assert.deepEqual(await listRoles({}), { names: [] });
  });

  it("understands a bare array too", async () => {
    emulator.faults.add({ path: "/v1/scheduler/role", status: 200, body: { data: ["one", "two"] } });
    assert.deepEqual(await listRoles({}), { names: ["one", "two"] });
  });

  describe("in a program", () => {
    useMocks();

    it("takes outputs", async () => {
      emulator.secrets.addSchedulerRole({ name: "deploy" });
      const roles = listRolesOutput({ mount: pulumi.output("scheduler") });
      assert.deepEqual(await valueOf(roles.names), ["deploy"]);
      assert.deepEqual(await valueOf(listRolesOutput().names), ["deploy"]);
    });
  });
});
