import assert from "node:assert/strict";
import { totpSecretDefinition } from "../../../sdk/secrets/mfa/totp-secret";
import { FakeEngine, lifecycleOn } from "../../support/fake-engine";
import type { Properties } from "../../support/provider-process";
import { readBarcode } from "../../testing/secrets/mfa/read-barcode";
import { type AlterableResponse, serviceWith } from "../altered-responses";
import { useSecrets } from "../emulated-client";
import { assertCodesAreRight } from "./one-time-codes";

const generate = { method: "POST", path: "/v1/identity/mfa/method/totp/admin-generate" };
const destroy = { method: "POST", path: "/v1/identity/mfa/method/totp/admin-destroy" };

describe("secrets.mfa.TotpSecret whose entity was deleted, in the hashicorp dialect", () => {
  const emulator = useSecrets({ dialect: "hashicorp" });
  let managed: FakeEngine;
  let methodId: string;
  beforeEach(async () => {
    methodId = emulator.secrets.addTotpMethod({ issuer: "Acme" }).id;
    const entityId = emulator.secrets.addEntity().id;
    managed = await FakeEngine.create(totpSecretDefinition, emulator, { methodId, entityId });
    emulator.secrets.removeEntity(entityId);
  });

  it("the secret of a deleted entity is removed by a refresh whose token is allowed to read the entity, and can be destroyed", async () => {
    await lifecycleOn(emulator, totpSecretDefinition).delete(managed.id ?? "", managed.outputs);
    emulator.faults.add({ path: "/v1/identity/entity/id/:id", status: 403, body: { errors: ["denied"] } });
    assert.equal(await managed.refresh(), true);
    assert.equal(await managed.refresh(), false);
  });

  for (const body of [{ errors: [] }, {}, { data: null }, { data: { id: "another entity" } }]) {
    it(`a TOTP secret stays in state if the response to the entity's read is ${JSON.stringify(body)}`, async () => {
      emulator.faults.add({ path: "/v1/identity/entity/id/:id", status: 200, body });
      const message = /Unexpected response to GET \S+\/v1\/identity\/entity\/id\//;
      await assert.rejects(managed.refresh(), { message });
      assert.equal(await managed.refresh(), false);
    });
  }

  it("the secret of a deleted entity is replaced by one for another entity", async () => {
    const entityId = emulator.secrets.addEntity().id;
    assert.equal(await managed.up({ methodId, entityId }), "replaced");
  });
});

describe("secrets.mfa.TotpSecret", () => {
  const emulator = useSecrets();
  let methodId: string;
  let entityId: string;
  let managed: FakeEngine;

  beforeEach(() => {
    methodId = emulator.secrets.addTotpMethod({ issuer: "Acme Corporation" }).id;
    entityId = emulator.secrets.addEntity({ name: "alice" }).id;
    managed = new FakeEngine(totpSecretDefinition, emulator);
  });

  const args = (more: Properties = {}): Properties => ({ methodId, entityId, ...more });
  const secrets = () => emulator.inspect().secrets.totpSecrets;
  const outputs = () => managed.outputs as { url: string; barcode: string; secret: string };
  const post = (): string[] => emulator.journal.requests({ method: "POST" }).map(({ path }) => path);
  /** A service whose responses to generations have other data. */
  const generating = async (alter: (body: AlterableResponse["body"]) => object): Promise<FakeEngine> => {
    const settings = await serviceWith(emulator, ({ url }, { status, body }) => ({
      status,
      body: url === generate.path ? { data: { ...alter(body) } } : body,
    }));
    return (managed = new FakeEngine(totpSecretDefinition, emulator, settings));
  };

  for (const parameters of [{}, { algorithm: "SHA512", digits: 8, period: 60, keySize: 64 } as const]) {
    it(`a TOTP secret enrolls an authenticator whose codes the service accepts: ${JSON.stringify(parameters)}`, async () => {
      emulator.secrets.changeTotpMethod(methodId, { ...parameters, qrSize: 400 });
      await managed.up(args());
      assert.equal(managed.id, `${methodId}/${entityId}`);
      const { url, barcode, secret } = outputs();
      const [stored] = secrets();
      assert.deepEqual([url, secret], [stored?.url, stored?.key]);
      assert.equal(readBarcode(barcode).text, url);
      assertCodesAreRight({ url, secret }, stored);
    });
  }

  it("a TOTP secret keeps the secret when the barcode is missing or null", async () => {
    for (const barcode of [null, undefined]) {
      await generating((body) => ({ ...body?.data, barcode }));
      await managed.up(args());
      assert.deepEqual([outputs().barcode, outputs().url], ["", secrets()[0]?.url]);
      await managed.destroy();
    }
  });

  it("an existing TOTP secret is rejected with advice, and kept", async () => {
    const existing = emulator.secrets.addTotpSecret(methodId, entityId);
    const advice = "To destroy it and generate a new one, set `adopt: true`";
    const exists = `TotpSecret already exists \\(id ${methodId}/${entityId}\\).* Nothing was changed\\. ${advice}`;
    await assert.rejects(managed.up(args()), { message: new RegExp(exists) });
    assert.deepEqual(secrets(), [existing]);
  });

  // The document shows no response to a second generation.
  for (const response of [undefined, {}, { barcode: "", url: "" }, { barcode: null, url: null }, 400]) {
    it(`an existing TOTP secret is destroyed and generated again once if adopt is set, even after the response ${JSON.stringify(response)}`, async () => {
      const existing = emulator.secrets.addTotpSecret(methodId, entityId);
      if (typeof response === "number") {
        emulator.faults.add({ ...generate, status: response, body: { errors: ["secret exists"] } });
      } else if (response !== undefined) {
        await generating((body) => body?.data ?? response);
        await assert.rejects(managed.up(args()), { message: /already exists/ });
        emulator.journal.clear();
      }
      await managed.up(args({ adopt: true }));
      assert.deepEqual(post(), [generate.path, destroy.path, generate.path]);
      const [stored, ...others] = secrets();
      assert.notEqual(stored?.key, existing.key);
      assert.deepEqual(others, []);
      assertCodesAreRight(outputs(), stored);
      assert.equal(await managed.up(args()), "same");
    });
  }

  for (const status of [400, 409, 422]) {
    it(`an existing TOTP secret can be rejected with ${status}, which is the error without adopt, and if a second attempt fails`, async () => {
      emulator.faults.add({ ...generate, status, body: { errors: ["secret exists"] }, times: 3 });
      await assert.rejects(managed.up(args()), { message: /secret exists/ });
      assert.deepEqual(post(), [generate.path]);
      await assert.rejects(managed.up(args({ adopt: true })), { message: /secret exists/ });
      assert.equal(post().length, 4);
    });
  }

  it("a TOTP secret that exists again after it was destroyed belongs to another client, as the error explains", async () => {
    emulator.secrets.addTotpSecret(methodId, entityId);
    await generating(() => ({}));
    const message = /It was destroyed, but another client has generated a new one since/;
    await assert.rejects(managed.up(args({ adopt: true })), { message });
  });

  it("a TOTP secret is not generated a second time if the response is lost, and the error's advice works", async () => {
    emulator.faults.add({ ...generate, drop: "after" });
    managed = new FakeEngine(totpSecretDefinition, emulator, { "trivium:secretsMaxRetries": "3" });
    const message = /might now be a TOTP secret .* run `pulumi up` again with `adopt: true`/;
    await assert.rejects(managed.up(args()), { message });
    assert.deepEqual(post(), [generate.path]);
    await managed.up(args({ adopt: true }));
    assertCodesAreRight(outputs(), secrets()[0]);
  });

  it("the error for a TOTP secret that the service rejects has no advice about adoption, and does not show a response without a key", async () => {
    const invalid = /invalid entity ID(?!.*adopt)/;
    await assert.rejects(managed.up(args({ entityId: "nobody" })), { message: invalid });
    await generating((body) => ({ ...body?.data, url: "otpauth://totp/canary?issuer=Acme" }));
    const message = /^(?!.*canary).*Unexpected response to .*: data\.url.*adopt: true/;
    await assert.rejects(managed.up(args()), { message });
  });

  it("a TOTP secret exists as long as its method does, and keeps values that only state has", async () => {
    await managed.up(args({ triggers: { round: 1 } }));
    const before = managed.outputs;
    assert.equal(await managed.refresh(), true);
    assert.deepEqual(managed.outputs, before);
    emulator.secrets.removeTotpMethod(methodId);
    assert.equal(await managed.refresh(), false);
  });

  describe("when it is deleted", () => {
    beforeEach(() => managed.up(args()));

    it("a TOTP secret is destroyed, even if it no longer exists", async () => {
      const { id } = managed;
      await managed.destroy();
      assert.deepEqual(secrets(), []);
      managed.id = id;
      await managed.destroy();
    });

    const none = { ...destroy, status: 404, body: { errors: [] } };
    const otherServer = { service: "secrets", times: 2, status: 404, body: "nothing here" } as const;
    const denied = { ...destroy, status: 403, body: { errors: ["permission denied"] } };
    const invalid =
      /invalid entity ID.*was deleted, its secret was too.*TRIVIUM_ASSUME_GONE=.*pulumi state delete/;
    const outcomes: readonly [string, () => unknown, stays?: RegExp][] = [
      ["the service reports that there is none", () => emulator.faults.add(none)],
      ["its method was deleted", () => emulator.secrets.removeTotpMethod(methodId)],
      ["another server reports that", () => emulator.faults.add(otherServer), /State is unchanged/],
      ["its entity was deleted", () => emulator.secrets.removeEntity(entityId), invalid],
      [
        "the token is not allowed to destroy it",
        () => emulator.faults.add(denied),
        /permission denied(?!.*state delete)/,
      ],
    ];
    for (const [why, prepare, message] of outcomes) {
      it(`a TOTP secret ${message === undefined ? "is destroyed" : "stays in state"} if ${why}`, async () => {
        prepare();
        await (message === undefined ? managed.destroy() : assert.rejects(managed.destroy(), { message }));
      });
    }
  });

  it("a TOTP secret has an ID in which names are encoded, and rejects other IDs", async () => {
    const odd = emulator.secrets.addEntity({ id: "ünder/score" }).id;
    await managed.up(args({ entityId: odd }));
    assert.equal(managed.id, `${methodId}/%C3%BCnder%2Fscore`);
    assert.equal(await managed.refresh(), true);
    await managed.destroy();
    assert.deepEqual(secrets(), []);
    for (const id of ["one/two/three", "one/100%"]) {
      managed.id = id;
      const message = /is not the ID of a TOTP secret; expected <method ID>\/<entity ID>\./;
      await assert.rejects(managed.refresh(), { message });
    }
  });
});
