import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import type { Emulator } from "pulumi-trivium/testing";
import { describeLifecycle } from "../../support/lifecycle";
import { inAnotherCase } from "../names";
import type { Values } from "../../support/lifecycle-case";
import { failureOf } from "../../support/projects";
import { type Program, TestStack } from "../../support/stack";
import {
  bindPassword,
  configurationFor,
  configuredEngineIn,
  configureBoth,
  directoryEngine,
  otherMount,
  secretsToken,
  setUp,
} from "./surroundings";

const { DynamicCredential } = trivium.secrets.directory;
const type = "pulumi-nodejs:dynamic/trivium/secrets/directory:DynamicCredential";
const mint = { method: "GET", path: "/v1/ldap/creds/:name" };
const parent = "ou=minted,dc=acme,dc=example";

async function engineWithRoles(): Promise<Emulator> {
  const emulator = await directoryEngine([]);
  emulator.secrets.addDirectoryEntry({ dn: parent });
  await configureBoth(emulator);
  const body = roleBelow(parent);
  await setUp(
    emulator,
    ["ldap/role/reports", "ldap/role/audits", `${otherMount}/role/audits`].map((path) => ({ path, body })),
  );
  return emulator;
}

/** A dynamic role that makes entries below one. */
function roleBelow(place: string): Values {
  const dn = `dn: cn={{.Username}},${place}`;
  const entry = [
    "objectClass: person",
    "cn: {{.Username}}",
    "sn: {{.Username}}",
    "userPassword: {{.Password}}",
  ];
  return {
    creation_ldif: [dn, "changetype: add", ...entry].join("\n"),
    deletion_ldif: [dn, "changetype: delete"].join("\n"),
    default_ttl: "2h",
  };
}

const mintedAt = (emulator: Emulator) => emulator.inspect().secrets.directoryIssuedAccounts;
/** The passwords of all accounts that were minted and live. */
const passwordsAt = (emulator: Emulator): string[] =>
  emulator
    .inspect()
    .secrets.directoryEntries.filter(({ dn }) => dn.endsWith(`,${parent}`))
    .flatMap(({ password }) => (password === null ? [] : [password]));

describeLifecycle({
  className: "secrets.directory.DynamicCredential",
  type,
  async prepare(world) {
    const engine = await configuredEngineIn(world, [], ({ secrets }) => secrets.directoryIssuedAccounts);
    const minted = await world.secrets.directory.add("minted");
    for (const path of [
      `${engine.mount}/role/reports`,
      `${engine.mount}/role/audits`,
      `${engine.otherMount}/role/audits`,
    ]) {
      await world.secrets.api.write(path, roleBelow(minted));
    }
    return { ...engine, minted };
  },
  live: {
    needs: ["directory engine", "directory"],
    count: async ({ world, minted }) => (await world.secrets.directory.below(minted)).length,
  },
  declare: (name, args, options) =>
    new DynamicCredential(name, args as unknown as trivium.secrets.directory.DynamicCredentialArgs, options),
  valid: ({ given }) => ({ ...given, roleName: "reports", renewBefore: "5m" }),
  spellings: ({ world }) => ({ roleName: inAnotherCase(world, "reports"), renewBefore: 300 }),
  changes: [
    { argument: "renewBefore", to: "10m" },
    { argument: "roleName", to: "audits", replaces: true },
    { argument: "mount", toIn: ({ otherMount }) => otherMount, replaces: true },
  ],
  cleared: ["renewBefore"],
  adopt: false,
  // The documents have no request that ends a credential before its time.
  remains: { dialects: ["documented"] },
  canaries: [bindPassword],
});

describe("credentials of a dynamic role", function () {
  this.timeout(120_000);
  this.bail(true);

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

  it("are minted once over five runs, and never in a preview", async () => {
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
      new RegExp(
        `The credential ${former.username} of the role reports ends at \\S+, which is within renewBefore`,
      ),
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

  it("are not asked for again when the answer is lost: the error says what may exist", async () => {
    emulator.faults.add({ ...mint, drop: "after" });
    const text = await failureOf(stack.up(withoutOutputs(program())));
    assert.match(oneLine(text), /The service may have made a credential all the same\./);
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
