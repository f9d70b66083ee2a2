import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import type { Emulator, Inspection, TotpSecretRecord } from "pulumi-trivium/testing";
import { assertCodesAreRight } from "../../../secrets/mfa/one-time-codes";
import { readBarcode } from "../../../testing/secrets/mfa/read-barcode";
import { emulatedWorld } from "../../support/emulated-world";
import { describeLifecycle } from "../../support/lifecycle";
import { failureOf } from "../../support/projects";
import { type Program, TestStack } from "../../support/stack";
import { configurationOf } from "../../support/surroundings";
import type { World } from "../../support/world";

const { adminDestroyTotpSecret, adminGenerateTotpSecret, generateTotpSecret, TotpMethod, TotpSecret } =
  trivium.secrets.mfa;
const type = "pulumi-nodejs:dynamic/trivium/secrets/mfa:TotpSecret";

/** What every generated secret consists of, to be found nowhere in clear. */
const generated: string[] = [];

/** Two methods and two entities. */
async function prepare(world: World) {
  const { secrets } = world;
  const addMethod = async (): Promise<string> => {
    const made = await secrets.api.write("identity/mfa/method/totp", { issuer: "Acme" });
    return String(made?.["method_id"] ?? made?.["id"]);
  };
  return {
    ...world.surroundings("secrets", (inspection) => generatedIn(inspection)),
    methodIds: [await addMethod(), await addMethod()],
    entityIds: [await secrets.addEntity(), await secrets.addEntity()],
  };
}

function generatedIn({ secrets: { totpSecrets } }: Inspection): readonly TotpSecretRecord[] {
  generated.push(...totpSecrets.flatMap(({ key, url }) => [key, url]));
  return totpSecrets;
}

describeLifecycle({
  className: "secrets.mfa.TotpSecret",
  type,
  prepare,
  live: { needs: ["secrets service"] },
  declare: (name, args, options) =>
    new TotpSecret(name, args as unknown as trivium.secrets.mfa.TotpSecretArgs, options),
  valid: ({ methodIds, entityIds }) => ({
    methodId: methodIds[0],
    entityId: entityIds[0],
    triggers: { round: 1, forced: false },
  }),
  spellings: { triggers: { forced: false, round: 1 } },
  changes: [
    { argument: "methodId", toIn: ({ methodIds }) => methodIds[1], replaces: true },
    { argument: "entityId", toIn: ({ entityIds }) => entityIds[1], replaces: true },
  ],
  cleared: [],
  adopt: true,
  // The service shows nothing of a secret, so neither does a refresh.
  holds: ({ emulator }, { secret }) => {
    if (emulator !== undefined) {
      const alive = generatedIn(emulator.inspect()).filter(({ key }) => JSON.stringify(secret).includes(key));
      assert.equal(alive.length, 1, "state holds a secret that is gone");
    }
  },
  canaries: generated,
});

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

  it("is destroyed and generated anew when a trigger changes", async () => {
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

  it("is not generated twice when the answer is lost; with adopt the next run goes on", async () => {
    emulator.faults.add({ method: "POST", path: /admin-generate$/, drop: "after" });
    const wanted = { triggers: { round: 3 } };
    const lost = await failing(wanted);
    assert.match(lost, /may have a TOTP secret .* run `pulumi up` again with `adopt: true`/);
    const [orphan] = secrets();
    assert.equal(secrets().length, 1);
    assert.match(await failing(wanted), /TotpSecret already exists .* Set adopt to/);
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
