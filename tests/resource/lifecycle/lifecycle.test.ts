import { secretsService } from "../../../sdk/secrets/service";
import assert from "node:assert/strict";
import type { AnyResourceDefinition } from "../../../sdk/resource/definition";
import { createLifecycle } from "../../../sdk/resource/lifecycle/lifecycle";

/** What diff answers for a resource of which nothing has changed but the time. */
async function differenceBy(
  definition: Partial<AnyResourceDefinition>,
  label = "a",
): Promise<{ changes?: boolean; replaces?: string[]; deleteBeforeReplace?: boolean }> {
  const whole = {
    type: "test:Thing",
    service: secretsService,
    arguments: { label: {} },
    outputs: {},
    ...definition,
  };
  const lifecycle = createLifecycle(whole as AnyResourceDefinition);
  const state = { label: "a", __managed: { label: 1 } };
  const { changes, replaces, deleteBeforeReplace } = await lifecycle.diff("id", state, { label });
  return { changes, replaces, deleteBeforeReplace };
}

describe("what lives for a time", () => {
  const ended = (): string => "It has ended.";
  const lives = (): undefined => undefined;

  it("is left alone while it lives", async () => {
    const expected = { changes: false, replaces: [], deleteBeforeReplace: false };
    assert.deepEqual(await differenceBy({ ended: lives }), expected);
  });

  it("is replaced once it has ended", async () => {
    const expected = { changes: true, replaces: ["expiresAt"], deleteBeforeReplace: false };
    assert.deepEqual(await differenceBy({ ended }), expected);
  });

  it("is deleted before it is replaced where both cannot exist", async () => {
    const expected = { changes: true, replaces: ["expiresAt"], deleteBeforeReplace: true };
    assert.deepEqual(await differenceBy({ ended, deleteBeforeReplace: true }), expected);
  });

  it("is replaced for the program's reasons too", async () => {
    const arguments_ = { label: { replaces: true } };
    const difference = await differenceBy({ ended, arguments: arguments_ }, "b");
    assert.deepEqual(difference.replaces, ["label", "expiresAt"]);
  });

  it("is judged by the state, the program and the present time", async () => {
    const asked: unknown[] = [];
    const before = Date.now();
    await differenceBy({
      ended: (...question) => {
        asked.push(...question);
        return undefined;
      },
    });
    const [outputs, inputs, now] = asked;
    assert.deepEqual([outputs, inputs], [{ label: "a", __managed: { label: 1 } }, { label: "a" }]);
    assert.ok(Number(now) >= before && Number(now) <= Date.now());
  });
});

describe("a replacement", () => {
  const find = (): Promise<undefined> => Promise.resolve(undefined);
  const replacing = { arguments: { label: { replaces: true } }, find };

  it("makes the new object first when that is another one", async () => {
    assert.equal((await differenceBy(replacing, "b")).deleteBeforeReplace, false);
  });

  it("deletes first when the engine replaces an object by the same one", async () => {
    assert.equal((await differenceBy(replacing)).deleteBeforeReplace, true);
  });

  it("deletes first where the definition says so", async () => {
    assert.equal(
      (await differenceBy({ ...replacing, deleteBeforeReplace: true }, "b")).deleteBeforeReplace,
      true,
    );
  });

  it("makes the new object first where nothing collides", async () => {
    assert.equal((await differenceBy({})).deleteBeforeReplace, false);
  });
});
