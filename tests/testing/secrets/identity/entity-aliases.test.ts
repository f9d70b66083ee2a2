import assert from "node:assert/strict";
import { useEmulator } from "../../../support/use-emulator";
import { call, textAt, type Reply } from "../../call";
import { HashicorpClient } from "../hashicorp";
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

  describe("custom metadata in the hashicorp dialect", () => {
    const products = useEmulator({ dialect: { secrets: "hashicorp" } });
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
        const { id } = products.secrets.addEntity();
        const client = new HashicorpClient(products);
        const body = named("web", id, userpass, metadata);
        assertRefused(await client.send("POST", "identity/entity-alias", body), 500, words);
        assert.deepEqual(products.inspect().secrets.entityAliases, []);
      });
    }
  });

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
