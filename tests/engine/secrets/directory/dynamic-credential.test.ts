import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import type { Emulator } from "pulumi-trivium/testing";
import { dynamicCredential, roleBelow } from "../../../cases/secrets/directory/dynamic-credential";
import { describeLifecycle } from "../../support/lifecycle";
import { failureOf } from "../../support/projects";
import { type Program, TestStack } from "../../support/stack";
import {
  configurationFor,
  configureBoth,
  directoryEngine,
  otherMount,
  secretsToken,
  setUp,
} from "./surroundings";
import { stepByStep } from "../../../support/step-by-step";

const { DynamicCredential } = trivium.secrets.directory;
const type = "pulumi-nodejs:dynamic/trivium/secrets/directory:DynamicCredential";
const mint = { method: "GET", path: "/v1/ldap/creds/:name" };
const parent = "ou=minted,dc=acme,dc=example";

async function engineWithRoles(): Promise<Emulator> {
  const emulator = await directoryEngine([]);
  emulator.secrets.addDirectoryEntry({ dn: parent });
  await configureBoth(emulator);
  const body = roleBelow(parent, "2h");
  await setUp(
    emulator,
    ["ldap/role/reports", "ldap/role/audits", `${otherMount}/role/audits`].map((path) => ({ path, body })),
  );
  return emulator;
}

const mintedAt = (emulator: Emulator) => emulator.inspect().secrets.directoryIssuedAccounts;
/** The passwords of all accounts that were minted and live. */
const passwordsAt = (emulator: Emulator): string[] =>
  emulator
    .inspect()
    .secrets.directoryEntries.filter(({ dn }) => dn.endsWith(`,${parent}`))
    .flatMap(({ password }) => (password === null ? [] : [password]));

describeLifecycle(dynamicCredential);

describe("credentials of a dynamic role", function () {
  this.timeout(120_000);
  stepByStep();

  let emulator: Emulator;
  let stack: TestStack;
  const minted = () => mintedAt(emulator);
  const passwords = () => passwordsAt(emulator);
  const program =
    (args: Partial<trivium.secrets.directory.DynamicCredentialArgs> = {}): Program =>
    () => {
      const { id, username, password } = new DynamicCredential("reports", { roleName: "reports", ...args });
      return Promise.resolve({ id, username, password });
    };
  // A program that fails never ends for the SDK while one of its outputs waits for the resource.
  const withoutOutputs =
    (full: Program): Program =>
    async () => {
      await full();
      return undefined;
    };
  const oneLine = (text: string): string => text.replace(/\s+/g, " ");

  before(async function () {
    this.timeout(900_000);
    emulator = await engineWithRoles();
    stack = await TestStack.create("engine-dynamic-credentials", configurationFor(emulator));
  });
  after(async () => {
    stack.remove();
    await emulator.close();
  });

  it("are issued once over five runs, and never in a preview", async () => {
    await stack.preview(program());
    assert.equal(emulator.journal.count(), 0);
    for (let run = 1; run <= 5; run++) {
      await stack.up(program());
    }
    assert.equal(emulator.journal.count(mint), 1);
    const [account = assert.fail()] = minted();
    const { id, username, password } = await stack.outputs();
    assert.deepEqual([id?.value, username?.value], [account.leaseId, account.username]);
    assert.equal(password?.secret, true);
    assert.deepEqual(passwords(), [password.value]);
  });

  it("are replaced near their end: the plan says why in one line, and asks nothing", async () => {
    const [former = assert.fail()] = minted();
    const plan = await stack.preview(program({ renewBefore: "2h" }));
    assert.deepEqual(plan.changes, { replace: 1 });
    assert.match(
      oneLine(plan.text),
      new RegExp(`The credential ${former.username} of the role reports expires at \\S+, within renewBefore`),
    );
    assert.equal(emulator.journal.count(mint), 1);
    await stack.up(program({ renewBefore: "2h" }));
    assert.equal(emulator.journal.count(mint), 2);
    assert.notEqual((await stack.outputs()).username?.value, former.username);
  });

  it("live on to their end when the stack is destroyed", async () => {
    emulator.journal.clear();
    await stack.destroy();
    assert.equal(emulator.journal.count(), 0);
    assert.equal(minted().length, 2);
  });

  it("are not requested again when the response is lost: the error says what may exist", async () => {
    emulator.faults.add({ ...mint, drop: "after" });
    const text = await failureOf(stack.up(withoutOutputs(program())));
    assert.match(oneLine(text), /The service may nevertheless have generated a credential\./);
    assert.equal(emulator.journal.count(mint), 1);
    assert.deepEqual(await stack.resources(type), []);
  });

  it("show no password in clear", async () => {
    await stack.up(program());
    const shown = stack.output + (await stack.state());
    const canaries = [...passwords(), secretsToken];
    assert.equal(canaries.length, 5);
    for (const canary of canaries) {
      assert.ok(!shown.includes(canary));
    }
  });
});
