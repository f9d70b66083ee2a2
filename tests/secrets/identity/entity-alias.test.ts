import assert from "node:assert/strict";
import {
  AliasIndex,
  entityAliasDefinition,
  getEntityAlias,
  listEntityAliases,
} from "../../../sdk/secrets/identity/entity-alias";
import { useEnvironment } from "../../connection/environment";
import { failure } from "../../http/calls";
import { stopServers } from "../../http/server";
import { FakeEngine } from "../../support/fake-engine";
import type { Properties } from "../../support/provider-process";
import { useEmulator } from "../../support/use-emulator";
import { type Alteration, idsOnly, reading, serviceWith } from "../altered-responses";
import { secretsClientOf, stepAt } from "../emulated-client";

const mountAccessor = "auth_userpass_00000001";
const create = { method: "POST", path: "/v1/identity/entity-alias" };
const list = { method: "GET", path: "/v1/identity/entity-alias/id" };
const read = { method: "GET", path: "/v1/identity/entity-alias/id/:id" };

describe("entity aliases", () => {
  const emulator = useEmulator();
  useEnvironment(() => emulator.environment);

  afterEach(stopServers);

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

  it("entity aliases send name, entity and mount with each update, and metadata once the program has them", async () => {
    const managed = await managedAlias();
    const desired = args({ name: "alicia" });
    await managed.up({ ...desired, name: "alice" });
    const named = { name: "alicia", canonical_id: desired.canonicalId, mount_accessor: mountAccessor };
    await managed.up(desired);
    await managed.up({ ...desired, customMetadata: { team: "a" } });
    await managed.up(desired);
    assert.deepEqual(
      emulator.journal.requests({ ...read, method: "POST" }).map(({ body }) => body),
      [{}, { custom_metadata: { team: "a" } }, { custom_metadata: {} }].map((more) => ({
        ...named,
        ...more,
      })),
    );
  });

  it("entity aliases cannot get the name of another one, whose id and entity the error names", async () => {
    const managed = await managedAlias();
    const { id, canonicalId } = addAlias("bob");
    const desired = args();
    await managed.up(desired);
    await assert.rejects(async () => managed.up({ ...desired, name: "bob" }), {
      message: new RegExp(
        `exists already: its id is ${id}, and it is bound to the entity ${canonicalId}.*swap names`,
      ),
    });
  });

  it("entity aliases are created by a token that may not list them only with adopt; otherwise the error names the rights", async () => {
    const denied = {
      path: "/v1/identity/entity-alias/id",
      method: "GET",
      status: 403,
      body: { errors: ["no"] },
    };
    const managed = await managedAlias();
    emulator.faults.add(denied);
    await assert.rejects(managed.up(args()), {
      message: /rights to list and to read identity\/entity-alias\/id/,
    });
    emulator.faults.add(denied);
    const announced: string[] = [];
    const looked = await entityAliasDefinition.find?.(
      stepAt(emulator, announced),
      args({ adopt: true }) as never,
    );
    assert.deepEqual(looked, {});
    assert.match(announced.join(), /^warning: The token may not list the aliases/);
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

    it("aliases that exist already are refused with the entity to which they are bound, without a write", async () => {
      const refused = (await managedAlias()).up(args());
      await assert.rejects(refused, ({ message }: Error) => {
        assert.ok(message.includes(`already exists (id ${existing.id})`), message);
        assert.ok(message.includes(`bound to the entity ${existing.canonicalId}`), message);
        return true;
      });
      assert.equal(emulator.journal.count({ method: "POST" }), 0);
    });

    it("aliases that exist already are adopted with `adopt`, and keep metadata that the program does not name", async () => {
      const managed = await managedAlias();
      const desired = args({ adopt: true });
      await managed.up(desired);
      assert.equal(managed.id, existing.id);
      const [alias, ...others] = aliases();
      assert.deepEqual(others, []);
      assert.deepEqual([alias?.canonicalId, alias?.customMetadata], [desired.canonicalId, { team: "a" }]);
      const { canonicalId, lastUpdateTime } = managed.outputs;
      assert.deepEqual([canonicalId, lastUpdateTime], [desired.canonicalId, alias?.lastUpdateTime]);
      assert.equal(await managed.up(desired), "same");
    });

    it("aliases that exist already are announced when adoption binds them to another entity, because no plan shows it", async () => {
      const announced: string[] = [];
      const step = stepAt(emulator, announced);
      const desired = { name: "alice", canonicalId: addEntity(), mountAccessor };
      const { id } = existing;
      const changed = new Set(["canonicalId"]);
      await entityAliasDefinition.update(step, id, desired, changed, { ...existing });
      assert.deepEqual(announced, [
        `warning: The entity alias ${id} was bound to the entity ${existing.canonicalId} and is now bound to ${desired.canonicalId}.`,
      ]);
      await entityAliasDefinition.update({ ...step, managed: new Set(["name"]) }, id, desired, changed, {});
      assert.equal(announced.length, 1);
    });

    it("aliases that exist already are not adopted silently where they could not be read before the write", async () => {
      addAlias("bob");
      const path = `${list.path}/${existing.id}`;
      emulator.faults.add({ path, status: 403, body: { errors: ["permission denied"] } });
      const message = new RegExp(`${existing.id} could not be read before the write\\. .* is now bound`);
      await assert.rejects((await managedAlias(idsOnly)).up(args()), { message });
    });

    it("aliases that exist already are not adopted silently where they got the name after the search", async () => {
      const managed = await managedAlias(({ url }, response) => {
        if (url === `${list.path}/${existing.id}`) {
          emulator.secrets.changeEntityAlias(existing.id, { name: "carol" });
        }
        return response;
      });
      const message = new RegExp(`${existing.id} got this name from another client .* is now bound`);
      await assert.rejects(managed.up(args({ name: "carol" })), { message });
    });

    it("aliases that exist already have no effect on another mount, or under another name", async () => {
      const other = emulator.secrets.addMount({ type: "userpass", path: "auth/other" });
      await (await managedAlias()).up(args({ mountAccessor: other.accessor }));
      await (await managedAlias()).up(args({ name: "alice2" }));
      assert.equal(aliases().length, 3);
    });
  });

  const described: Alteration = ({ url }, { status, body }) => {
    const key_info = Object.fromEntries(
      aliases().map(({ id, name, mountAccessor: mount_accessor }) => [id, { name, mount_accessor }]),
    );
    const isList = url.endsWith("?list=true") && body?.data;
    return { status, body: isList ? { data: { ...body.data, key_info } } : body };
  };
  for (const [title, alteration, reads] of [
    ["a service that only lists ids", idsOnly, 70],
    ["one that describes them too", described, 50],
  ] as const) {
    it(`aliases are created fifty at once on one mount with few requests, and none is moved, with ${title}`, async () => {
      const settings = await serviceWith(emulator, alteration);
      const others = Array.from({ length: 20 }, (_, index) => addAlias(`other-${index}`));
      const desired = Array.from({ length: 50 }, (_, index) => args({ name: `user-${index}` }));
      await Promise.all(
        desired.map((each) => new FakeEngine(entityAliasDefinition, emulator, settings).up(each)),
      );
      const owners = new Map(aliases().map(({ name, canonicalId }) => [name, canonicalId]));
      assert.equal(aliases().length, 70);
      for (const { name, canonicalId } of [...others, ...desired]) {
        assert.equal(owners.get(name as string), canonicalId);
      }
      const found = [create, list].map((each) => emulator.journal.count(each));
      assert.deepEqual(found, [50, 50]);
      // Each is read once after it was created; those that existed before, at most once altogether.
      assert.ok(emulator.journal.count(read) <= reads, String(emulator.journal.count(read)));
    });
  }

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
    const actual = aliases().map(({ id }) => id);
    assert.deepEqual(actual, [managed.id]);
  });

  const stranger = "entity-of-another-client";
  const bind = (id: string): unknown =>
    emulator.secrets.changeEntityAlias(id, { canonicalId: emulator.secrets.addEntity({ id: stranger }).id });
  for (const [title, response, happen, message] of [
    [
      "has no response, while another client creates it",
      "lost",
      bind,
      /Could not create the entity alias "alice"/,
    ],
    [
      "has a response without a body, and which do not exist",
      "empty",
      (id: string) => emulator.secrets.removeEntityAlias(id),
      /without naming it, and lists no such alias/,
    ],
    [
      "has a response without a body, and which another client binds",
      "empty",
      bind,
      new RegExp(`bound to the entity ${stranger}`),
    ],
  ] as const) {
    it(`aliases created with ${title} are not adopted`, async () => {
      await assert.rejects((await managedAlias(creating(response, happen))).up(args()), { message });
    });
  }

  describe("that are searched by name", () => {
    let find: (name: string) => Promise<string | undefined>;
    let index: AliasIndex;
    beforeEach(async () => {
      const client = secretsClientOf(emulator, {}, await serviceWith(emulator, idsOnly));
      index = new AliasIndex();
      find = async (name) => (await index.find(client, { name, mountAccessor }))?.id;
    });
    const failing = (id: string, fault: { readonly status: number; readonly body: object }) =>
      emulator.faults.add({ method: "GET", path: `${list.path}/${id}`, ...fault });
    const denied = { status: 403, body: { errors: ["permission denied"] } };

    it("aliases searched by name are read again, because names change", async () => {
      const alice = addAlias("alice").id;
      assert.equal(await find("dave"), undefined);
      emulator.secrets.changeEntityAlias(alice, { name: "dave" });
      assert.equal(await find("alice"), undefined);
      assert.equal(await find("dave"), alice);
      emulator.secrets.removeEntityAlias(alice);
      assert.equal(await find("dave"), undefined);
    });

    for (const [what, fault] of [
      ["may not be read", denied],
      ["makes the service fail", { status: 500, body: { errors: ["bad entry"] } }],
      ["is not as documented", { status: 200, body: { data: { id: 5 } } }],
    ] as const) {
      it(`aliases searched by name are found where another alias ${what}`, async () => {
        const [alice, bob] = [addAlias("alice").id, addAlias("bob").id];
        failing(alice, fault);
        assert.equal(await find("dave"), undefined);
        assert.deepEqual([...index.notRead.keys()], [alice]);
        assert.equal(await find("bob"), bob);
      });
    }

    it("aliases searched by name are found where another one is deleted meanwhile", async () => {
      const fault = failing(addAlias("alice").id, { status: 404, body: { errors: [] } });
      const bob = addAlias("bob").id;
      assert.equal(await find("bob"), bob);
      assert.equal(fault.hits, 1);
    });

    it("aliases searched by name are not said to be missing if none may be read or listed", async () => {
      addAlias("alice");
      failing(":id", denied);
      await assert.rejects(find("dave"), /permission denied/);
      emulator.faults.add({ ...list, ...denied });
      await assert.rejects(find("alice"), /Could not list the entity aliases: .*permission denied/);
    });

    it("aliases searched by name differ if only their case differs", async () => {
      const [loud, quiet] = [addAlias("ALICE").id, addAlias("alice").id];
      assert.deepEqual(
        [await find("alice"), await find("ALICE"), await find("Alice")],
        [quiet, loud, undefined],
      );
    });
  });

  it("aliases are read by a function, with all outputs of the resource", async () => {
    const { id, name, canonicalId, customMetadata, creationTime, lastUpdateTime } = addAlias("alice");
    const stored = { id, name, canonicalId, mountAccessor, customMetadata, creationTime, lastUpdateTime };
    const mount = { mountPath: "auth/userpass/", mountType: "userpass" };
    assert.deepEqual(await getEntityAlias({ id }), { ...stored, ...mount, metadata: {}, local: false });
    const { message } = await failure(getEntityAlias({ id: "nobody" }));
    assert.equal(message, "The entity alias nobody does not exist.");
  });

  it("aliases are listed by a function, also if there are none", async () => {
    assert.deepEqual(await listEntityAliases(), { ids: [], aliases: [] });
    const ids = [addAlias("alice").id, addAlias("bob").id].sort();
    assert.deepEqual(await listEntityAliases({}), { ids, aliases: null });
  });

  it("aliases are read by name and mount, or by id, and by nothing else", async () => {
    const { id, canonicalId } = addAlias("alice");
    const found = await getEntityAlias({ name: "alice", mountAccessor });
    assert.deepEqual(found, await getEntityAlias({ id }));
    assert.equal(found.canonicalId, canonicalId);
    assert.equal(
      (await failure(getEntityAlias({ name: "bob", mountAccessor }))).message,
      `The entity alias "bob" on the mount ${mountAccessor} does not exist.`,
    );
    emulator.faults.add({ path: `${list.path}/${id}`, status: 403, body: { errors: ["no"] } });
    assert.match((await failure(getEntityAlias({ name: "bob", mountAccessor }))).message, /403/);
    for (const wrong of [{}, { name: "alice" }, { mountAccessor }, { id, name: "alice", mountAccessor }]) {
      const { message } = await failure(getEntityAlias(wrong));
      assert.match(message, /takes either id, or name and mountAccessor/);
    }
  });
});

describe("entity aliases of the products", () => {
  const emulator = useEmulator({ dialect: "hashicorp" });
  useEnvironment(() => ({ ...emulator.environment, SECRETS_DIALECT: "hashicorp" }));

  afterEach(stopServers);

  const settings = { "trivium:secretsDialect": "hashicorp" };
  const issuer = "https://login.acme.example";
  const addEntity = (): string => emulator.secrets.addEntity({}).id;
  const manage = () => new FakeEngine(entityAliasDefinition, emulator, settings);
  const aliases = () => emulator.inspect().secrets.entityAliases;

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

  it("aliases of an issuer need no mount, and are told apart from those of other issuers", async () => {
    const managed = manage();
    const args = { name: "alice", canonicalId: addEntity(), issuer, externalId: "scim-7" };
    await managed.up(args);
    assert.deepEqual([managed.outputs.issuer, managed.outputs.externalId], [issuer, "scim-7"]);
    assert.equal(await managed.up(args), "same");
    const other = { ...args, canonicalId: addEntity(), issuer: `${issuer}/eu` };
    await manage().up(other);
    await assert.rejects(manage().up({ ...other, canonicalId: addEntity() }), { message: /already exists/ });
    const adopting = manage();
    await adopting.up({ ...args, adopt: true });
    assert.equal(adopting.id, managed.id);
    assert.equal(aliases().length, 2);
  });

  it("aliases of an issuer are found where the list does not name issuers", async () => {
    const altered = await serviceWith(emulator, ({ url }, { status, body }) => {
      const info = Object.entries((body?.data?.key_info ?? {}) as Record<string, Properties>);
      const key_info = Object.fromEntries(info.map(([id, { issuer: _issuer, ...rest }]) => [id, rest]));
      return { status, body: url.endsWith("?list=true") ? { data: { ...body?.data, key_info } } : body };
    });
    for (const each of [`${issuer}/eu`, issuer]) {
      emulator.secrets.addEntityAlias({
        name: "alice",
        canonicalId: addEntity(),
        mountAccessor: "",
        issuer: each,
      });
    }
    const managed = new FakeEngine(entityAliasDefinition, emulator, { ...settings, ...altered });
    const desired = { name: "Alice", canonicalId: addEntity(), issuer };
    await assert.rejects(managed.up(desired), { message: new RegExp(`id ${aliases()[1]?.id}\\)`) });
  });

  for (const [args, problem] of [
    [{}, "mountAccessor is required without issuer"],
    [{ mountAccessor: "" }, "mountAccessor must not be empty"],
    [{ issuer: "" }, "mountAccessor is required without issuer"],
  ] as const) {
    it(`aliases of the products are refused in a preview with ${JSON.stringify(args)}`, async () => {
      const problems = await manage().problems({ name: "alice", canonicalId: "1", ...args });
      assert.ok(problems.includes(problem), problems.join());
    });
  }

  it("aliases of the products are moved from a mount to an issuer by a replacement, which an ignored issuer does not repeat", async () => {
    const managed = manage();
    const args = { name: "alice", canonicalId: addEntity(), mountAccessor };
    await managed.up(args);
    const { mountAccessor: _accessor, ...rest } = args;
    assert.equal(await managed.up({ ...rest, issuer }), "replaced");
    assert.deepEqual([aliases().length, aliases()[0]?.mountAccessor], [1, ""]);

    const ignoring = await serviceWith(emulator, ({ method }, { status, body }) => {
      const { issuer: _issuer, external_id: _external, ...data } = body?.data ?? {};
      return method === "GET" && status === 200 && body !== undefined
        ? { status, body: { ...body, data } }
        : { status, body };
    });
    const older = new FakeEngine(entityAliasDefinition, emulator, { ...settings, ...ignoring });
    const desired = { ...args, name: "bob", canonicalId: addEntity(), issuer, externalId: "scim-8" };
    await older.up(desired);
    assert.deepEqual([older.outputs.issuer, older.outputs.externalId], [null, null]);
    assert.equal(await older.up(desired), "same");
    assert.equal(await older.refresh(), true);
    assert.equal(await older.up(desired), "same");
  });
});
