import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { SchedulerEngine, type SchedulerEngineArgs } from "../scheduler-engine";
import { declare, useMocks, valueOf } from "./mocks";

const tokenType = "pulumi-nodejs:dynamic/trivium/secrets/scheduler:Token";
const args: SchedulerEngineArgs = {
  address: "https://scheduler.example.com:4646",
  managementToken: "management-token",
  roles: {
    deploy: { policies: ["job-submit"], issueToken: true },
    watch: { policies: ["node-read"] },
  },
};

describe("SchedulerEngine", () => {
  const mocked = useMocks((type) => (type === tokenType ? { secretId: "issued-token" } : {}));

  it("has the roles that it is given", async () => {
    const engine = await declare(() => new SchedulerEngine("scheduler", args));
    assert.deepEqual(await valueOf(engine.roleNames), ["deploy", "watch"]);
    assert.deepEqual(
      mocked.resources
        .filter(({ type }) => type.endsWith(":Role"))
        .map(({ inputs }) => [inputs.name, inputs.policies]),
      [
        ["deploy", ["job-submit"]],
        ["watch", ["node-read"]],
      ],
    );
  });

  it("has a token issued for the roles that say so, and keeps all of them secret", async () => {
    const engine = await declare(() => new SchedulerEngine("scheduler", args));
    assert.equal(await valueOf(engine.token("deploy")), "issued-token");
    assert.deepEqual(await valueOf(engine.tokens), { deploy: "issued-token" });
    assert.equal(await pulumi.isSecret(engine.tokens), true);
  });

  it("says for which roles it has tokens when another one is asked for", async () => {
    const engine = await declare(() => new SchedulerEngine("scheduler", args));
    assert.throws(() => engine.token("watch"), /No token of the role watch is issued, only: deploy/);
  });
});
