import assert from "node:assert/strict";
import {
  entityAliasDefinition,
  getEntityAlias,
  listEntityAliases,
} from "../../../sdk/secrets/identity/entity-alias";
import { stopServers } from "../../http/server";
import { Managed } from "../../support/managed";
import type { Properties } from "../../support/provider-process";
import { serviceWith, type Alteration, idsOnly } from "../altered-responses";
import { useEnvironment } from "../../connection/environment";
import { failure } from "../../http/calls";
import { useEmulator } from "../../support/use-emulator";
import { secretsClientOf } from "../emulated-client";

const mountAccessor = "auth_userpass_00000001";
const create = { method: "POST", path: "/v1/identity/entity-alias" };
const list = { method: "GET", path: "/v1/identity/entity-alias/id" };
const read = { method: "GET", path: "/v1/identity/entity-alias/id/:id" };
const update = { ...read, method: "POST" };

describe("secrets.identity.EntityAlias", () => {
  const emulator = useEmulator();

  afterEach(stopServers);

  const addEntity = (): string => emulator.secrets.addEntity({}).id;
  const aliases = () => emulator.inspect().secrets.entityAliases;
  const managedAlias = (settings: Readonly<Record<string, string>> = {}): Managed =>
    new Managed(entityAliasDefinition, emulator, settings);
  const args = (more: Properties = {}): Properties => ({
    name: "alice",
    canonicalId: addEntity(),
    mountAccessor,
    ...more,
  });

  it("is not read out of a response about another one", async () => {
    const settings = await serviceWith(emulator, ({ method, url }, { status, body }) =>
      method === "GET" && !url.includes("list=") && body?.data
        ? { status, body: { ...body, data: { ...body.data, id: "another" } } }
        : { status, body },
    );
    const { id } = emulator.secrets.addEntityAlias({ name: "bob", canonicalId: addEntity(), mountAccessor });
    const managed = managedAlias(settings);
    managed.id = id;
    await assert.rejects(managed.refresh(), { message: /data\.id: expected / });
  });

  describe("in an update", () => {
    const bodies = () => emulator.journal.requests(update).map(({ body }) => body);

    it("is sent name, entity and mount each time, and metadata once the program speaks of it", async () => {
      const managed = managedAlias();
      const wanted = args();
      await managed.up(wanted);
      const { canonicalId: canonical_id } = wanted;
      const named = { name: "alicia", canonical_id, mount_accessor: mountAccessor };
      await managed.up({ ...wanted, name: "alicia" });
      assert.deepEqual(bodies().at(-1), named);
      await managed.up({ ...wanted, name: "alicia", customMetadata: { team: "a" } });
      assert.deepEqual(bodies().at(-1), { ...named, custom_metadata: { team: "a" } });
      await managed.up({ ...wanted, name: "alicia" });
      assert.deepEqual(bodies().at(-1), { ...named, custom_metadata: {} });
      assert.deepEqual(aliases()[0]?.customMetadata, {});
      assert.equal(await managed.up({ ...wanted, name: "alicia" }), "same");
    });

    it("never meets a creation of its new name half-way", async () => {
      const managed = managedAlias();
      const wanted = args();
      await managed.up(wanted);
      const rival = args({ name: "bob" });
      const outcomes = await Promise.allSettled([
        managed.up({ ...wanted, name: "bob" }),
        managedAlias().up(rival),
      ]);
      assert.deepEqual(outcomes.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
      const [first, ...others] = aliases();
      assert.equal(first?.canonicalId, wanted.canonicalId);
      assert.ok(others.every(({ canonicalId }) => canonicalId === rival.canonicalId));
    });
  });

  for (const [title, gone] of [
    ["leaves it out", undefined],
    ["says null", null],
  ] as const) {
    it(`outlives its mount, where the service ${title}`, async () => {
      const managed = managedAlias(
        await serviceWith(emulator, (_request, { status, body }) => {
          const mount = { mount_path: gone, mount_type: gone, custom_metadata: null };
          return { status, body: body?.data ? { data: { ...body.data, ...mount } } : body };
        }),
      );
      const wanted = args();
      await managed.up(wanted);
      assert.equal(managed.outputs.mountPath, undefined);
      assert.deepEqual(managed.outputs.customMetadata, {});
      assert.equal(await managed.refresh(), true);
      assert.equal(await managed.up(wanted), "same");
    });
  }

  const unnamed: Alteration = ({ method, url }, response) =>
    method === "POST" && url === create.path ? { status: 204, body: undefined } : response;

  describe("that exists already", () => {
    let existing: ReturnType<typeof emulator.secrets.addEntityAlias>;
    beforeEach(() => {
      existing = emulator.secrets.addEntityAlias({ name: "alice", canonicalId: addEntity() });
    });

    it("for another entity is refused, that entity is named, nothing is changed", async () => {
      await assert.rejects(managedAlias().up(args({ name: "alice" })), ({ message }: Error) => {
        assert.ok(message.includes(`already exists (id ${existing.id})`), message);
        assert.ok(message.includes(`bound to the entity ${existing.canonicalId}`), message);
        assert.match(
          message,
          /nothing was changed\. To adopt it, set `adopt: true`\. Did you rename the resource\? Use its option `aliases`\.$/,
        );
        return true;
      });
      assert.deepEqual(aliases(), [existing]);
      assert.equal(emulator.journal.count({ method: "POST" }), 0);
    });

    it("is adopted with `adopt`, and keeps metadata that the program does not name", async () => {
      emulator.secrets.changeEntityAlias(existing.id, { customMetadata: { owner: "somebody" } });
      const managed = managedAlias();
      const wanted = args({ adopt: true });
      await managed.up(wanted);
      assert.equal(managed.id, existing.id);
      const [alias] = aliases();
      assert.equal(alias?.canonicalId, wanted.canonicalId);
      assert.deepEqual(alias?.customMetadata, { owner: "somebody" });
      const { canonicalId, lastUpdateTime } = managed.outputs;
      assert.deepEqual([canonicalId, lastUpdateTime], [wanted.canonicalId, alias.lastUpdateTime]);
      assert.equal(aliases().length, 1);
      assert.equal(await managed.up(wanted), "same");
    });

    it("and moves to another entity when it is adopted is said, because no plan shows it", async () => {
      const announced: string[] = [];
      const step = {
        client: secretsClientOf(emulator),
        memory: {},
        managed: new Set<string>(),
        signal: new AbortController().signal,
        progress: () => undefined,
        announce: (kind: string, message: string) => void announced.push(`${kind}: ${message}`),
      };
      const wanted = {
        name: "alice",
        canonicalId: addEntity(),
        mountAccessor,
        customMetadata: {},
        adopt: true,
      };
      const { id } = existing;
      const changed = new Set(["canonicalId"]);
      await entityAliasDefinition.update(step, id, wanted, changed, { ...existing });
      assert.deepEqual(announced, [
        `warning: The entity alias ${id} was bound to the entity ${existing.canonicalId} and is now bound to ${wanted.canonicalId}.`,
      ]);
      await entityAliasDefinition.update({ ...step, managed: new Set(["name"]) }, id, wanted, changed, {});
      assert.equal(announced.length, 1);
    });

    it("is not adopted silently where it could not be read before the write", async () => {
      const { id } = existing;
      emulator.secrets.addEntityAlias({ name: "bob", canonicalId: addEntity() });
      emulator.faults.add({
        path: `${list.path}/${id}`,
        status: 403,
        body: { errors: ["permission denied"] },
      });
      await assert.rejects(managedAlias(await serviceWith(emulator, idsOnly)).up(args()), {
        message: new RegExp(
          `already existed as ${id}, which could not be read before the write\\. It is now bound`,
        ),
      });
    });

    it("is not adopted silently where it got its name after the look", async () => {
      const settings = await serviceWith(emulator, ({ url }, response) => {
        if (url === `${list.path}/${existing.id}`) {
          emulator.secrets.changeEntityAlias(existing.id, { name: "carol" });
        }
        return response;
      });
      await assert.rejects(managedAlias(settings).up(args({ name: "carol" })), {
        message: new RegExp(`another client gave this name to the alias ${existing.id}, which is now bound`),
      });
    });

    it("on another mount, or under another name, is none of its business", async () => {
      const other = emulator.secrets.addMount({ type: "userpass", path: "auth/other" });
      await managedAlias().up(args({ mountAccessor: other.accessor }));
      await managedAlias().up(args({ name: "alice2" }));
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
    it(`is made fifty times at once on one mount, none is moved, and few requests are made, with ${title}`, async () => {
      const settings = await serviceWith(emulator, alteration);
      const others = Array.from({ length: 20 }, (_, index) =>
        emulator.secrets.addEntityAlias({ name: `other-${index}`, canonicalId: addEntity() }),
      );
      const wanted = Array.from({ length: 50 }, (_, index) => args({ name: `user-${index}` }));
      await Promise.all(wanted.map((each) => managedAlias(settings).up(each)));
      const owners = new Map(aliases().map(({ name, canonicalId }) => [name, canonicalId]));
      assert.equal(aliases().length, 70);
      for (const { name, canonicalId } of [...others, ...wanted]) {
        assert.equal(owners.get(name as string), canonicalId);
      }
      assert.equal(emulator.journal.count(create), 50);
      assert.equal(emulator.journal.count(list), 50);
      // Each is read once after it was made; those that were there before, at most once altogether.
      assert.ok(emulator.journal.count(read) <= reads, String(emulator.journal.count(read)));
    });
  }

  describe("whose creation has no response", () => {
    it("is not confused with one that somebody else has created meanwhile", async () => {
      const stranger = addEntity();
      const settings = await serviceWith(emulator, ({ method, url }, response) => {
        if (method !== "POST" || url !== create.path) {
          return response;
        }
        const [alias] = aliases();
        emulator.secrets.changeEntityAlias(alias?.id ?? "", { canonicalId: stranger });
        return undefined;
      });
      await assert.rejects(managedAlias(settings).up(args()), {
        message: /Could not create the entity alias "alice"/,
      });
      assert.equal(aliases()[0]?.canonicalId, stranger);
    });
  });

  describe("whose creation has a response without a body", () => {
    it("is looked up", async () => {
      const managed = managedAlias(await serviceWith(emulator, unnamed));
      await managed.up(args());
      assert.deepEqual(
        aliases().map(({ id }) => id),
        [managed.id],
      );
    });

    it("is an error when it is not there, or another's", async () => {
      const gone = await serviceWith(emulator, (request, response) => {
        const altered = unnamed(request, response);
        if (altered !== response) {
          emulator.secrets.removeEntityAlias(aliases()[0]?.id ?? "");
        }
        return altered;
      });
      await assert.rejects(managedAlias(gone).up(args()), {
        message: /without naming it, and lists no such alias/,
      });
      const stranger = addEntity();
      const moved = await serviceWith(emulator, (request, response) => {
        const altered = unnamed(request, response);
        if (altered !== response) {
          emulator.secrets.changeEntityAlias(aliases()[0]?.id ?? "", { canonicalId: stranger });
        }
        return altered;
      });
      await assert.rejects(managedAlias(moved).up(args()), {
        message: new RegExp(`bound to the entity ${stranger}`),
      });
    });
  });
});

describe("the functions of entity aliases", () => {
  const emulator = useEmulator();

  useEnvironment(() => emulator.environment);

  const add = (name: string) =>
    emulator.secrets.addEntityAlias({
      name,
      canonicalId: emulator.secrets.addEntity({}).id,
      customMetadata: { team: "a" },
    });

  it("read one, with all that a resource tells", async () => {
    const { id, name, canonicalId, mountAccessor, customMetadata, creationTime, lastUpdateTime } =
      add("alice");
    assert.deepEqual(await getEntityAlias({ id }), {
      id,
      name,
      canonicalId,
      mountAccessor,
      customMetadata,
      metadata: {},
      creationTime,
      lastUpdateTime,
      local: false,
      mountPath: "auth/userpass/",
      mountType: "userpass",
    });
  });

  it("list the ids of all, also of none", async () => {
    assert.deepEqual(await listEntityAliases(), { ids: [] });
    const ids = [add("alice").id, add("bob").id].sort();
    assert.deepEqual(await listEntityAliases({}), { ids });
  });

  it("say when there is none", async () => {
    assert.equal(
      (await failure(getEntityAlias({ id: "nobody" }))).message,
      "The entity alias nobody does not exist.",
    );
  });
});
