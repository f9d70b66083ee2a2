import assert from "node:assert/strict";
import { inspect } from "node:util";
import type * as pulumi from "@pulumi/pulumi";
import { LibraryCheckout } from "../../../sdk/secrets/directory/library-checkout";
import { declared, useMocks } from "../../resource/mocks";

describe("the options of a secrets.directory.LibraryCheckout", () => {
  useMocks();

  const cases: readonly object[] = [{}, { deleteBeforeReplace: undefined }, { deleteBeforeReplace: false }];
  for (const options of cases) {
    it(`always let it check in before it checks out, also with ${inspect(options)}`, async () => {
      const seen: (boolean | undefined)[] = [];
      const transformation: pulumi.ResourceTransformation = ({ opts }) => {
        seen.push((opts as pulumi.CustomResourceOptions).deleteBeforeReplace);
        return undefined;
      };
      const resource = new LibraryCheckout(
        "operator",
        { setName: "operators" },
        { ...options, transformations: [transformation] },
      );
      await declared(resource);
      assert.deepEqual(seen, [true]);
    });
  }
});
