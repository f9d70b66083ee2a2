import assert from "node:assert/strict";
import { z } from "zod";
import type { Dialect } from "../../sdk/base/settings";
import { organizationKind } from "../../sdk/provisioning/admin-organization";

function read(attributes: object, relationships: object = {}, dialect: Dialect = "documented") {
  const shape = organizationKind.shape(z, dialect);
  return shape.parse({ id: "acme", attributes, relationships }).state;
}

describe("administrative organizations on the wire", () => {
  it("are known by their id when they say no name", () => {
    assert.equal(read({}).name, "acme");
    assert.equal(read({ name: "Acme" }).name, "Acme");
  });

  it("tell null from nothing", () => {
    const nulls = read(
      {
        "workspace-limit": null,
        "iac-build-worker-plan-timeout": null,
        "iac-build-worker-apply-timeout": "24h",
      },
      { subscription: { data: null }, "feature-set": {}, owners: { data: [] } },
    );
    assert.deepEqual(
      [nulls.workspaceLimit, nulls.iacBuildWorkerPlanTimeout, nulls.iacBuildWorkerApplyTimeout],
      [null, null, "24h"],
    );
    assert.deepEqual([nulls.subscriptionId, nulls.featureSetId, nulls.ownerIds], [null, undefined, []]);
    const nothing = read({});
    assert.deepEqual(nothing, { name: "acme" });
  });

  it("are understood with the products' old and new names", () => {
    for (const [apply, plan] of [
      ["terraform-build-worker-apply-timeout", "terraform-build-worker-plan-timeout"],
      ["apply-timeout", "plan-timeout"],
    ] as const) {
      const attributes = { [apply]: "9h", [plan]: null, "terraform-worker-sudo-enabled": true };
      const state = read(attributes, {}, "hashicorp");
      assert.deepEqual(
        [state.iacBuildWorkerApplyTimeout, state.iacBuildWorkerPlanTimeout, state.iacWorkerSudoEnabled],
        ["9h", null, true],
      );
      const elsewhere = read(attributes);
      assert.deepEqual(
        [elsewhere.iacBuildWorkerApplyTimeout, elsewhere.iacWorkerSudoEnabled],
        [undefined, undefined],
      );
    }
  });

  it("are sent the named attributes only, whatever their values", () => {
    const values = { workspaceLimit: 0, isDisabled: false, iacBuildWorkerPlanTimeout: "2h", name: "acme" };
    const isSent = (name: string): boolean => name in values && name !== "name";
    const document = (dialect: Dialect): unknown =>
      JSON.parse(JSON.stringify(organizationKind.document(values, dialect, { isSent })));
    const attributes = { "is-disabled": false, "workspace-limit": 0 };
    assert.deepEqual(document("documented"), {
      data: { type: "organizations", attributes: { ...attributes, "iac-build-worker-plan-timeout": "2h" } },
    });
    assert.deepEqual(document("hashicorp"), {
      data: {
        type: "organizations",
        attributes: { ...attributes, "terraform-build-worker-plan-timeout": "2h" },
      },
    });
  });
});
