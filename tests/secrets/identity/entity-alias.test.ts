import assert from "node:assert/strict";
import { identity } from "../../../sdk/secrets";
import { AliasIndex, entityAliasDefinition } from "../../../sdk/secrets/identity/entity-alias";
import { failure } from "../../http/calls";
import { FakeEngine } from "../../support/fake-engine";
import type { Properties } from "../../support/provider-process";
import { type Alteration, idsOnly, reading, serviceWith } from "../altered-responses";
import { secretsClientOf, stepAt, useSecrets, textOf } from "../emulated-client";

const { getEntityAlias, listEntityAliases } = identity;
const mountAccessor = "auth_userpass_00000001";
const create = { method: "POST", path: "/v1/identity/entity-alias" };
const list = { method: "GET", path: "/v1/identity/entity-alias/id" };
const read = { method: "GET", path: "/v1/identity/entity-alias/id/:id" };
const denied = { status: 403, body: { errors: ["permission denied"] } };

describe("entity aliases", () => {
  const emulator = useSecrets();

  const addEntity = (): string => emulator.secrets.addEntity({}).id;
  const addAlias = (name: string, canonicalId = addEntity()) =>
    emulator.secrets.addEntityAlias({ name, canonicalId, customMetadata: { team: "a" } });
  const aliases = () => emulator.inspect().secrets.entityAliases;
  const managedAlias = async (alter?: Alteration): Promise<FakeEngine> =>
    new FakeEngine(entityAliasDefinition, emulator, alter && (await serviceWith(emulator, alter)));
  const args = (more: Properties = {}): Properties => ({
    name: "alice",
    canonicalId: addEntity(),
    mountAccessor,
    ...more,
  });
  const failReading = (id: string, fault: object) =>
    emulator.faults.add({ method: "GET", path: `${list.path}/${id}`, ...fault } as never);

  it("entity aliases send name, entity and mount with each update, and metadata once the program has them", async () => {
    const managed = await managedAlias();
    const desired = args({ name: "alicia" });
    await managed.up({ ...desired, name: "alice" });
    const named = { name: "alicia", canonical_id: desired.canonicalId, mount_accessor: mountAccessor };
    await managed.up(desired);
    await managed.up({ ...desired, customMetadata: { team: "a" } });
    await managed.up(desired);
    const sent = emulator.journal.requests({ ...read, method: "POST" }).map(({ body }) => body);
    const cleared = { ...named, custom_metadata: {} };
    assert.deepEqual(sent, [named, { ...cleared, custom_metadata: { team: "a" } }, cleared]);
  });

  it("entity aliases that exist are not created or renamed again, and the error names their ID and entity", async () => {
    const { id, canonicalId } = addAlias("bob");
    const managed = await managedAlias();
    const desired = args();
    await managed.up(desired);
    const exists = `already exists: its ID is ${id}, and it is bound to the entity ${canonicalId}.*swap names`;
    await assert.rejects(managed.up({ ...desired, name: "bob" }), { message: new RegExp(exists) });
    const refused = `already exists \\(id ${id}\\).*bound to the entity ${canonicalId}`;
    await assert.rejects((await managedAlias()).up(args({ name: "bob" })), { message: new RegExp(refused) });
    assert.equal(emulator.journal.count({ method: "POST" }), 2);
  });

  it("entity aliases are created by a token that is not allowed to list them only with adopt; otherwise the error names the permissions", async () => {
    emulator.faults.add({ ...list, ...denied, times: 2 });
    const message = /allowed to list and read identity\/entity-alias\/id/;
    await assert.rejects((await managedAlias()).up(args()), { message });
    const announced: string[] = [];
    const step = stepAt(emulator, announced);
    const look = await entityAliasDefinition.look?.(step, args({ adopt: true }) as never);
    assert.deepEqual(look, { existing: undefined });
    assert.match(announced.join(), /^warning: The token is not allowed to list the aliases/);
  });

  it("entity aliases are not renamed while another is created with the new name", async () => {
    const managed = await managedAlias();
    const desired = args();
    await managed.up(desired);
    const rival = args({ name: "bob" });
    const both = [managed.up({ ...desired, name: "bob" }), (await managedAlias()).up(rival)];
    const outcomes = await Promise.allSettled(both);
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
    const [first, ...others] = aliases();
    assert.equal(first?.canonicalId, desired.canonicalId);
    assert.ok(others.every(({ canonicalId }) => canonicalId === rival.canonicalId));
  });

  for (const gone of [undefined, null]) {
    it(`entity aliases outlive their mount, whose path is then ${gone}`, async () => {
      const mount = { mount_path: gone, mount_type: gone, custom_metadata: null };
      const managed = await managedAlias(reading((data) => ({ ...data, ...mount })));
      const desired = args();
      await managed.up(desired);
      const { mountPath, customMetadata } = managed.outputs;
      assert.deepEqual([mountPath, customMetadata], [undefined, {}]);
      assert.equal(await managed.refresh(), true);
      assert.equal(await managed.up(desired), "same");
    });
  }

  describe("that exist already", () => {
    let existing: ReturnType<typeof addAlias>;
    beforeEach(() => (existing = addAlias("alice")));

    it("existing aliases are adopted with `adopt` and keep metadata that the program does not set", async () => {
      const managed = await managedAlias();
      const desired = args({ adopt: true });
      await managed.up(desired);
      assert.equal(managed.id, existing.id);
      const [alias, ...others] = aliases();
      assert.deepEqual([alias?.customMetadata, others], [{ team: "a" }, []]);
      assert.equal(managed.outputs.lastUpdateTime, alias?.lastUpdateTime);
    });

    it("existing aliases cause a message if adoption binds them to another entity, because no plan shows that", async () => {
      const announced: string[] = [];
      const step = stepAt(emulator, announced);
      const desired = { name: "alice", canonicalId: addEntity(), mountAccessor };
      const { id } = existing;
      const changed = new Set(["canonicalId"]);
      await entityAliasDefinition.update?.(step, id, desired, changed, { ...existing });
      assert.deepEqual(announced, [
        `warning: The entity alias ${id} was bound to the entity ${existing.canonicalId} and is now bound to ${desired.canonicalId}.`,
      ]);
      const managed = { ...step, managed: new Set(["name"]) };
      await entityAliasDefinition.update?.(managed, id, desired, changed, { ...existing });
      assert.equal(announced.length, 1);
    });

    it("existing aliases are not adopted silently if they could not be read before the write, or received the name after the search", async () => {
      addAlias("bob");
      failReading(existing.id, denied);
      const message = new RegExp(
        `${existing.id} could not be read before the write\\. .* bound to the entity`,
      );
      await assert.rejects((await managedAlias(idsOnly)).up(args()), { message });
      const renaming = await managedAlias(({ url }, response) => {
        if (url === `${list.path}/${existing.id}`) {
          emulator.secrets.changeEntityAlias(existing.id, { name: "carol" });
        }
        return response;
      });
      const later = new RegExp(`${existing.id} got this name from another client .* bound to the entity`);
      await assert.rejects(renaming.up(args({ name: "carol" })), { message: later });
    });
  });

  it("fifty aliases are created at once on one mount with few requests, and none is moved", async () => {
    const settings = await serviceWith(emulator, idsOnly);
    const others = Array.from({ length: 20 }, (_, index) => addAlias(`other-${index}`));
    const desired = Array.from({ length: 50 }, (_, index) => args({ name: `user-${index}` }));
    await Promise.all(
      desired.map((each) => new FakeEngine(entityAliasDefinition, emulator, settings).up(each)),
    );
    const owners = Object.fromEntries(aliases().map(({ name, canonicalId }) => [name, canonicalId]));
    const expected = [...others, ...desired].map(({ name, canonicalId }) => [name, canonicalId] as const);
    assert.deepEqual(owners, Object.fromEntries(expected));
    assert.deepEqual([emulator.journal.count(create), emulator.journal.count(list)], [50, 50]);
    // Each is read once after it was created; those that existed before, at most once altogether.
    assert.ok(emulator.journal.count(read) <= 70, String(emulator.journal.count(read)));
  });

  /** The response to a creation, after something has happened to the alias. */
  const creating =
    (response: "lost" | "empty", happen: (id: string) => unknown = () => undefined): Alteration =>
    ({ method, url }, unaltered) => {
      if (method !== "POST" || url !== create.path) {
        return unaltered;
      }
      happen(aliases()[0]?.id ?? "");
      return response === "lost" ? undefined : { status: 204, body: undefined };
    };

  it("the creation of an alias whose response has no body is looked up", async () => {
    const managed = await managedAlias(creating("empty"));
    await managed.up(args());
    assert.equal(managed.id, aliases()[0]?.id);
  });

  const bind = (id: string): unknown =>
    emulator.secrets.changeEntityAlias(id, { canonicalId: emulator.secrets.addEntity({ id: "e-other" }).id });
  const remove = (id: string): unknown => emulator.secrets.removeEntityAlias(id);
  for (const [title, response, happen, message] of [
    ["lost, while another client creates it", "lost", bind, /Could not create the entity alias "alice"/],
    ["empty, and no alias exists", "empty", remove, /without naming it, and lists no such alias/],
    ["empty, and another client binds the alias", "empty", bind, /bound to the entity e-other/],
  ] as const) {
    it(`aliases are not adopted if the response to their creation is ${title}`, async () => {
      await assert.rejects((await managedAlias(creating(response, happen))).up(args()), { message });
    });
  }

  describe("that are searched by name", () => {
    let find: (name: string, accessor?: string) => Promise<string | undefined>;
    let index: AliasIndex;
    beforeEach(async () => {
      const client = secretsClientOf(emulator, {}, await serviceWith(emulator, idsOnly));
      index = new AliasIndex();
      find = async (name, accessor = mountAccessor) =>
        (await index.find(client, { name, mountAccessor: accessor }))?.id;
    });

    it("aliases searched by name are read again, because names change", async () => {
      const alice = addAlias("alice").id;
      assert.equal(await find("dave"), undefined);
      emulator.secrets.changeEntityAlias(alice, { name: "dave" });
      assert.equal(await find("alice"), undefined);
      assert.equal(await find("dave"), alice);
      emulator.secrets.removeEntityAlias(alice);
      assert.equal(await find("dave"), undefined);
    });

    for (const [title, step] of [
      ["stands still", 0],
      ["goes back", -1000],
    ] as const) {
      it(`aliases looked up by name are read again although the clock ${title}`, async () => {
        let time = 1e9;
        performance.now = () => (time += step);
        try {
          const alice = addAlias("alice").id;
          assert.equal(await find("dave"), undefined);
          emulator.secrets.changeEntityAlias(alice, { name: "dave" });
          assert.equal(await find("dave"), alice);
        } finally {
          Reflect.deleteProperty(performance, "now");
        }
      });
    }

    for (const [what, fault, isUnread] of [
      ["cannot be read with this token", denied, true],
      ["makes the service fail", { status: 500, body: { errors: ["bad entry"] } }, true],
      ["is not as documented", { status: 200, body: { data: { id: 5 } } }, true],
      ["is deleted meanwhile", { status: 404, body: { errors: [] } }, false],
    ] as const) {
      it(`aliases searched by name are found if another alias ${what}`, async () => {
        const [alice, bob] = [addAlias("alice").id, addAlias("bob").id];
        failReading(alice, fault);
        assert.equal(await find("dave"), undefined);
        assert.deepEqual([...index.notRead.keys()], isUnread ? [alice] : []);
        assert.equal(await find("bob"), bob);
      });
    }

    it("aliases searched by name are not reported as missing if none can be read", async () => {
      addAlias("alice");
      failReading(":id", denied);
      await assert.rejects(find("dave"), /permission denied/);
    });

    it("aliases searched by name are different if only their case or their mount differs", async () => {
      const { accessor } = emulator.secrets.addMount({ type: "userpass", path: "auth/other" });
      const [loud, quiet] = [addAlias("ALICE").id, addAlias("alice").id];
      assert.deepEqual([await find("alice"), await find("ALICE")], [quiet, loud]);
      assert.deepEqual([await find("Alice"), await find("alice", accessor)], [undefined, undefined]);
    });
  });

  it("aliases are read by a function, by ID or by name and mount, with all outputs of the resource", async () => {
    const { id, name, canonicalId, customMetadata, creationTime, lastUpdateTime } = addAlias("alice");
    const stored = { id, name, canonicalId, mountAccessor, customMetadata, creationTime, lastUpdateTime };
    const mount = { mountPath: "auth/userpass/", mountType: "userpass" };
    assert.deepEqual(await getEntityAlias({ id }), { ...stored, ...mount, metadata: {}, local: false });
    assert.deepEqual(await getEntityAlias({ name, mountAccessor }), await getEntityAlias({ id }));
    const messageOf = async (args: object) => (await failure(getEntityAlias(args))).message;
    assert.equal(await messageOf({ id: "nobody" }), "The entity alias nobody does not exist.");
    const bob = { name: "bob", mountAccessor };
    const missing = `The entity alias "bob" on the mount ${mountAccessor} does not exist.`;
    assert.equal(await messageOf(bob), missing);
    failReading(id, denied);
    assert.match(await messageOf(bob), /403/);
    for (const wrong of [{}, { name }, { mountAccessor }, { id, name, mountAccessor }]) {
      assert.match(await messageOf(wrong), /takes either id, or name and mountAccessor/);
    }
  });

  it("aliases are listed by a function, even if there are none", async () => {
    assert.deepEqual(await listEntityAliases(), { ids: [], aliases: [] });
    const ids = [addAlias("alice").id, addAlias("bob").id].sort();
    assert.deepEqual(await listEntityAliases({}), { ids, aliases: null });
  });
});

describe("entity aliases of the products", () => {
  const emulator = useSecrets({ dialect: "hashicorp" });

  const issuer = "https://login.acme.example";
  const addEntity = (): string => emulator.secrets.addEntity({}).id;
  const manage = (settings = {}) => new FakeEngine(entityAliasDefinition, emulator, settings);
  const args = (more: Properties = {}) => ({ name: "alice", canonicalId: addEntity(), issuer, ...more });

  it("aliases of the products are described by a list, and read by a name in another case with two requests", async () => {
    const { id, canonicalId } = emulator.secrets.addEntityAlias({ name: "alice", canonicalId: addEntity() });
    const { ids, aliases: listed } = await listEntityAliases();
    const { creationTime, lastUpdateTime, ...described } = await getEntityAlias({ id });
    assert.deepEqual([ids, listed], [[id], [described]]);
    assert.equal(described.canonicalId, canonicalId);
    emulator.journal.clear();
    assert.equal((await getEntityAlias({ name: "ALICE", mountAccessor })).id, id);
    assert.deepEqual([emulator.journal.count(list), emulator.journal.count(read)], [1, 1]);
  });

  it("a second alias of an entity on a mount is rejected with the ID and the name of the first one", async () => {
    const canonicalId = addEntity();
    const { id } = emulator.secrets.addEntityAlias({ name: "bob", canonicalId });
    const refused = new RegExp(
      `already exists for requested entity.*"bob" on the mount .*, whose ID is ${id}\\.`,
    );
    await assert.rejects(manage().up({ name: "alice", canonicalId, mountAccessor }), { message: refused });
    const moved = manage();
    await moved.up({ name: "carol", canonicalId: addEntity(), mountAccessor });
    const bound = new RegExp(`already has an alias.*"bob" on the mount .*, whose ID is ${id}\\.`);
    await assert.rejects(moved.up({ name: "carol", canonicalId, mountAccessor }), { message: bound });
  });

  it("aliases of an issuer do not require a mount, and are distinguished from those of other issuers", async () => {
    const managed = manage();
    const desired = args();
    await managed.up(desired);
    const other = args({ issuer: `${issuer}/eu` });
    await manage().up(other);
    await assert.rejects(manage().up({ ...other, canonicalId: addEntity() }), { message: /already exists/ });
    const adopting = manage();
    await adopting.up({ ...desired, adopt: true });
    assert.equal(adopting.id, managed.id);
    assert.equal(emulator.inspect().secrets.entityAliases.length, 2);
  });

  it("an issuer that the product returns in another form is the same one", async () => {
    const given = args({ issuer: "HTTPS://Login.Acme.Example/" });
    const managed = await FakeEngine.create(entityAliasDefinition, emulator, given);
    emulator.secrets.changeEntityAlias(managed.id ?? "", { issuer });
    await managed.refresh();
    assert.equal(await managed.up(given), "same");
  });

  // Vault 2.0.3: the accessor of such an alias is that of the issuer's profile.
  it("the accessor that the product gives to an alias of an issuer is no mount of the program", async () => {
    const desired = args();
    const managed = await FakeEngine.create(entityAliasDefinition, emulator, desired);
    const profile = /^oauth-resource-server_root_[\da-f-]{36}$/;
    assert.match(textOf(managed.outputs.mountAccessor), profile);
    await managed.refresh();
    assert.equal(await managed.up(desired), "same");
    const moved = { ...desired, canonicalId: addEntity() };
    assert.equal(await managed.up(moved), "updated");
    const adopting = await FakeEngine.create(entityAliasDefinition, emulator, { ...moved, adopt: true });
    assert.equal(adopting.id, managed.id);
    assert.equal(await adopting.up({ ...moved, adopt: true }), "same");
    const found = await getEntityAlias({ id: String(managed.id) });
    assert.match(String(found.mountAccessor), profile);
    const both = { ...moved, mountAccessor: String(found.mountAccessor) };
    await managed.up(both);
    assert.equal(await managed.up(both), "same");
    assert.equal(emulator.inspect().secrets.entityAliases.length, 1);
  });

  it("aliases of an issuer are found if the list does not contain issuers", async () => {
    const settings = await serviceWith(emulator, ({ url }, { status, body }) => {
      const info = Object.entries((body?.data?.key_info ?? {}) as Record<string, Properties>);
      const key_info = Object.fromEntries(info.map(([id, { issuer: _issuer, ...rest }]) => [id, rest]));
      return { status, body: url.endsWith("?list=true") ? { data: { ...body?.data, key_info } } : body };
    });
    const alice = { name: "alice", canonicalId: addEntity(), mountAccessor: "" };
    emulator.secrets.addEntityAlias({ ...alice, issuer: `${issuer}/eu` });
    const { id } = emulator.secrets.addEntityAlias({ ...alice, issuer });
    const message = new RegExp(`id ${id}\\)`);
    await assert.rejects(manage(settings).up(args({ name: "Alice" })), { message });
  });

  it("aliases of the products are rejected in a preview without a mount or an issuer", async () => {
    const required = "mountAccessor is required without issuer";
    for (const [more, problem] of [
      [{}, required],
      [{ mountAccessor: "" }, "mountAccessor must not be empty"],
      [{ issuer: "" }, required],
    ] as const) {
      const problems = await manage().problems({ name: "alice", canonicalId: "1", ...more });
      assert.ok(problems.includes(problem), problems.join());
    }
  });

  it("an alias of an issuer is not replaced by each update if an older product ignores the issuer", async () => {
    const withoutIssuer = reading(({ issuer: _issuer, external_id, ...data }) => data);
    const older = manage(await serviceWith(emulator, withoutIssuer));
    const desired = { ...args({ mountAccessor }), externalId: "scim-8" };
    await older.up(desired);
    assert.deepEqual([older.outputs.issuer, older.outputs.externalId], [null, null]);
    assert.equal(await older.up(desired), "same");
    assert.equal(await older.refresh(), true);
    assert.equal(await older.up(desired), "same");
  });
});
