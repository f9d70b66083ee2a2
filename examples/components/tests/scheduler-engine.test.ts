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

  it("creates the roles of its arguments", async () => {
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

  it("issues a token for each role with `issueToken`, and keeps all tokens secret", async () => {
    const engine = await declare(() => new SchedulerEngine("scheduler", args));
    assert.equal(await valueOf(engine.token("deploy")), "issued-token");
    assert.deepEqual(await valueOf(engine.tokens), { deploy: "issued-token" });
    assert.equal(await pulumi.isSecret(engine.tokens), true);
  });

  it("lists the roles with tokens if another one is requested", async () => {
    const engine = await declare(() => new SchedulerEngine("scheduler", args));
    assert.throws(() => engine.token("watch"), /No token of the role watch is issued, only: deploy/);
  });
});
