import assert from "node:assert/strict";
import type { JsonObject } from "../../../sdk/base/json";
import * as pulumi from "@pulumi/pulumi";
import { isProviderStub, providerStub, wrapSecret } from "../../../sdk/resource/state/encoding";
import { containsUnknown, rememberSecrets, shortUrn, textsWithin, urnIn } from "../../../sdk/resource/state/entry";
import { processRedactor } from "../../../sdk/base/redactor";
import type { AnyResourceDefinition } from "../../../sdk/resource/definition";

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

  it("is otherwise as it is stored", () => {
    const [, whole] = urns[1] ?? assert.fail();
    for (const stored of [whole, "dev", "dev::shop", "dev::shop::", "y"]) {
      assert.equal(urnIn({ __urn: stored }, "secrets/mfa:TotpMethod"), stored);
    }
    assert.equal(shortUrn("dev::shop::::payments"), "dev::shop::::payments");
    const unnamed: readonly JsonObject[] = [{}, { __urn: null }, { __urn: 1 }];
    for (const values of unnamed) {
      assert.equal(urnIn(values, type), undefined);
    }
  });
});

describe("the text of a provider", () => {
  it("is known by its beginning", () => {
    const texts = [providerStub(type), `${providerStub(type)}//1`, `1;${providerStub(type)}`, 1];
    assert.deepEqual(texts.map(isProviderStub), [true, true, false, false]);
  });
});

describe("containsUnknown", () => {
  it("knows the SDK's own sentinel", () => {
    assert.ok(containsUnknown(pulumi.runtime.unknownValue));
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
    assert.deepEqual(textsWithin({ first: "one", list: ["two"], circle }), ["one", "two"]);
    assert.equal(containsUnknown(deep), false);
  });
});

describe("wrapSecret", () => {
  it("marks a value as the SDK does", () => {
    assert.deepEqual(wrapSecret({ deep: ["canary"] }), {
      [pulumi.runtime.specialSigKey]: pulumi.runtime.specialSecretSig,
      value: { deep: ["canary"] },
    });
    assert.equal(pulumi.runtime.unwrapRpcSecret(wrapSecret("canary")), "canary");
  });

  it("marks once what is marked already", () => {
    const marked = wrapSecret("canary");
    assert.equal(wrapSecret(marked), marked);
  });
});

describe("textsWithin", () => {
  it("finds every text, at any depth, and nothing else", () => {
    const value = { a: "one", b: [{ c: "two" }, ["three", 4, null]], d: true, e: undefined };
    assert.deepEqual(textsWithin(value), ["one", "two", "three"]);
    assert.deepEqual(textsWithin("text"), ["text"]);
    assert.deepEqual(textsWithin(5), []);
  });
});

describe("rememberSecrets", () => {
  const definition = {
    arguments: { password: { secret: true }, label: {} },
    outputs: { token: { secret: true }, responses: { secret: true }, place: {} },
  } as unknown as AnyResourceDefinition;

  it("has what is secret among values masked from then on", () => {
    const values = {
      password: "remembered-password",
      token: "remembered-token",
      label: "plain-label",
      place: "plain-place",
    };
    rememberSecrets(definition, values);
    assert.equal(
      processRedactor.redact("remembered-password remembered-token plain-label plain-place"),
      "[secret] [secret] plain-label plain-place",
    );
  });

  it("leaves the parts of a secret structure alone, which are common words too", () => {
    rememberSecrets(definition, { responses: [{ state: "uncommonly-common" }] });
    assert.equal(processRedactor.redact("uncommonly-common"), "uncommonly-common");
  });
});
