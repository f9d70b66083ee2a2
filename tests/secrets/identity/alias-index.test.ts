import assert from "node:assert/strict";
import { type Aliases, AliasIndex, type AliasKey } from "../../../sdk/secrets/identity/alias-index";
import { aliasesOf } from "../../../sdk/secrets/identity/entity-alias";
import { stopServers } from "../../http/server";
import { useEmulator } from "../../support/use-emulator";
import { idsOnly, serviceWith } from "../altered-responses";
import { secretsClientOf } from "../emulated-client";

const mountAccessor = "auth_userpass_00000001";

describe("the index of aliases", () => {
  const emulator = useEmulator();
  let aliases: Aliases<AliasKey>;
  let index: AliasIndex;
  let now: number;

  beforeEach(async () => {
    aliases = aliasesOf(secretsClientOf(emulator, {}, await serviceWith(emulator, idsOnly)));
    now = 5000;
    index = new AliasIndex(() => now);
  });
  afterEach(stopServers);

  const add = (name: string): string =>
    emulator.secrets.addEntityAlias({ name, canonicalId: emulator.secrets.addEntity({}).id }).id;
  const find = async (name: string): Promise<string | undefined> =>
    (await index.find(aliases, { name, mountAccessor }))?.id;
  const reads = (): number =>
    emulator.journal.count({ method: "GET", path: "/v1/identity/entity-alias/id/:id" });

  it("reads each alias once for all questions that wait, and a hit once more", async () => {
    const [alice] = [add("alice"), add("bob"), add("carol")];
    const questions = ["dave", "alice", "erin"].map((name) => ({ name, mountAccessor }));
    questions.forEach((wanted) => index.ask(wanted));
    now += 1;
    for (const wanted of questions) {
      assert.equal((await index.find(aliases, wanted))?.id, wanted.name === "alice" ? alice : undefined);
    }
    assert.equal(reads(), 4);
    const late = { name: "frank", mountAccessor };
    now += 1;
    index.ask(late);
    await index.find(aliases, late);
    assert.equal(reads(), 7);
  });

  it("does not believe what it has read before the question", async () => {
    const alice = add("alice");
    await find("dave");
    emulator.secrets.changeEntityAlias(alice, { name: "dave" });
    assert.equal(await find("dave"), alice);
  });

  for (const [what, fault] of [
    ["may not be read", { status: 403, body: { errors: ["permission denied"] } }],
    ["makes the service fail", { status: 500, body: { errors: ["bad entry"] } }],
    ["is not as documented", { status: 200, body: { data: { id: 5 } } }],
  ] as const) {
    it(`looks at the others where one alias ${what}`, async () => {
      const [alice, bob] = [add("alice"), add("bob")];
      emulator.faults.add({ method: "GET", path: `/v1/identity/entity-alias/id/${alice}`, ...fault });
      assert.equal(await find("dave"), undefined);
      assert.deepEqual([...index.notRead], [alice]);
      assert.ok(index.has(alice));
      assert.equal(await find("bob"), bob);
    });
  }

  it("fails when it may read none", async () => {
    add("alice");
    emulator.faults.add({
      method: "GET",
      path: "/v1/identity/entity-alias/id/:id",
      status: 403,
      body: { errors: ["permission denied"] },
    });
    await assert.rejects(find("dave"), /permission denied/);
  });

  it("does not believe a hit that it has read earlier", async () => {
    const alice = add("alice");
    await find("dave");
    emulator.secrets.changeEntityAlias(alice, { name: "bob" });
    assert.equal(await find("alice"), undefined);
    assert.equal(await find("bob"), alice);
    emulator.secrets.removeEntityAlias(alice);
    assert.equal(await find("bob"), undefined);
  });

  it("remembers and forgets what it is given", async () => {
    const alice = add("alice");
    const waiting = { name: "dave", mountAccessor };
    index.ask(waiting);
    now += 1;
    index.note(alice, { name: "alice", mountAccessor });
    assert.equal(await index.find(aliases, waiting), undefined);
    assert.equal(reads(), 0);
    assert.ok(index.has(alice));
    index.forget(alice);
    assert.ok(!index.has(alice));
    assert.equal(await find("dave"), undefined);
    assert.equal(reads(), 1);
  });

  it("tells aliases apart that differ by case alone", async () => {
    const [loud, quiet] = [add("ALICE"), add("alice")];
    assert.equal(await find("alice"), quiet);
    assert.equal(await find("ALICE"), loud);
    assert.equal(await find("Alice"), undefined);
  });

  it("does not mind an alias that goes while it looks", async () => {
    const alice = add("alice");
    const fault = emulator.faults.add({
      method: "GET",
      path: `/v1/identity/entity-alias/id/${alice}`,
      status: 404,
      body: { errors: [] },
    });
    const bob = add("bob");
    assert.equal(await find("bob"), bob);
    assert.equal(fault.hits, 1);
  });

  it("fails when it may not look", async () => {
    emulator.faults.add({ method: "GET", status: 403, body: { errors: ["permission denied"] } });
    await assert.rejects(find("alice"), /Could not list the entity aliases: .*permission denied/);
  });
});
