import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { defineResource } from "../../../sdk/resource/definition";
import { Fields, snakeCase } from "../../../sdk/resource/fields/field";
import { text } from "../../../sdk/resource/fields/kinds";
import { decodeProgram } from "../../../sdk/resource/state/encoding";
import { emptyEntry } from "../../../sdk/resource/state/entry";
import { secretsService } from "../../../sdk/secrets/service";
import { lifecycleWith } from "../../support/fake-engine";

const fields = new Fields({ label: text() }, snakeCase);
const settings = { "trivium:secretsAddress": "http://127.0.0.1:9", "trivium:secretsToken": "t" };

/** What happens when an object is created, another is, and a third is deleted, all at once. */
async function together(writesParts: boolean, turn: (label: string) => string): Promise<string> {
  const calls: string[] = [];
  const busy = async (call: string): Promise<void> => {
    calls.push(call);
    await setImmediate();
    calls.push(call.toUpperCase());
  };
  const definition = defineResource(secretsService, fields)("test:Thing", {
    turn: (_step, { label }) => turn(label),
    writesParts,
    async look() {
      await busy("l");
      return {};
    },
    async create(_step, { label }) {
      await busy("c");
      return { id: label, state: { label } };
    },
    read: () => Promise.resolve(undefined),
    delete: () => busy("d"),
  });
  const { lifecycle } = lifecycleWith(definition, settings);
  const create = (label: string) => lifecycle.create(decodeProgram({ label }));
  const entry = { ...emptyEntry, outputs: { label: "c" }, managed: { label: true as const } };
  await Promise.all([create("a"), create("b"), lifecycle.delete("c", entry)]);
  return calls.join("");
}

describe("writes that exclude each other", () => {
  it("creations with the same key take turns, including the lookup before each, and deletions do not wait", async () => {
    assert.equal((await together(false, () => "one")).replace(/d|D/g, ""), "lLcClLcC");
    assert.ok((await together(false, () => "one")).indexOf("d") < 3);
  });

  it("creations with different keys do not wait for each other", async () => {
    assert.match(await together(false, (label) => label), /^.*ll.*$/);
  });

  it("deletions also take turns if several resources write parts of one object", async () => {
    assert.match(await together(true, () => "one"), /^(?:lLcC|dD){3}$/);
  });
});
