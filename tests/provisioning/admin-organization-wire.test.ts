import assert from "node:assert/strict";
import { z } from "zod";
import {
  organizationDocument,
  organizationKind,
  updatableArguments,
  updatableAttributes,
} from "../../sdk/provisioning/admin-organization-wire";
import { provisioningDialects } from "../../sdk/provisioning/dialect";
import type { Dialect } from "../../sdk/base/settings";

const { documented, hashicorp } = provisioningDialects;

function read(attributes: object, relationships: object = {}, dialect: Dialect = "documented") {
  const shape = organizationKind.shape(z, provisioningDialects[dialect]);
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
    assert.deepEqual(
      Object.values({ ...nothing, name: undefined }).filter((value) => value !== undefined),
      [],
    );
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
    const values = { workspaceLimit: 0, isDisabled: false, iacBuildWorkerPlanTimeout: null, name: "acme" };
    const names = new Set(Object.keys(values));
    const document = (dialect: typeof documented): unknown =>
      JSON.parse(JSON.stringify(organizationDocument(values, names, dialect)));
    const attributes = { "is-disabled": false, "workspace-limit": 0 };
    assert.deepEqual(document(documented), {
      data: { type: "organizations", attributes: { ...attributes, "iac-build-worker-plan-timeout": null } },
    });
    assert.deepEqual(document(hashicorp), {
      data: {
        type: "organizations",
        attributes: { ...attributes, "terraform-build-worker-plan-timeout": null },
      },
    });
  });

  it("remember every attribute that an update can change, as far as an answer shows it", () => {
    assert.deepEqual(
      updatableAttributes({ workspaceLimit: null, isDisabled: false, ssoEnabled: true }, documented),
      {
        workspaceLimit: null,
        isDisabled: false,
      },
    );
    assert.equal(updatableArguments(documented).length, 7);
  });
});
