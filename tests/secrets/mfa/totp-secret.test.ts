import assert from "node:assert/strict";
import { totpSecretDefinition } from "../../../sdk/secrets/mfa/totp-secret";
import { stopServers } from "../../http/server";
import { Managed } from "../../support/managed";
import type { Properties } from "../../support/provider-process";
import { useEmulator } from "../../support/use-emulator";
import { readBarcode } from "../../testing/secrets/mfa/read-barcode";
import { serviceWith } from "../altered-responses";
import { assertCodesAreRight } from "./one-time-codes";

const generate = { method: "POST", path: "/v1/identity/mfa/method/totp/admin-generate" };
const destroy = { method: "POST", path: "/v1/identity/mfa/method/totp/admin-destroy" };

describe("secrets.mfa.TotpSecret", () => {
  const emulator = useEmulator();
  let methodId: string;
  let entityId: string;

  beforeEach(() => {
    methodId = emulator.secrets.addTotpMethod({ issuer: "Acme Corporation" }).id;
    entityId = emulator.secrets.addEntity({ name: "alice" }).id;
  });
  afterEach(stopServers);

  const managedSecret = (settings: Readonly<Record<string, string>> = {}): Managed =>
    new Managed(totpSecretDefinition, emulator, settings);
  const args = (more: Properties = {}): Properties => ({ methodId, entityId, ...more });
  const secrets = () => emulator.inspect().secrets.totpSecrets;
  const outputsOf = ({ outputs }: Managed) => outputs as { url: string; barcode: string; secret: string };

  for (const parameters of [{}, { algorithm: "SHA512", digits: 8, period: 60, keySize: 64 } as const]) {
    it(`enrols an authenticator whose codes the service takes: ${JSON.stringify(parameters)}`, async () => {
      emulator.secrets.changeTotpMethod(methodId, { ...parameters, qrSize: 400 });
      const managed = managedSecret();
      await managed.up(args());
      assert.equal(managed.id, `${methodId}/${entityId}`);
      const { url, barcode, secret } = outputsOf(managed);
      const [stored] = secrets();
      assert.deepEqual([url, secret], [stored?.url, stored?.key]);
      assert.equal(readBarcode(barcode).text, url);
      assertCodesAreRight({ url, secret }, stored);
      assert.equal(await managed.up(args()), "same");
    });
  }

  for (const barcode of [null, undefined]) {
    it(`is not lost if the barcode is missing: ${barcode}`, async () => {
      const settings = await serviceWith(emulator, ({ url }, { status, body }) => ({
        status,
        body: url === generate.path ? { data: { ...body?.data, barcode } } : body,
      }));
      const managed = managedSecret(settings);
      await managed.up(args());
      const { url, barcode: none } = outputsOf(managed);
      assert.deepEqual([none, url], ["", secrets()[0]?.url]);
    });
  }

  it("is rotated, by destroying it and then generating another", async () => {
    const managed = managedSecret();
    await managed.up(args({ triggers: { round: 1 } }));
    const former = outputsOf(managed).secret;
    assert.equal(await managed.up(args({ triggers: { round: 2 } })), "replaced");
    const [stored, ...others] = secrets();
    assert.deepEqual(others, []);
    assert.notEqual(stored?.key, former);
    assert.equal(outputsOf(managed).secret, stored?.key);
    assert.deepEqual(
      emulator.journal.requests({ method: "POST" }).map(({ path }) => path),
      [generate.path, destroy.path, generate.path],
    );
  });

  describe("that exists already", () => {
    it("is refused with a way out, and stays", async () => {
      const existing = emulator.secrets.addTotpSecret(methodId, entityId);
      await assert.rejects(managedSecret().up(args()), ({ message }: Error) => {
        assert.ok(message.includes(`TotpSecret already exists (id ${methodId}/${entityId})`), message);
        assert.match(
          message,
          /Nothing was changed\. To destroy it and generate a new one, set `adopt: true`/,
        );
        return true;
      });
      assert.deepEqual(secrets(), [existing]);
      assert.equal(emulator.journal.count(destroy), 0);
    });

    it("is destroyed and generated again when adopt is set", async () => {
      const existing = emulator.secrets.addTotpSecret(methodId, entityId);
      const managed = managedSecret();
      await managed.up(args({ adopt: true }));
      const [stored, ...others] = secrets();
      assert.deepEqual(others, []);
      assert.notEqual(stored?.key, existing.key);
      assertCodesAreRight(outputsOf(managed), stored);
      assert.equal(await managed.up(args()), "same");
    });

    for (const data of [{}, { barcode: "", url: "" }, { barcode: null, url: null }]) {
      it(`is what a response says that has no key in it: ${JSON.stringify(data)}`, async () => {
        emulator.secrets.addTotpSecret(methodId, entityId);
        const settings = await serviceWith(emulator, ({ url }, { status, body }) => ({
          status,
          body: url === generate.path ? { data: body?.data ?? data } : body,
        }));
        await assert.rejects(managedSecret(settings).up(args()), { message: /already exists/ });
        await managedSecret(settings).up(args({ adopt: true }));
        assert.equal(secrets().length, 1);
      });
    }

    it("again although it was destroyed: somebody else uses it, and a warning says so", async () => {
      emulator.secrets.addTotpSecret(methodId, entityId);
      const settings = await serviceWith(emulator, ({ url }, response) => {
        if (url === destroy.path) {
          emulator.secrets.addTotpSecret(methodId, entityId);
        }
        return response;
      });
      await assert.rejects(managedSecret(settings).up(args({ adopt: true })), {
        message: /It was destroyed, but another client has generated a new one since/,
      });
    });
  });

  describe("whose response is lost", () => {
    it("is not generated a second time; the error says how to go on, and that works", async () => {
      emulator.faults.add({ ...generate, drop: "after" });
      const managed = managedSecret({ "trivium:secretsMaxRetries": "3" });
      await assert.rejects(managed.up(args()), ({ message }: Error) => {
        assert.match(message, /may now have a TOTP secret .* run `pulumi up` again with `adopt: true`/);
        return true;
      });
      assert.equal(emulator.journal.count(generate), 1);
      await assert.rejects(managed.up(args()), { message: /already exists/ });
      await managed.up(args({ adopt: true }));
      assert.equal(secrets().length, 1);
      assertCodesAreRight(outputsOf(managed), secrets()[0]);
    });

    it("says nothing of that when the service has refused it", async () => {
      await assert.rejects(managedSecret().up(args({ entityId: "nobody" })), ({ message }: Error) => {
        assert.match(message, /invalid entity ID/);
        assert.doesNotMatch(message, /adopt/);
        return true;
      });
    });

    it("or has no key in it fails without showing it", async () => {
      const settings = await serviceWith(emulator, ({ url }, { status, body }) =>
        url === generate.path
          ? { status, body: { data: { ...body?.data, url: "otpauth://totp/canary?issuer=Acme" } } }
          : { status, body },
      );
      await assert.rejects(managedSecret(settings).up(args()), ({ message }: Error) => {
        assert.match(message, /Unexpected response to .*: data\.url.*adopt: true/);
        assert.doesNotMatch(message, /canary/);
        return true;
      });
    });
  });

  describe("when it is read", () => {
    it("is there as long as its method is, and keeps what only state knows", async () => {
      const managed = managedSecret();
      await managed.up(args({ triggers: { round: 1 } }));
      const before = managed.outputs;
      assert.equal(await managed.refresh(), true);
      assert.deepEqual(managed.outputs, before);
      assert.equal(await managed.up(args({ triggers: { round: 1 } })), "same");
      emulator.secrets.removeTotpMethod(methodId);
      assert.equal(await managed.refresh(), false);
    });
  });

  describe("when it is deleted", () => {
    it("is destroyed, also if it is gone already", async () => {
      const managed = managedSecret();
      await managed.up(args());
      const { id } = managed;
      await managed.destroy();
      assert.deepEqual(secrets(), []);
      managed.id = id;
      await managed.destroy();
    });

    it("is gone where the service says that there is none", async () => {
      const managed = managedSecret();
      await managed.up(args());
      emulator.faults.add({ ...destroy, status: 404, body: { errors: [] } });
      await managed.destroy();
    });

    it("is not gone where another server says that", async () => {
      const managed = managedSecret();
      await managed.up(args());
      emulator.faults.add({ service: "secrets", times: 2, status: 404, body: "nothing here" });
      await assert.rejects(managed.destroy(), { message: /State is unchanged/ });
    });

    it("is gone with its method", async () => {
      const managed = managedSecret();
      await managed.up(args());
      emulator.secrets.removeTotpMethod(methodId);
      await managed.destroy();
      assert.equal(emulator.journal.count(destroy), 1);
    });

    it("while its entity is gone says how to forget it", async () => {
      const managed = managedSecret();
      await managed.up(args());
      emulator.secrets.removeEntity(entityId);
      await assert.rejects(managed.destroy(), {
        message: /invalid entity ID.*was deleted, its secret was too.*pulumi state delete/,
      });
    });

    it("by who may not do that keeps state", async () => {
      const managed = managedSecret();
      await managed.up(args());
      emulator.faults.add({ ...destroy, status: 403, body: { errors: ["permission denied"] } });
      await assert.rejects(managed.destroy(), ({ message }: Error) => {
        assert.match(message, /permission denied/);
        assert.doesNotMatch(message, /state delete/);
        return true;
      });
    });
  });

  it("has an id in which names are encoded, and refuses others", async () => {
    const managed = managedSecret();
    const odd = emulator.secrets.addEntity({ id: "ünder/score" }).id;
    await managed.up(args({ entityId: odd }));
    assert.equal(managed.id, `${methodId}/%C3%BCnder%2Fscore`);
    assert.equal(await managed.refresh(), true);
    await managed.destroy();
    assert.deepEqual(secrets(), []);
    for (const id of ["one/two/three", "one/100%"]) {
      managed.id = id;
      await assert.rejects(managed.refresh(), {
        message: /is not the id of a TOTP secret; expected <method id>\/<entity id>\./,
      });
    }
  });
});
