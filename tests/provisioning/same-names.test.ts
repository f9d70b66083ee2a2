import assert from "node:assert/strict";
import { findCreated, findToAdopt, type SameNames } from "../../sdk/provisioning/same-names";

interface Configuration {
  readonly id: string;
  readonly name: string;
}

describe("notification configurations of one name", () => {
  const warnings: string[] = [];
  const caller = {
    signal: new AbortController().signal,
    progress: () => undefined,
    announce: (_kind: string, message: string) => void warnings.push(message),
  };
  beforeEach(() => (warnings.length = 0));

  const having = (...ids: readonly string[]): SameNames<Configuration> => ({
    workspaceId: "ws-1",
    all: [{ id: "nc-other", name: "other" }, ...ids.map((id) => ({ id, name: "same" }))],
    isSame: ({ name }) => name === "same",
  });

  it("are looked for before a creation, which fails for none of them", () => {
    assert.equal(findToAdopt(caller, having(), {}), undefined);
    assert.deepEqual(warnings, []);
    assert.equal(findToAdopt(caller, having("nc-1"), { adopt: true })?.id, "nc-1");
    assert.deepEqual(warnings, []);
  });

  it("are named when none is adopted", () => {
    assert.equal(findToAdopt(caller, having("nc-1", "nc-2"), { adopt: true }), undefined);
    assert.match(warnings.join(), /already has 2 notification configurations .* \(nc-1, nc-2\)/);
  });

  it("tell by what there was before which one a creation has left", () => {
    const desired = {};
    findToAdopt(caller, having("nc-1"), desired);
    assert.equal(findCreated(having("nc-1", "nc-2"), desired).id, "nc-2");
    assert.throws(() => findCreated(having("nc-1"), desired), /ws-1 has no new notification configuration/);
    assert.throws(() => findCreated(having("nc-1", "nc-2", "nc-3"), desired), /several new .*: nc-2, nc-3\./);
  });

  it("prove nothing when nobody looked before", () => {
    assert.throws(() => findCreated(having("nc-1"), {}), /no new notification configuration/);
  });
});
