import assert from "node:assert/strict";
import type { Properties } from "../support/provider-process";
import { type ManagedProject, ProvisioningContract } from "./support/provisioning";
import { unknownValues } from "./support/values";

interface Row {
  readonly what: string;
  /** Makes state out of what stands in it after creation. */
  readonly outputs?: (outputs: Properties) => Properties;
  /** Makes the program's inputs out of those that the project was created with. */
  readonly inputs?: (inputs: Properties) => Properties;
  readonly changes: "none" | "unknown" | "some";
  readonly replaces?: string[];
}

const rows: readonly Row[] = [
  { what: "nothing changed", changes: "none" },
  { what: "name changed", inputs: (inputs) => ({ ...inputs, name: "other" }), changes: "unknown" },
  {
    what: "name is not known yet",
    inputs: (inputs) => ({ ...inputs, name: unknownValues.string }),
    changes: "unknown",
  },
  {
    what: "organization changed",
    inputs: (inputs) => ({ ...inputs, organization: "other" }),
    changes: "unknown",
    replaces: ["organization"],
  },
  {
    what: "organization is not known yet",
    inputs: (inputs) => ({ ...inputs, organization: unknownValues.string }),
    changes: "unknown",
    replaces: ["organization"],
  },
  {
    what: "both changed",
    inputs: (inputs) => ({ ...inputs, organization: "other", name: "other" }),
    changes: "unknown",
    replaces: ["organization"],
  },
  {
    what: "the name drifted and a refresh has seen it",
    outputs: (outputs) => ({ ...outputs, name: "by hand" }),
    changes: "unknown",
  },
  { what: "adopt appeared", inputs: (inputs) => ({ ...inputs, adopt: true }), changes: "none" },
  {
    what: "adopt disappeared",
    outputs: (outputs) => ({
      ...outputs,
      __managed: { organization: 1, name: 1, adopt: { as: true } },
    }),
    changes: "none",
  },
  {
    what: "the resource moved to another parent",
    inputs: (inputs) => ({ ...inputs, __urn: "urn:pulumi:test::other::x::y" }),
    changes: "none",
  },
  {
    what: "the caller's permissions changed",
    outputs: (outputs) => ({ ...outputs, permissions: { canUpdate: false } }),
    changes: "none",
  },
  {
    what: "state does not say what is managed",
    outputs: ({ __at, ...outputs }) => outputs,
    changes: "some",
  },
  {
    what: "state does not say what is managed, and organization changed",
    outputs: ({ __at, ...outputs }) => outputs,
    inputs: (inputs) => ({ ...inputs, organization: "other" }),
    changes: "some",
    replaces: ["organization"],
  },
  {
    what: "state says that more is managed",
    outputs: (outputs) => ({ ...outputs, __managed: { organization: 1, name: 1, formerly: 1 } }),
    changes: "some",
  },
];

describe("diff in the provider process", () => {
  const contract = new ProvisioningContract();
  let project: ManagedProject;
  before(async () => {
    project = await contract.project();
  });

  for (const { what, changes, replaces = [], ...change } of rows) {
    const { outputs = (same: Properties) => same, inputs = (same: Properties) => same } = change;
    it(`answers ${changes} when ${what}${replaces.length === 0 ? "" : ", and replaces"}`, async () => {
      const requests = await contract.requestsOf(async () => {
        assert.deepEqual(
          await contract.provider.diff(project.id, outputs(project.outputs), inputs(project.inputs)),
          // Without a reason of ours an engine that replaces all the same replaces the project by itself.
          { changes, replaces, deleteBeforeReplace: replaces.length === 0 },
        );
      });
      assert.equal(requests, 0);
    });
  }
});
