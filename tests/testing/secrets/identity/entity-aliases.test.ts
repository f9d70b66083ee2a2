import assert from "node:assert/strict";
import { useEmulator } from "../../../support/use-emulator";
import { call, textAt, type Reply } from "../../call";
import { assertRefused } from "../refusals";

describe("the emulator's entity aliases", () => {
  const emulator = useEmulator({ frozenAt: new Date("2030-01-01T00:00:00Z") });
  let alice: string;
  let bob: string;
  let userpass: string;
  beforeEach(() => {
    alice = emulator.secrets.addEntity({ name: "alice" }).id;
    bob = emulator.secrets.addEntity({ name: "bob" }).id;
    userpass = emulator.inspect().secrets.mounts.find(({ type }) => type === "userpass")?.accessor ?? "";
  });

  const collection = "/v1/identity/entity-alias";
  const post = async (body: unknown, path = ""): Promise<Reply> =>
    call(emulator, "secrets", "POST", collection + path, { body });
  const named = (name: string, entity = alice, accessor = userpass, custom?: Record<string, string>) => ({
    name,
    canonical_id: entity,
    mount_accessor: accessor,
    ...(custom === undefined ? {} : { custom_metadata: custom }),
  });
  const created = async (...parts: Parameters<typeof named>): Promise<string> =>
    textAt((await post(named(...parts))).body, "data", "id");
  const aliases = () => emulator.inspect().secrets.entityAliases;
  const unknownId = "00000000-0000-0000-0000-000000000000";

  describe("create", () => {
<<<<<<< HEAD
=======
    it("answers the ids, and the alias can be read", async () => {
      const reply = await post(named("web", alice, userpass, { team: "a" }));
      const id = textAt(reply.body, "data", "id");
      assert.equal(reply.status, 200);
      assert.deepEqual(at(reply.body, "data"), { canonical_id: alice, id });
      assert.deepEqual(at((await read(id)).body, "data"), {
        canonical_id: alice,
        creation_time: "2030-01-01T00:00:00.000Z",
        custom_metadata: { team: "a" },
        id,
        last_update_time: "2030-01-01T00:00:00.000Z",
        local: false,
        metadata: null,
        mount_accessor: userpass,
        mount_path: "auth/userpass/",
        mount_type: "userpass",
        name: "web",
      });
    });

    it("does nothing the second time, and says nothing", async () => {
      await post(named("web"));
      const before = aliases();
      emulator.advance("1h");
      const reply = await post(named("web"));
      assert.deepEqual([reply.status, reply.body], [204, ""]);
      assert.deepEqual(aliases(), before);
    });

    it("moves the alias that has the name on the mount, and clears metadata that is not sent", async () => {
      const id = await created("web", alice, userpass, { team: "a" });
      emulator.advance("1h");
      const reply = await post(named("web", bob));
      assert.equal(reply.status, 200);
      assert.deepEqual(at(reply.body, "data"), { canonical_id: bob, id });
      const [alias, ...others] = aliases();
      assert.deepEqual(others, []);
      assert.deepEqual([alias?.canonicalId, alias?.customMetadata], [bob, {}]);
      assert.equal(alias?.creationTime, "2030-01-01T00:00:00.000Z");
      assert.equal(alias.lastUpdateTime, "2030-01-01T01:00:00.000Z");
    });

    it("treats names that differ by case alone as two aliases, also of one entity", async () => {
      const id = await created("Web");
      assert.notEqual(textAt((await post(named("wEB"))).body, "data", "id"), id);
      assert.deepEqual(
        aliases().map(({ name }) => name),
        ["Web", "wEB"],
      );
    });

    it("treats the same name on another mount as another alias", async () => {
      await post(named("web"));
      assert.equal((await post(named("web", alice, approle))).status, 200);
      assert.equal(aliases().length, 2);
    });

>>>>>>> 58fa1b2 (Test titles in the field's terms; the index of errors links pages, not anchors with underscores)
    it("updates the alias whose id is in the body, and keeps its metadata", async () => {
      const id = await created("web", alice, userpass, { team: "a" });
      assert.equal((await post({ id, ...named("site") })).status, 200);
      assert.deepEqual(
        aliases().map(({ name, customMetadata }) => [name, customMetadata]),
        [["site", { team: "a" }]],
      );
      assertRefused(await post({ id: unknownId, ...named("x") }), 400, "invalid alias ID provided");
    });

    it("lets an entity have several aliases on a mount, made or moved", async () => {
      await post(named("web", alice));
      await post(named("site", alice));
      await post(named("shop", bob));
      await post(named("web", bob));
      assert.deepEqual(
        aliases().map(({ name, canonicalId }) => [name, canonicalId]),
        [
          ["web", bob],
          ["site", alice],
          ["shop", bob],
        ],
      );
    });

    it("refuses a mount and an entity that do not exist", async () => {
      assertRefused(await post(named("web", alice, "nope")), 400, 'invalid mount accessor "nope"');
      assertRefused(await post(named("web", unknownId)), 400, "invalid canonical ID");
      assert.deepEqual(aliases(), []);
    });
  });

  describe("custom metadata", () => {
    const manyKeys = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, number) => [`key-${number}`, "x"]));

    const refused: readonly [string, Record<string, string>, RegExp][] = [
      ["65 keys", manyKeys(65), /at most 64 keys, provided 65/],
      ["a key of 129 bytes", { ["k".repeat(129)]: "x" }, /length of key is 129/],
      ["a key of 65 letters of two bytes", { ["ü".repeat(65)]: "x" }, /length of key is 130/],
      ["an empty key", { "": "x" }, /length of key is 0/],
      ["a value of 513 bytes", { key: "v".repeat(513) }, /length of value is 513/],
      ["an empty value", { key: "" }, /length of value is 0/],
      ["a line break", { key: "a\nb" }, /unprintable/],
    ];
    for (const [what, metadata, words] of refused) {
      it(`may not have ${what}`, async () => {
        assertRefused(await post(named("web", alice, userpass, metadata)), 500, words);
        assert.deepEqual(aliases(), []);
      });
    }
  });

<<<<<<< HEAD
=======
  describe("update", () => {
    it("changes what is sent, and keeps metadata that is not", async () => {
      const id = await created("web", alice, userpass, { team: "a" });
      emulator.advance("1h");
      const reply = await post(named("site", bob, approle), `/id/${id}`);
      assert.equal(reply.status, 200);
      assert.deepEqual(at(reply.body, "data"), { canonical_id: bob, id });
      const data = at((await read(id)).body, "data");
      assert.deepEqual(
        ["name", "canonical_id", "mount_type", "custom_metadata", "last_update_time"].map((name) =>
          at(data, name),
        ),
        ["site", bob, "approle", { team: "a" }, "2030-01-01T01:00:00.000Z"],
      );
    });

    it("replaces metadata that is sent, down to nothing", async () => {
      const id = await created("web", alice, userpass, { team: "a", other: "b" });
      await post(named("web", alice, userpass, { team: "b" }), `/id/${id}`);
      assert.deepEqual(aliases()[0]?.customMetadata, { team: "b" });
      await post(named("web", alice, userpass, {}), `/id/${id}`);
      assert.deepEqual(aliases()[0]?.customMetadata, {});
    });

    it("says nothing when nothing changes", async () => {
      const id = await created("web", alice, userpass, { b: "2", a: "1" });
      const reply = await post(named("web", alice, userpass, { a: "1", b: "2" }), `/id/${id}`);
      assert.deepEqual([reply.status, reply.body], [204, ""]);
    });

    it("changes the case of the name", async () => {
      const id = await created("web");
      assert.equal((await post(named("WEB"), `/id/${id}`)).status, 200);
      assert.equal(aliases()[0]?.name, "WEB");
    });

    it("refuses the name of another alias on the mount", async () => {
      await created("web", alice);
      const id = await created("site", bob);
      const words = "alias with combination of mount accessor and name already exists";
      assertRefused(await post(named("web", bob), `/id/${id}`), 400, words);
    });

    it("refuses what does not exist, and anything less than all three", async () => {
      const id = await created("web");
      assertRefused(await post(named("web"), `/id/${unknownId}`), 400, "invalid alias ID provided");
      assertRefused(
        await post(named("web", alice, "nope"), `/id/${id}`),
        400,
        'invalid mount accessor "nope"',
      );
      assertRefused(await post(named("web", unknownId), `/id/${id}`), 400, "invalid canonical ID");
      assertRefused(await post({ name: "x" }, `/id/${id}`), 400, "missing canonical_id");
      assertRefused(await post({ id, ...named("web") }, `/id/${id}`), 400, /unrecognized parameters: \[id\]/);
      assert.deepEqual(
        aliases().map(({ name }) => name),
        ["web"],
      );
    });
  });

  describe("read", () => {
    it("says nothing about a mount that is gone", async () => {
      const id = await created("web", alice, approle);
      emulator.secrets.removeMount("approle");
      const data = at((await read(id)).body, "data");
      assert.equal(at(data, "mount_accessor"), approle);
      assert.deepEqual([at(data, "mount_path"), at(data, "mount_type")], [undefined, undefined]);
    });

    it("answers 404 without a body for an unknown id", async () => {
      const reply = await read(unknownId);
      assert.deepEqual([reply.status, reply.body], [404, { errors: [] }]);
    });
  });

  describe("list", () => {
    const list = async (): Promise<Reply> => call(emulator, "secrets", "GET", `${collection}/id?list=true`);

    it("has the ids in their order, and nothing else", async () => {
      const ids = [
        await created("web"),
        await created("site", bob),
        await created("x", alice, approle),
      ].sort();
      const reply = await list();
      assert.deepEqual(at(reply.body, "data", "keys"), ids);
      assert.equal(at(reply.body, "data", "key_info"), undefined);
    });

    it("answers 404 without a body when there are none", async () => {
      const reply = await list();
      assert.deepEqual([reply.status, reply.body], [404, { errors: [] }]);
    });

    it("wants list=true", async () => {
      const reply = await call(emulator, "secrets", "GET", `${collection}/id`);
      assertRefused(reply, 405, numbered("unsupported operation"));
    });
  });

  describe("delete", () => {
    it("removes the alias, and succeeds without one", async () => {
      const id = await created("web");
      for (const times of [1, 2]) {
        const reply = await call(emulator, "secrets", "DELETE", `${collection}/id/${id}`);
        assert.deepEqual([reply.status, reply.body], [204, ""]);
        assert.deepEqual(aliases(), [], `${times}`);
      }
    });
  });

>>>>>>> 58fa1b2 (Test titles in the field's terms; the index of errors links pages, not anchors with underscores)
  describe("behind a program's back", () => {
    it("refer to what exists only", () => {
      const { secrets } = emulator;
      const { id } = secrets.addEntityAlias({ name: "web", canonicalId: alice });
      assert.throws(() => secrets.addEntityAlias({ name: "x", canonicalId: "none" }), /no entity "none"/);
      assert.throws(() => secrets.changeEntityAlias(id, { mountAccessor: "none" }), /accessor "none"/);
      assert.throws(() => secrets.changeEntityAlias("none", {}), /no entity alias "none"/);
      assert.throws(() => secrets.removeEntityAlias("none"), /no entity alias "none"/);
      assert.equal(aliases()[0]?.mountAccessor, userpass);
    });
  });
});
