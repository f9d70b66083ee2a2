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

const ended = (): string => "It has ended.";
const lives = (): undefined => undefined;
const find = (): Promise<undefined> => Promise.resolve(undefined);
const replaces = { label: { replaces: true } };

describe("what lives for a time, or has a name that only one object can have", () => {
  type Difference = readonly [
    changes: boolean | undefined,
    replaces: readonly string[],
    deletesFirst: boolean,
  ];
  const rows: readonly [
    title: string,
    definition: Partial<AnyResourceDefinition>,
    label: string,
    ...expected: Difference,
  ][] = [
    ["is left alone while it lives", { ended: lives }, "a", false, [], false],
    ["is replaced once it has ended", { ended }, "a", true, ["expiresAt"], false],
    [
      "is deleted first where the definition says so",
      { ended, deleteBeforeReplace: true },
      "a",
      true,
      ["expiresAt"],
      true,
    ],
    [
      "is replaced for the program's reasons too",
      { ended, arguments: replaces },
      "b",
      true,
      ["label", "expiresAt"],
      false,
    ],
    ["is made before the other is deleted", { arguments: replaces, find }, "b", undefined, ["label"], false],
    [
      "is deleted first when the engine replaces it by the same one",
      { arguments: replaces, find },
      "a",
      false,
      [],
      true,
    ],
  ];
  for (const [title, definition, label, changes, replaced, deleteBeforeReplace] of rows) {
    it(title, async () => {
      const expected = { changes, replaces: replaced, deleteBeforeReplace };
      assert.deepEqual(await differenceBy(definition, label), expected);
    });
  }

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
