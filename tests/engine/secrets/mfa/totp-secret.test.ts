import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import type { Emulator } from "pulumi-trivium/testing";
import { generated, generatedIn, prepare, totpSecret } from "../../../cases/secrets/mfa/totp-secret";
import { assertCodesAreRight } from "../../../secrets/mfa/one-time-codes";
import { readBarcode } from "../../../testing/secrets/mfa/read-barcode";
import { describeLifecycle } from "../../support/lifecycle";
import { failureOf } from "../../support/projects";
import { type Program, TestStack } from "../../support/stack";
import { configurationOf } from "../../support/surroundings";
import { emulatedWorld } from "../../support/worlds";

const { adminDestroyTotpSecret, adminGenerateTotpSecret, generateTotpSecret, TotpMethod, TotpSecret } =
  trivium.secrets.mfa;

describeLifecycle(totpSecret);

describe("a TOTP secret in a program", function () {
  this.timeout(120_000);

  let stack: TestStack;
  let emulator: Emulator;
  let methodId: string;
  let entityId: string;
  let surroundings: Awaited<ReturnType<typeof prepare>>;

  before(async function () {
    this.timeout(900_000);
    surroundings = await prepare(await emulatedWorld("documented"));
    emulator = surroundings.emulator ?? assert.fail("an emulator plays this world");
    [methodId = "", entityId = ""] = [surroundings.methodIds[0], surroundings.entityIds[0]];
    stack = await TestStack.create("engine-totp-secret", configurationOf(surroundings.connection));
  });
  after(async () => {
    stack.remove();
    await surroundings.close();
  });

  const secrets = () => generatedIn(emulator.inspect());
  const program =
    (args: Partial<trivium.secrets.mfa.TotpSecretArgs> = {}): Program =>
    () => {
      const method = new TotpMethod("codes", { issuer: "Acme", qrSize: 300 });
      const { barcode, url, secret } = new TotpSecret("alice", { methodId: method.id, entityId, ...args });
      return Promise.resolve({ barcode, url, secret });
    };
  /** An inline program whose resource fails waits for ever for the stack outputs that come from it. */
  const failing = (args: Partial<trivium.secrets.mfa.TotpSecretArgs>): Promise<string> =>
    failureOf(
      stack.up(async () => {
        await program(args)();
        return undefined;
      }),
    );
  const outputs = async () => {
    const { barcode, url, secret } = await stack.outputs();
    assert.deepEqual([barcode?.secret, url?.secret, secret?.secret], [true, true, true]);
    const values = { barcode: barcode?.value, url: url?.value, secret: secret?.value };
    generated.push(...(Object.values(values) as string[]));
    return values as { barcode: string; url: string; secret: string };
  };
  const assertEnrols = async (): Promise<string> => {
    const enrolment = await outputs();
    assert.equal(readBarcode(enrolment.barcode).text, enrolment.url);
    assertCodesAreRight(enrolment, secrets()[0]);
    return enrolment.secret;
  };

  it("enrols an authenticator whose codes the service takes", async () => {
    await stack.up(program());
    await assertEnrols();
    await stack.previewWithoutChanges(program());
  });

  it("is destroyed and generated again when a trigger changes", async () => {
    const former = (await outputs()).secret;
    emulator.journal.clear();
    const { changes } = await stack.up(program({ triggers: { round: 2 } }));
    assert.deepEqual(changes, { replace: 1 });
    assert.notEqual(await assertEnrols(), former);
    assert.deepEqual(
      emulator.journal.requests({ method: "POST" }).map(({ path }) => path.split("/").at(-1)),
      ["admin-destroy", "admin-generate"],
    );
  });

  it("is not generated twice when the response is lost; with adopt the next run goes on", async () => {
    emulator.faults.add({ method: "POST", path: /admin-generate$/, drop: "after" });
    const wanted = { triggers: { round: 3 } };
    const lost = await failing(wanted);
    assert.match(lost, /may now have a TOTP secret .* run `pulumi up` again with `adopt: true`/);
    const [orphan] = secrets();
    assert.equal(secrets().length, 1);
    assert.match(await failing(wanted), /TotpSecret already exists .* set `adopt: true`/);
    assert.deepEqual(secrets(), [orphan]);
    await stack.up(program({ ...wanted, adopt: true }));
    assert.notEqual(await assertEnrols(), orphan?.key);
    await stack.previewWithoutChanges(program(wanted));
  });

  it("is not what functions generate or destroy: they name the resource", async () => {
    emulator.journal.clear();
    const errors: unknown[] = [];
    await stack.preview(async () => {
      await generateTotpSecret({ methodId }).catch((error: unknown) => errors.push(error));
      for (const call of [adminGenerateTotpSecret, adminDestroyTotpSecret]) {
        await call({ methodId, entityId }).catch((error: unknown) => errors.push(error));
      }
      return program()();
    });
    assert.deepEqual(
      errors.map((error) => /use the resource (\S+) instead/.exec(String(error))?.[1]),
      Array.from({ length: 3 }, () => "secrets.mfa.TotpSecret"),
    );
    assert.equal(emulator.journal.count(), 0);
  });

  it("is destroyed before its method, and none of it was ever shown in clear", async () => {
    await stack.destroy();
    assert.deepEqual(secrets(), []);
    const { state, output } = { state: await stack.state(), output: stack.output };
    assert.ok(generated.length > 6);
    for (const text of generated) {
      assert.ok(!(state + output).includes(text), "a part of a secret was shown");
    }
  });
});
