import assert from "node:assert/strict";
import {
  entityAliasDefinition,
  getEntityAlias,
  listEntityAliases,
} from "../../../sdk/secrets/identity/entity-alias";
import { stopServers } from "../../http/server";
import { Managed } from "../../support/managed";
import type { Properties } from "../../support/provider-process";
import { serviceWith } from "../altered-answers";
import { useEnvironment } from "../../connection/environment";
import { failure } from "../../http/calls";
import { useEmulator } from "../../support/use-emulator";

const mountAccessor = "auth_userpass_00000001";
const update = { method: "POST", path: "/v1/identity/entity-alias/id/:id" };

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

    it("does not change for metadata that is empty or not given", async () => {
      const managed = managedAlias();
      const wanted = args({ customMetadata: {} });
      await managed.up(wanted);
      assert.equal(await managed.up({ ...wanted, customMetadata: null }), "same");
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

  it("say when there is none, and when an argument cannot be right", async () => {
    assert.equal(
      (await failure(getEntityAlias({ id: "nobody" }))).message,
      "The entity alias nobody does not exist.",
    );
    const error = await failure(getEntityAlias({ id: "" }));
    assert.equal(error.message, "secrets.identity.getEntityAlias: id must not be empty.");
  });
});
