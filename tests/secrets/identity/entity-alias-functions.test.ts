import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import {
  getEntityAlias,
  getEntityAliasOutput,
  listEntityAliases,
  listEntityAliasesOutput,
} from "../../../sdk/secrets/identity/entity-alias-functions";
import { type Emulator, startEmulator } from "../../../sdk/testing";
import { useEnvironment } from "../../connection/environment";
import { failure } from "../../http/calls";
import { useMocks, valueOf } from "../../resource/mocks";

describe("the functions of entity aliases", () => {
  let emulator: Emulator;

  before(async () => {
    emulator = await startEmulator();
  });
  after(async () => emulator.close());
  useEnvironment(() => emulator.environment);
  beforeEach(() => emulator.reset());

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
      "There is no entity alias nobody.",
    );
    const error = await failure(getEntityAlias({ id: "" }));
    assert.equal(error.message, "secrets.identity.getEntityAlias: id must not be empty.");
  });

  describe("in a program", () => {
    useMocks();

    it("take outputs", async () => {
      const { id, name } = add("alice");
      const [alias, list] = [getEntityAliasOutput({ id: pulumi.output(id) }), listEntityAliasesOutput()];
      assert.equal((await valueOf(alias)).name, name);
      assert.equal(await pulumi.isSecret(alias), false);
      assert.deepEqual(await valueOf(list), { ids: [id] });
    });
  });
});
