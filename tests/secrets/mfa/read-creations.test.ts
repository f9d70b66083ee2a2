import assert from "node:assert/strict";
import type { Lifecycle } from "../../../sdk/resource/lifecycle";
import { totpMethodDefinition } from "../../../sdk/secrets/mfa/totp-method";
import { ReadCreations } from "../../../sdk/secrets/mfa/read-creations";
import { inClear } from "../../contract/support/values";
import { lifecycleOn } from "../../support/managed";
import type { Properties } from "../../support/provider-process";
import { useEmulator } from "../../support/use-emulator";

describe("TOTP methods created one after another", () => {
  const emulator = useEmulator();
  let hooks: Lifecycle;

  beforeEach(() => {
    hooks = lifecycleOn(emulator, totpMethodDefinition);
  });

  /** @returns what state then has, and which requests were made */
  async function create(inputs: Properties): Promise<{ id: string; outputs: Properties; reads: number }> {
    emulator.journal.clear();
    const { id, outs } = await hooks.create(inputs);
    const reads = emulator.journal.requests({ method: "GET", path: "/v1/identity/mfa/method/totp/:id" });
    return { id, outputs: inClear(outs), reads: reads.length };
  }

  it("are read until one with the same settings was: the state is as a refresh would find it", async () => {
    const first = await create({ issuer: "Acme" });
    const second = await create({ issuer: "Acme Europe" });
    assert.deepEqual([first.reads, second.reads], [1, 0]);
    assert.deepEqual(second.outputs, { ...first.outputs, issuer: "Acme Europe" });
    const { props } = await (
      hooks.read as (id: string, outputs: Properties) => Promise<{ props: Properties }>
    )(second.id, second.outputs);
    assert.deepEqual(props, second.outputs);
  });

  it("are read when their settings differ from those that were", async () => {
    await create({ issuer: "Acme" });
    const other = await create({ issuer: "Acme", period: "1m" });
    assert.equal(other.reads, 1);
    assert.equal(other.outputs.period, 60);
    assert.equal((await create({ issuer: "Acme", period: 60 })).reads, 0);
  });
});

describe("ReadCreations", () => {
  const own = ["issuer"];
  const expected = (issuer: string) => ({ issuer, digits: 6 });
  const told = { issuer: "a", digits: 6, type: "totp", namespace: "root" };

  it("knows of a creation what was read of one with the same settings", () => {
    const creations = new ReadCreations();
    assert.equal(creations.created("1", expected("a"), own), undefined);
    assert.equal(creations.created("2", expected("b"), own), undefined);
    creations.read("1", told);
    assert.deepEqual(creations.created("3", expected("c"), own), { ...told, issuer: "c" });
  });

  for (const [what, state] of [
    ["another value of a setting", { ...told, digits: 8 }],
    ["another value of what is its own", { ...told, issuer: "A" }],
    ["no value of a setting", { issuer: "a", type: "totp" }],
  ] as const) {
    it(`knows nothing where the service answers ${what} than was asked for`, () => {
      const creations = new ReadCreations();
      creations.created("1", expected("a"), own);
      creations.read("1", state);
      assert.equal(creations.created("2", expected("b"), own), undefined);
    });
  }

  it("learns nothing from what it did not see created, nor from what is read again", () => {
    const creations = new ReadCreations();
    creations.read("1", told);
    assert.equal(creations.created("2", expected("a"), own), undefined);
    creations.read("2", { ...told, digits: 8 });
    creations.read("2", told);
    assert.equal(creations.created("3", expected("a"), own), undefined);
  });
});
