import assert from "node:assert/strict";
import * as library from "../../sdk";
import { collectDefinitions } from "../../sdk/resource/registry";
import { faultCases } from "./cases";

describe("the matrix of faults", () => {
  it("has a case for every class of resources, and none for another", () => {
    const types = [...collectDefinitions(library).keys()].sort();
    assert.deepEqual(faultCases.map(({ type }) => type).sort(), types);
  });
});
