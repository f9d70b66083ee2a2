import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import { useEmulator } from "../../../support/use-emulator";
import { failureOf } from "../../support/projects";
import { type Program, TestStack } from "../../support/stack";

const { EntityAlias } = trivium.secrets.identity;
const mountAccessor = "auth_userpass_00000001";

describe("entity aliases of one program", function () {
  this.timeout(120_000);

  const emulator = useEmulator({ resets: false });
  let stack: TestStack;

  before(async function () {
    this.timeout(900_000);
    stack = await TestStack.create("engine-many-aliases", {
      "trivium:secretsAddress": emulator.secrets.address,
      "trivium:secretsToken": { secret: emulator.secrets.token },
    });
  });
  after(() => {
    stack.remove();
  });

  const aliases = () => emulator.inspect().secrets.entityAliases;
  const addEntity = (): string => emulator.secrets.addEntity({}).id;

  it("are all made, fifty on one mount, and none is moved", async () => {
    const wanted = Array.from({ length: 50 }, (_, index) => ({
      name: `user-${index}`,
      canonicalId: addEntity(),
    }));
    const program: Program = () => {
      wanted.forEach((alias) => new EntityAlias(alias.name, { ...alias, mountAccessor }));
      return Promise.resolve(undefined);
    };
    const { changes } = await stack.up(program, { parallel: 50 });
    assert.deepEqual(changes, { create: 51 });
    const made = aliases().map(({ name, canonicalId }) => ({ name, canonicalId }));
    assert.deepEqual(
      made.toSorted((left, right) => Number(left.name.slice(5)) - Number(right.name.slice(5))),
      wanted,
    );
    assert.equal(emulator.journal.count({ method: "POST" }), 50);
    await stack.previewWithoutChanges(program);
    await stack.destroy();
    assert.deepEqual(aliases(), []);
  });

  it("do not take an alias away from another entity, and say whose it is", async () => {
    const existing = emulator.secrets.addEntityAlias({ name: "alice", canonicalId: addEntity() });
    const canonicalId = addEntity();
    const program =
      (adopt: boolean): Program =>
      () => {
        new EntityAlias("alice", { name: "alice", canonicalId, mountAccessor, adopt });
        return Promise.resolve(undefined);
      };
    const text = await failureOf(stack.up(program(false)));
    assert.ok(text.includes(`bound to the entity ${existing.canonicalId}`), text);
    assert.deepEqual(aliases(), [existing]);
    const { text: shown } = await stack.up(program(true));
    assert.equal(aliases()[0]?.canonicalId, canonicalId);
    assert.equal(aliases()[0]?.id, existing.id);
    assert.ok(shown.includes(`was bound to the entity ${existing.canonicalId}`), shown);
    await stack.destroy();
  });
});
