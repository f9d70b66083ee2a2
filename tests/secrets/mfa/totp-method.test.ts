import assert from "node:assert/strict";
import { z } from "zod";
import { checkArguments } from "../../../sdk/resource/lifecycle/check";
import type { Dialect } from "../../../sdk/base/settings";
import { PartialSuccessError } from "../../../sdk/engine/calls";
import { totpMethodDefinition } from "../../../sdk/secrets/mfa/totp-method";
import { stopServers } from "../../http/server";
import { Managed } from "../../support/managed";
import type { Properties } from "../../support/provider-process";
import { useEmulator } from "../../support/use-emulator";
import { serviceWith } from "../altered-responses";

const update = { method: "POST", path: "/v1/identity/mfa/method/totp/:id" };
const defaults = {
  issuer: "Acme",
  period: 30,
  keySize: 20,
  qrSize: 200,
  algorithm: "SHA1",
  digits: 6,
  skew: 1,
  maxValidationAttempts: 5,
};

describe("secrets.mfa.TotpMethod", () => {
  const emulator = useEmulator();

  afterEach(stopServers);

  const managedMethod = (settings: Readonly<Record<string, string>> = {}): Managed =>
    new Managed(totpMethodDefinition, emulator, settings);
  const methods = () => emulator.inspect().secrets.totpMethods;
  const settings = () => {
    const [{ id, ...rest } = assert.fail("there is no method")] = methods();
    return rest;
  };

  it("is made with what the program says, and told of in full", async () => {
    const managed = managedMethod();
    await managed.up({ issuer: "Acme" });
    assert.equal(managed.id, methods()[0]?.id);
    assert.deepEqual(settings(), defaults);
    const { __managed, __at, ...outputs } = managed.outputs;
    assert.deepEqual(outputs, { ...defaults, type: "totp", namespace: "root" });
    assert.equal(await managed.up({ issuer: "Acme" }), "same");
  });

  it("is not read out of a response about another one", async () => {
    const altered = await serviceWith(emulator, ({ method }, { status, body }) =>
      method === "GET" && body?.data
        ? { status, body: { ...body, data: { ...body.data, id: "another" } } }
        : { status, body },
    );
    const managed = managedMethod(altered);
    managed.id = emulator.secrets.addTotpMethod({ issuer: "Acme" }).id;
    await assert.rejects(managed.refresh(), { message: /data\.id: expected / });
  });

  const changed = {
    issuer: "Acme Corporation",
    period: "1m",
    keySize: 32,
    qrSize: 0,
    algorithm: "SHA256",
    digits: 8,
    skew: 0,
    maxValidationAttempts: 3,
  };
  for (const [argument, value] of Object.entries(changed)) {
    const wire = argument === "period" ? 60 : value;

    it(`is sent as a whole when ${argument} changes, so that the rest stays`, async () => {
      const managed = managedMethod();
      const custom = { issuer: "Acme", period: 45, keySize: 25, qrSize: 300, maxValidationAttempts: 7 };
      await managed.up(custom);
      assert.equal(await managed.up({ ...custom, [argument]: value }), "updated");
      assert.deepEqual(settings(), { ...defaults, ...custom, [argument]: wire });
      const [request] = emulator.journal.requests(update);
      assert.equal(Object.keys(request?.body as object).length, 8);
    });

    if (argument !== "issuer") {
      it(`gets the documented default of ${argument} back when it is removed`, async () => {
        const managed = managedMethod();
        await managed.up({ issuer: "Acme", [argument]: value });
        assert.equal(await managed.up({ issuer: "Acme" }), "updated");
        assert.deepEqual(settings(), defaults);
        await managed.refresh();
        assert.equal(await managed.up({ issuer: "Acme" }), "same");
      });
    }
  }

  it("reads a period in words", async () => {
    const managed = managedMethod(
      await serviceWith(emulator, ({ method }, { status, body }) => ({
        status,
        body: body?.data && method === "GET" ? { data: { ...body.data, period: "30s" } } : body,
      })),
    );
    await managed.up({ issuer: "Acme", period: 30 });
    assert.equal(managed.outputs.period, 30);
    assert.equal(await managed.up({ issuer: "Acme", period: 30 }), "same");
  });

  describe("that somebody else deletes", () => {
    it("while it is updated is noticed too, although the service reports success", async () => {
      const managed = managedMethod(
        await serviceWith(emulator, ({ method, url }, response) => {
          if (method === "POST" && !url.endsWith("/totp")) {
            emulator.secrets.removeTotpMethod(methods()[0]?.id ?? "");
          }
          return response;
        }),
      );
      await managed.up({ issuer: "Acme" });
      await assert.rejects(managed.up({ issuer: "Other" }), (error: Error) => {
        assert.match(error.message, /was written, but no longer exists: .* Run `pulumi refresh`/);
        assert.ok(!(error instanceof PartialSuccessError), "state does not say that it was updated");
        return true;
      });
    });
  });

  it("is not deleted while a login enforcement uses it: the error says so, state is kept", async () => {
    const managed = managedMethod();
    await managed.up({ issuer: "Acme" });
    const enforcement = emulator.secrets.addEnforcement({ methodIds: [managed.id ?? ""] });
    await assert.rejects(managed.destroy(), ({ message }: Error) => {
      assert.ok(message.includes(`still used by an enforcement configuration with ID: ${enforcement.id}`));
      assert.match(message, /remove it from the enforcement first\.$/);
      return true;
    });
    assert.notEqual(managed.id, undefined);
    emulator.secrets.removeEnforcement(enforcement.id);
    await managed.destroy();
    assert.deepEqual(methods(), []);
  });

  const refusals: readonly [Properties, string][] = [
    [{ issuer: "" }, "issuer must not be empty"],
    [{ digits: 7 }, "digits must be one of 6, 8"],
    [{ skew: 2 }, "skew must be one of 0, 1"],
    [{ algorithm: "MD5" }, 'algorithm must be one of "SHA1", "SHA256", "SHA512"'],
    [{ period: "1.5s" }, "period must be a whole number of seconds"],
    [{ period: "soon" }, 'period must be a duration such as 30, "30s" or "1h30m"'],
    [{ qrSize: 1.5 }, "qrSize must be a whole number"],
  ];
  const doubtful: readonly [Properties, string, boolean][] = [
    [{ period: 0 }, "period is less than 1", true],
    [{ period: "0s" }, "period is less than 1", true],
    [{ keySize: 0 }, "keySize is less than 1", true],
    [{ qrSize: -1 }, "qrSize is less than 0", false],
    [{ maxValidationAttempts: 0 }, "maxValidationAttempts is less than 1", false],
  ];
  for (const [args, warning, refusedThere] of doubtful) {
    it(`is warned about where the documents name no limit: ${JSON.stringify(args)}`, () => {
      const judge = (dialect: Dialect) =>
        checkArguments(totpMethodDefinition, z, dialect, { issuer: "Acme", ...args });
      assert.deepEqual(judge("documented"), {
        failures: [],
        warnings: [`${warning}, which is unlikely to work`],
      });
      assert.equal(judge("hashicorp").failures.length, refusedThere ? 1 : 0);
    });
  }
  for (const [wrong, problem] of refusals) {
    it(`is refused without a request: ${JSON.stringify(wrong)}`, async () => {
      assert.deepEqual(await managedMethod().problems({ issuer: "Acme", ...wrong }), [problem]);
      assert.equal(emulator.journal.count(), 0);
    });
  }
});
