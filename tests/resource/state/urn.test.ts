import assert from "node:assert/strict";
import { shortUrn, urnIn } from "../../../sdk/resource/state/urn";

const type = "provisioning:Project";
const token = `pulumi-nodejs:dynamic/trivium/${type}`;

describe("the URN in state", () => {
  const urns: readonly [what: string, urn: string, short: string][] = [
    ["without a parent", `urn:pulumi:dev::shop::${token}::payments`, "dev::shop::::payments"],
    ["with a parent", `urn:pulumi:dev::shop::acme:Team$${token}::payments`, "dev::shop::acme:Team::payments"],
    [
      "with ancestors, and a name like a URN's parts",
      `urn:pulumi:dev::shop::acme:Org$acme:Team$${token}::a::b$c`,
      "dev::shop::acme:Org$acme:Team::a::b$c",
    ],
    ["without a name", `urn:pulumi:dev::shop::${token}::`, "dev::shop::::"],
  ];
  for (const [what, urn, short] of urns) {
    it(`is short, and whole again: ${what}`, () => {
      assert.equal(shortUrn(urn), short);
      assert.equal(urnIn({ __urn: short }, type), urn);
    });
  }

  it("stays as it is if an earlier version wrote the whole one", () => {
    const [, urn] = urns[1] ?? assert.fail();
    assert.equal(urnIn({ __urn: urn }, "secrets/mfa:TotpMethod"), urn);
  });

  for (const said of ["dev", "dev::shop", "dev::shop::"]) {
    it(`is not made whole from parts: ${said}`, () => {
      assert.equal(urnIn({ __urn: said }, type), said);
    });
  }

  it("is not made shorter twice", () => {
    assert.equal(shortUrn("dev::shop::::payments"), "dev::shop::::payments");
  });

  for (const said of [undefined, null, 1]) {
    it(`is not known from ${JSON.stringify(said)}`, () => {
      assert.equal(urnIn(said === undefined ? {} : { __urn: said }, type), undefined);
    });
  }

  it("is whatever else was said", () => {
    assert.equal(urnIn({ __urn: "y" }, type), "y");
  });
});
