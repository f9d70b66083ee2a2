import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import type { Emulator } from "pulumi-trivium/testing";
import { libraryCheckout } from "../../../cases/secrets/directory/library-checkout";
import { describeLifecycle } from "../../support/lifecycle";
import { until } from "../../support/processes";
import { failureOf } from "../../support/projects";
import { type OperationOptions, type Program, TestStack } from "../../support/stack";
import {
  bindName,
  bindPassword,
  configurationFor,
  directoryEngine,
  secretsToken,
  setUp,
} from "./surroundings";
import { stepByStep } from "../../../support/step-by-step";

const { LibraryCheckout } = trivium.secrets.directory;
const type = "pulumi-nodejs:dynamic/trivium/secrets/directory:LibraryCheckout";
const checkOut = { method: "POST", path: "/v1/ldap/library/:name/check-out" };
const status = { method: "GET", path: "/v1/ldap/library/:name/status" };

async function libraries(): Promise<Emulator> {
  const emulator = await directoryEngine(["svc-1", "svc-2"]);
  const userdn = "ou=services,dc=acme,dc=example";
  await setUp(emulator, [
    { path: "ldap/config", body: { binddn: bindName, bindpass: bindPassword, userdn } },
    { path: "ldap/library/operators", body: { service_account_names: ["svc-1", "svc-2"] } },
  ]);
  return emulator;
}

const accountsOf = (emulator: Emulator) => emulator.inspect().secrets.directoryLibraryAccounts;
const outOf = (emulator: Emulator) => accountsOf(emulator).filter(({ checkOut: lease }) => lease !== null);

describeLifecycle(libraryCheckout);

describe("check-outs from a library", function () {
  this.timeout(120_000);
  stepByStep();

  let emulator: Emulator;
  let stack: TestStack;
  const accounts = () => accountsOf(emulator);
  const out = () => outOf(emulator);
  /** The display in detail, which is the default here, leaves out what is shown in passing. */
  const withProgress: OperationOptions & { readonly diff: boolean } = { diff: false };
  const passwords = new Set<string>();
  const program =
    (args: Partial<trivium.secrets.directory.LibraryCheckoutArgs> = {}): Program =>
    () => {
      const account = new LibraryCheckout("account", { setName: "operators", ...args });
      const { id, serviceAccountName, password, expiresAt } = account;
      return Promise.resolve({ id, serviceAccountName, password, expiresAt });
    };
  // A program that fails never ends for the SDK while one of its outputs waits for the resource.
  const withoutOutputs =
    (full: Program): Program =>
    async () => {
      await full();
      return undefined;
    };
  const outputs = async () => {
    const { id, serviceAccountName, password, expiresAt } = await stack.outputs();
    return { id: id?.value, name: serviceAccountName?.value, password, expiresAt: expiresAt?.value };
  };
  const oneLine = (text: string): string => text.replace(/\s+/g, " ");

  before(async function () {
    this.timeout(900_000);
    emulator = await libraries();
    stack = await TestStack.create("engine-library-checkouts", configurationFor(emulator));
  });
  beforeEach(() => emulator.journal.clear());
  afterEach(() => {
    accounts().forEach(({ password }) => passwords.add(password));
  });
  after(async () => {
    stack.remove();
    await emulator.close();
  });

  it("are kept when the response is lost, and issued again by the next run: never a second account", async () => {
    emulator.faults.add({ ...checkOut, drop: "after" });
    const text = await failureOf(stack.up(withoutOutputs(program())));
    assert.match(oneLine(text), /svc-1 was checked out in the meantime; its password is lost\./);
    assert.equal((await stack.resources(type)).length, 1);
    accounts().forEach(({ password }) => passwords.add(password));

    const requests = emulator.journal.count();
    const plan = await stack.preview(program());
    assert.deepEqual(plan.changes, { replace: 1 });
    assert.match(
      oneLine(plan.text),
      /has no password, because its response was lost: the account is checked in/,
    );
    assert.equal(emulator.journal.count(), requests);

    await stack.up(program());
    const [lent = assert.fail(), ...more] = out();
    assert.deepEqual(more, []);
    const { name, password } = await outputs();
    assert.deepEqual([name, password], [lent.name, { value: lent.password, secret: true }]);
    assert.equal(emulator.journal.count(checkOut), 2);
    await stack.previewWithoutChanges(program());
  });

  it("are returned, also after a lost response, when the stack is destroyed", async () => {
    await stack.destroy();
    assert.deepEqual(out(), []);
    emulator.faults.add({ ...checkOut, truncate: true });
    await failureOf(stack.up(withoutOutputs(program())));
    assert.equal(out().length, 1);
    await stack.destroy();
    assert.deepEqual(out(), []);
    assert.deepEqual(await stack.resources(type), []);
  });

  it("wait, visibly, for a free account", async () => {
    const others = [await borrow(), await borrow()];
    emulator.journal.clear();
    const outcome = stack.up(program({ waitFor: "5m" }), withProgress);
    await until(() => emulator.journal.count(status) >= 2);
    assert.equal(emulator.journal.count(checkOut), 0);
    await giveBack(others[1] ?? "");
    const { text, changes } = await outcome;
    assert.deepEqual(changes, { create: 2 });
    assert.match(text, /waiting for a free account of operators \(0 s of 300 s\)/);
    assert.match(text, /created \(\d+s\) an account was free/);
    assert.equal((await outputs()).name, others[1]);
    await stack.destroy();
    assert.deepEqual(
      out().map(({ name }) => name),
      [others[0]],
      "what somebody else has is left alone",
    );
    await giveBack(others[0] ?? "");
  });

  it("end within seconds of Ctrl-C while they wait, and nothing is checked out", async () => {
    const others = [await borrow(), await borrow()];
    emulator.journal.clear();
    const cancellation = new AbortController();
    const text = failureOf(
      stack.up(withoutOutputs(program({ waitFor: "1h" })), { ...withProgress, signal: cancellation.signal }),
    );
    await until(() => emulator.journal.count(status) >= 1);
    cancellation.abort();
    assert.match(oneLine(await text), /Cancelled while waiting for a free account .* None was checked out\./);
    assert.equal(emulator.journal.count(checkOut), 0);
    assert.deepEqual(await stack.resources(type), []);
    await Promise.all(others.map(giveBack));
  });

  it("show no password in clear", async () => {
    const shown = stack.output + (await stack.state());
    assert.ok(passwords.size >= 3);
    for (const password of passwords) {
      assert.ok(!shown.includes(password));
    }
    assert.ok(!shown.includes(secretsToken));
  });

  async function act(path: string, body: object, token: string): Promise<Record<string, unknown>> {
    const response = await fetch(`${emulator.secrets.address}/v1/ldap/library/${path}`, {
      method: "POST",
      headers: { "x-secrets-token": token, "content-type": "application/json" },
      body: JSON.stringify({ name: "operators", ...body }),
    });
    const { data } = (await response.json()) as { readonly data?: Record<string, unknown> };
    return data ?? assert.fail(`${path} was answered with ${response.status}`);
  }

  /** Checks out an account for somebody else. */
  async function borrow(): Promise<string> {
    const { service_account_name: name } = await act("operators/check-out", {}, emulator.secrets.addToken());
    return String(name);
  }

  async function giveBack(account: string): Promise<void> {
    await act("manage/operators/check-in", { service_account_names: [account] }, secretsToken);
  }
});
