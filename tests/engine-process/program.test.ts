import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { childrenOf, internalsOf, mocks, referenceOf, replaceOutputs } from "../../sdk/engine/program";
import { useMocks } from "../resource/mocks";

class Thing extends pulumi.ComponentResource {
  label = pulumi.output("a");
}

/** An output of an SDK that only has what is documented. */
function bare<Value>(output: pulumi.Output<Value>): pulumi.Output<Value> {
  return { apply: (work: never) => output.apply(work) } as unknown as pulumi.Output<Value>;
}

describe("a program with an SDK that has other internals", () => {
  for (const preview of [false, true]) {
    describe(preview ? "in a preview" : "in an update", () => {
      useMocks({ preview });

      it("a program with another SDK still receives the values of outputs; in a preview, none of them are known", async () => {
        const internals = internalsOf(bare(pulumi.output({ a: [1] })));
        assert.equal(await internals.isKnown, !preview);
        assert.deepEqual(await internals.promise(), { a: [1] });
        assert.equal((await internals.allResources()).size, 0);
      });
    });
  }

  describe("and resources", () => {
    useMocks();

    it("a resource of a program with another SDK has the outputs that the engine returns", () => {
      const thing = new Thing("test:index:Thing", "thing");
      const label = (thing.label = bare(thing.label));
      const found = replaceOutputs(thing, ["label", "missing"], () => assert.fail("called"));
      assert.deepEqual(found, {});
      assert.equal(thing.label, label);
    });

    it("a program with another SDK does not detect components' children, mocks or provider references", async () => {
      const parent = new Thing("test:index:Thing", "parent");
      const child = new Thing("test:index:Thing", "child", {}, { parent });
      assert.deepEqual(childrenOf(parent), [child]);
      Object.defineProperty(parent, "__childResources", { value: { child } });
      assert.deepEqual(childrenOf(parent), []);
      assert.notEqual(mocks(), undefined);
      pulumi.runtime.setMockOptions({}, "project", "stack");
      assert.equal(mocks(), undefined);
      const register: unknown = Reflect.get(pulumi.ProviderResource, "register");
      try {
        Object.assign(pulumi.ProviderResource, { register: undefined });
        assert.equal(await referenceOf(parent as unknown as pulumi.ProviderResource), undefined);
      } finally {
        Object.assign(pulumi.ProviderResource, { register });
      }
    });
  });
});
