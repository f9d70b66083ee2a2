import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import { useEmulator } from "../../support/use-emulator";
import { stepByStep } from "../../support/step-by-step";
import { failureOf } from "../support/projects";
import { type Program, TestStack } from "../support/stack";

const identity = "identity-of-the-job";
const method = { path: "jwt", parameters: { role: "ci", jwt: identity } };
const login = JSON.stringify({ path: "jwt", role: "ci", jwtVariable: "JOB_IDENTITY" });
const environment = { JOB_IDENTITY: identity };

/** Resources of the secrets service, one after the other or all at once. */
function programOf(count: number, between?: () => void): Program {
  return () => {
    let issuer: trivium.secrets.mfa.TotpMethod["id"] | string = "issuer";
    for (let index = 0; index < count; index++) {
      const made: trivium.secrets.mfa.TotpMethod = new trivium.secrets.mfa.TotpMethod(`method-${index}`, {
        issuer,
      });
      issuer =
        between === undefined
          ? issuer
          : made.id.apply(() => {
              between();
              return "issuer";
            });
    }
    return Promise.resolve(undefined);
  };
}

for (const adapter of ["dynamic", "plugin"] as const) {
  describe(`a stack that logs in, with the adapter ${adapter}`, function () {
    this.timeout(120_000);
    stepByStep();

    const emulator = useEmulator({ resets: false, dialect: "hashicorp" });
    let stack: TestStack;
    const requests = (end: string): number =>
      emulator.journal.requests().filter(({ path }) => path.endsWith(end)).length;

    before(async () => {
      const configuration = {
        "trivium:secretsAddress": emulator.secrets.address,
        "trivium:secretsDialect": "hashicorp",
        "trivium:secretsLogin": login,
      };
      stack = await TestStack.create("engine-login", configuration, environment, adapter);
      emulator.secrets.addLogin(method);
    });

    after(() => stack.remove());
    beforeEach(() => emulator.journal.clear());

    it("does not log in for a preview", async () => {
      await stack.preview(programOf(60));
      assert.equal(emulator.journal.count(), 0);
    });

    it("creates 60 resources with one login, and revokes its token", async () => {
      await stack.up(programOf(60));
      assert.equal(emulator.inspect().secrets.totpMethods.length, 60);
      assert.equal(requests("/auth/jwt/login"), 1);
      assert.equal(requests("/auth/token/revoke-self"), 1);
    });

    it("refreshes and changes nothing with another token", async () => {
      await stack.refresh();
      assert.equal(requests("/auth/jwt/login"), 1);
      assert.equal(requests("/auth/token/revoke-self"), 1);
      await stack.previewWithoutChanges(programOf(60));
    });

    it("goes on with an update in whose middle the token is revoked", async () => {
      await stack.destroy();
      emulator.journal.clear();
      let steps = 0;
      // The emulator knows that time is over; the library does not.
      await stack.up(programOf(4, () => (++steps === 2 ? emulator.advance("2h") : undefined)));
      assert.equal(emulator.inspect().secrets.totpMethods.length, 4);
      assert.equal(requests("/auth/jwt/login"), 2);
    });

    it("is destroyed when all its former tokens have ended", async () => {
      emulator.advance("40d");
      await stack.destroy();
      assert.deepEqual(emulator.inspect().secrets.totpMethods, []);
      assert.deepEqual(await stack.resources(), []);
    });

    it("says where a refused login comes from, and never shows the identity", async () => {
      stack.setEnvironment({ JOB_IDENTITY: "identity-of-somebody-else" });
      const text = await failureOf(stack.up(programOf(3)));
      assert.match(text, /log in to the secrets service/);
      assert.match(text, /trivium:secretsLogin/);
      assert.equal(requests("/auth/jwt/login"), 1);
      const everything = stack.output + (await stack.state());
      assert.ok(!everything.includes("identity-of-"), "the identity is shown");
      assert.ok(!/token-[A-Za-z0-9]{32}/.test(everything), "a token is shown");
    });
  });

  describe(`what a login has issued, with the adapter ${adapter}`, function () {
    this.timeout(120_000);

    const emulator = useEmulator({ dialect: "hashicorp" });

    it("lives on after the process has ended, and ends with the token", async () => {
      emulator.secrets.addLogin({ ...method, ttl: "2h" });
      emulator.scheduler.addPolicy({ name: "deploy" });
      const { address, token } = emulator.scheduler;
      const configuration = {
        "trivium:secretsAddress": emulator.secrets.address,
        "trivium:secretsDialect": "hashicorp",
        "trivium:secretsLogin": login,
      };
      const stack = await TestStack.create("engine-login-lease", configuration, environment, adapter);
      try {
        const program: Program = () => {
          const access = new trivium.secrets.scheduler.Access("access", { address, token });
          const role = new trivium.secrets.scheduler.Role("role", { name: "ops", policies: ["deploy"] });
          const issued = new trivium.secrets.scheduler.Token(
            "token",
            { roleName: role.name },
            { dependsOn: access },
          );
          return Promise.resolve({ expiresAt: issued.expiresAt });
        };
        await stack.preview(program);
        assert.match(stack.output, /will end with the token of the login at the latest/);
        await stack.up(program);
        const requests = emulator.journal.requests();
        assert.equal(requests.filter(({ path }) => path.endsWith("/revoke-self")).length, 0);
        assert.equal(emulator.inspect().secrets.leases.length, 1);
        assert.match(stack.output, /ends with the token of the login/);
        emulator.advance("3h");
        assert.equal(emulator.inspect().secrets.leases.length, 0);
        await stack.destroy();
      } finally {
        stack.remove();
      }
    });
  });
}
