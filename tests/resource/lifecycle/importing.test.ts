import assert from "node:assert/strict";
import * as trivium from "../../../sdk/index";
import type { JsonObject, JsonValue } from "../../../sdk/base/json";
import * as canonical from "../../../sdk/resource/fields/kinds";
import { isUsual } from "../../../sdk/resource/lifecycle/object";
import type { Lifecycle } from "../../../sdk/resource/lifecycle/lifecycle";
import { collectClasses, type ResourceClass } from "../../../sdk/resource/definition";
import { configDefinition } from "../../../sdk/secrets/directory/config";
import { placedCases } from "../../cases";
import { allDialects, given } from "../../cases/support/case";
import { emulatedTokens, worldOn } from "../../cases/support/emulated-world";
import { inClear } from "../../support/values";
import { useReceiver } from "../../engine/support/receiver";
import { lifecycleOn } from "../../support/managed";
import type { Properties } from "../../support/provider-process";
import { useEmulator } from "../../support/use-emulator";

const classes = collectClasses(trivium);
/** The cases of classes whose objects can be read by their ids alone. */
const readable = placedCases.flatMap(({ resourceCase }) => {
  const resourceClass = classes.get(resourceCase.type);
  return resourceClass?.get === undefined ? [] : [{ resourceCase, resourceClass }];
});

describe("isUsual", () => {
  const usual = (value: JsonValue, others: JsonObject = {}): boolean =>
    isUsual(
      {
        canonical: canonical.duration,
        default: { documented: 30, hashicorp: 70 },
        cleared: 10,
        usual: ({ mode }, dialect) => (mode === "slow" ? 40 : dialect === "documented" ? 20 : undefined),
      },
      value,
      { dialect: "documented", others },
    );

  it("is nothing at all, in every spelling", () => {
    for (const nothing of [null, "", [], {}]) {
      assert.equal(usual(nothing), true, JSON.stringify(nothing));
    }
    for (const something of [0, false, "a", [null], [""], { a: null }]) {
      assert.equal(usual(something), false, JSON.stringify(something));
    }
  });

  it("is the default, what the dialect has, what follows from other fields, and what clearing leaves", () => {
    for (const value of [10, "10s", 20, 30, "30"]) {
      assert.equal(usual(value), true, String(value));
    }
    assert.equal(usual(40), false);
    assert.equal(usual(40, { mode: "slow" }), true);
    assert.equal(usual(50), false);
  });

  it("is not what is usual in the other dialect", () => {
    const where = { dialect: "hashicorp", others: {} } as const;
    const usual = (_others: JsonObject, dialect: string) => (dialect === "documented" ? 20 : undefined);
    assert.equal(isUsual({ usual }, 20, where), false);
  });
});

for (const dialect of allDialects) {
  describe(`an object that is imported, in the ${dialect} dialect`, () => {
    const emulator = useEmulator({ resets: false, dialect, tokens: emulatedTokens });
    const receiver = useReceiver();

    const lifecycleOf = ({ definition }: Pick<ResourceClass, "definition">): Lifecycle =>
      lifecycleOn(emulator, definition, { [`trivium:${definition.service.name}Dialect`]: dialect });
    /** What state has of an object, and its inputs. */
    const imported = async (
      lifecycle: Lifecycle,
      id: string,
    ): Promise<{ readonly outputs: Properties; readonly former: Properties }> => {
      const { props, inputs = {} } = (await lifecycle.import(id)) ?? assert.fail(`there is no ${id}`);
      return { outputs: inClear(props), former: inClear(inputs) };
    };
    /** The arguments in which state and a program differ. */
    const changed = async (
      lifecycle: Lifecycle,
      id: string,
      { outputs, former }: { readonly outputs: Properties; readonly former: Properties },
      program: JsonObject,
    ): Promise<readonly string[]> => {
      const { inputs, failures } = await lifecycle.check(former, program);
      assert.deepEqual(failures, []);
      const diff = await lifecycle.diff(id, outputs, inClear(inputs), { former });
      assert.equal(diff.changes === false, diff.changed.size === 0);
      return [...diff.changed];
    };

    for (const [index, { resourceCase, resourceClass }] of readable.entries()) {
      it(`is what its program says: ${resourceCase.type}`, async () => {
        const world = worldOn(emulator, { dialect, mark: `m${index + 1}q`, receiver });
        const context = await resourceCase.prepare(world);
        const program = given(resourceCase.valid(context)) as Properties;
        const lifecycle = lifecycleOf(resourceClass);
        const { inputs } = await lifecycle.check({}, program);
        const { id } = await lifecycle.create(inClear(inputs));
        const state = await imported(lifecycle, id);
        const checked = await lifecycle.check(state.former, state.former, { isImported: true });
        assert.deepEqual(checked.failures, []);
        assert.deepEqual(await changed(lifecycle, id, state, program), []);
        // A refresh before anything has written it.
        const { props = {}, inputs: read = {} } = await lifecycle.read(id, state.outputs, {
          former: state.former,
        });
        const refreshed = {
          outputs: inClear(props),
          former: inClear(read),
        };
        assert.deepEqual(refreshed.former, state.former);
        assert.deepEqual(await changed(lifecycle, id, refreshed, program), []);
      });
    }

    it("has no input for what its service takes where nothing is said, also where that depends on others", async () => {
      const lifecycle = lifecycleOf({ definition: configDefinition });
      const attributes: unknown[] = [];
      const configs: readonly Properties[] = [
        { schema: "ad" },
        { schema: "racf" },
        { schema: "ad", userattr: "cn" },
        { userattr: "uid" },
      ];
      for (const config of configs) {
        const { path: mount } = emulator.secrets.addMount({
          type: "directory",
          path: `m${attributes.length}`,
        });
        const args = { mount, binddn: "cn=binds", bindpass: "canary-bind-password", ...config };
        const { inputs } = await lifecycle.check({}, { ...args, url: "ldap://ldap.acme.example" });
        const { id } = await lifecycle.create(inClear(inputs));
        attributes.push((await imported(lifecycle, id)).former["userattr"]);
      }
      // By the documents no response tells it.
      const told = dialect === "documented" ? [] : ["cn", "uid"];
      assert.deepEqual(attributes, [undefined, undefined, told[0], told[1]]);
    });
  });
}
