import assert from "node:assert/strict";
import { runtime } from "@pulumi/pulumi";
import { containsUnknown } from "../../../sdk/resource/state/unknown";

describe("containsUnknown", () => {
  it("knows the SDK's own sentinel", () => {
    assert.ok(containsUnknown(runtime.unknownValue));
  });

  it("finds each of the engine's seven sentinels at any depth", () => {
    for (const sentinel of [
      "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
      "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
      "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
      "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
      "030794c1-ac77-496b-92df-f27374a8bd58",
      "e48ece36-62e2-4504-bad9-02848725956a",
      "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
    ]) {
      assert.ok(containsUnknown(sentinel));
      assert.ok(containsUnknown(["a", { b: [sentinel] }]));
    }
  });

  it("takes everything else as known", () => {
    for (const value of [null, undefined, "", "04da6b54", 0, false, [], {}, { a: ["b"] }]) {
      assert.ok(!containsUnknown(value));
    }
  });
});

describe("values that are no JSON", () => {
  it("are looked through without end neither by circles nor by depth", () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    let deep: unknown = "bottom";
    for (let level = 0; level < 100_000; level++) {
      deep = [deep];
    }
    assert.equal(containsUnknown(circle), false);
    assert.equal(containsUnknown(deep), false);
  });
});
