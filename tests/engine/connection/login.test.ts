import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import { stepByStep } from "../../support/step-by-step";
import { useEmulator } from "../../support/use-emulator";
import { adapters } from "../support/adapter";
import { failureOf } from "../support/projects";
import { type Program, useSharedStack } from "../support/shared-stack";

const identity = "identity-of-the-job";
const method = { path: "jwt", parameters: { role: "ci", jwt: identity } };

for (const adapter of adapters) {
  describe(`a stack that logs in, with the adapter ${adapter}`, function () {
    this.timeout(120_000);
    stepByStep();

    const emulator = useEmulator({ resets: false, dialect: "hashicorp" });
    const configuration = () => ({
      "trivium:secretsAddress": emulator.secrets.address,
      "trivium:secretsDialect": "hashicorp",
      "trivium:secretsLogin": JSON.stringify({ path: "jwt", role: "ci", jwtVariable: "JOB_IDENTITY" }),
    });
    const environment = () => ({ JOB_IDENTITY: identity });
    const stack = useSharedStack("engine-login", configuration, { environment, adapter });
    /** Logins, and tokens that were revoked. */
    const logins = (): readonly number[] =>
      [/\/auth\/jwt\/login$/, /\/auth\/token\/revoke-self$/].map((path) => emulator.journal.count({ path }));
    const program: Program = () => {
      for (let index = 0; index < 60; index++) {
        new trivium.secrets.mfa.TotpMethod(`method-${index}`, { issuer: "issuer" });
      }
    };

    before(() => emulator.secrets.addLogin(method));
    beforeEach(() => emulator.journal.clear());

    it("the stack does not log in for a preview, logs in once for 60 resources, and revokes its token", async () => {
      await stack.preview(program);
      assert.equal(emulator.journal.count(), 0);
      await stack.up(program);
      assert.equal(emulator.inspect().secrets.totpMethods.length, 60);
      assert.deepEqual(logins(), [1, 1]);
    });

    it("the stack is refreshed without changes with another token, and is destroyed when all former tokens have expired", async () => {
      await stack.refresh();
      assert.deepEqual(logins(), [1, 1]);
      await stack.previewWithoutChanges(program);
      emulator.advance("40d");
      await stack.destroy();
      assert.deepEqual(emulator.inspect().secrets.totpMethods, []);
      assert.deepEqual(await stack.resources(), []);
    });

    it("a lease outlives the process, and expires with the login token", async () => {
      emulator.secrets.addLogin({ ...method, ttl: "2h" });
      emulator.scheduler.addPolicy({ name: "deploy" });
      const { address, token } = emulator.scheduler;
      const leasing: Program = () => {
        const dependsOn = new trivium.secrets.scheduler.Access("access", { address, token });
        const role = new trivium.secrets.scheduler.Role("role", { name: "ops", policies: ["deploy"] });
        new trivium.secrets.scheduler.Token("token", { roleName: role.name }, { dependsOn });
      };
      const preview = await stack.preview(leasing);
      assert.match(preview.text, /will expire no later than the login token/);
      const { text } = await stack.up(leasing);
      assert.deepEqual(logins(), [1, 0]);
      assert.equal(emulator.inspect().secrets.leases.length, 1);
      assert.match(text, /expires together with the login token/);
      emulator.advance("3h");
      assert.equal(emulator.inspect().secrets.leases.length, 0);
      await stack.destroy();
    });

    it("the error for a rejected login names its source and does not show the identity", async () => {
      stack.setEnvironment({ JOB_IDENTITY: "identity-of-somebody-else" });
      const text = await failureOf(stack.up(program));
      assert.match(text, /log in to the secrets service/);
      assert.match(text, /trivium:secretsLogin/);
      assert.deepEqual(logins(), [1, 0]);
      const everything = stack.output + (await stack.state());
      assert.ok(!everything.includes("identity-of-"), "the identity is shown");
      assert.ok(!/token-[A-Za-z0-9]{32}/.test(everything), "a token is shown");
    });
  });
}
