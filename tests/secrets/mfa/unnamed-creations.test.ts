import assert from "node:assert/strict";
import { messageOf } from "../../../sdk/base/errors";
import { totpMethodDefinition } from "../../../sdk/secrets/mfa/totp-method";
import { stopServers } from "../../http/server";
import { Managed } from "../../support/managed";
import { useEmulator } from "../../support/use-emulator";
import { type AlterableResponse, type Alteration, serviceWith } from "../altered-responses";
import { secretsClientOf } from "../emulated-client";

const path = "/v1/identity/mfa/method/totp";
const create = { method: "POST", path };
const list = { method: "GET", path };

describe("the creation of a TOTP method", () => {
  const emulator = useEmulator();

  afterEach(stopServers);

  const methods = () => emulator.inspect().secrets.totpMethods;
  const ids = (): string[] => methods().map(({ id }) => id);
  const managedMethod = (settings: Readonly<Record<string, string>> = {}): Managed =>
    new Managed(totpMethodDefinition, emulator, settings);
  /** A service whose responses to creations are altered. */
  const creating = (alter: (response: AlterableResponse) => AlterableResponse | undefined) => {
    const alteration: Alteration = ({ method, url }, response) =>
      method === "POST" && url === path ? alter(response) : response;
    return serviceWith(emulator, alteration);
  };
  const named = ({ status }: AlterableResponse, data: AlterableResponse["body"]): AlterableResponse => ({
    status,
    body: data,
  });
  const nothing = (): AlterableResponse => ({ status: 204, body: undefined });
  const cut = (): undefined => undefined;

  for (const [title, alter] of [
    ["as data.method_id", (response: AlterableResponse) => response],
    [
      "as data.id",
      (response: AlterableResponse) => named(response, { data: { id: response.body?.data?.method_id } }),
    ],
    ["not at all", nothing],
    ["with other data", (response: AlterableResponse) => named(response, { data: { type: "totp" } })],
  ] as const) {
    it(`knows the new method where the response names it ${title}`, async () => {
      emulator.secrets.addTotpMethod({ issuer: "Acme" });
      const managed = managedMethod(await creating(alter));
      await managed.up({ issuer: "Acme", digits: 8 });
      assert.deepEqual(
        methods()
          .filter(({ id }) => id === managed.id)
          .map(({ digits }) => digits),
        [8],
      );
    });
  }

  it("is possible twenty times at once where responses name nothing, though all are the same", async () => {
    const settings = await creating(nothing);
    const all = Array.from({ length: 20 }, () => managedMethod(settings));
    await Promise.all(all.map((managed) => managed.up({ issuer: "Acme" })));
    assert.deepEqual(all.map(({ id }) => id).sort(), ids().sort());
    assert.equal(new Set(ids()).size, 20);
  });

  it("lists once for twenty at once where responses name the method, and not again", async () => {
    emulator.secrets.addTotpMethod({ issuer: "Acme" });
    const settings = await creating((response) => response);
    const twenty = () =>
      Promise.all(Array.from({ length: 20 }, () => managedMethod(settings).up({ issuer: "Acme" })));
    await twenty();
    await twenty();
    assert.equal(ids().length, 41);
    assert.equal(emulator.journal.count(list), 1);
  });

  describe("after others, whose response is lost", () => {
    const somebodys = { issuer: "Acme", digits: 8 };

    beforeEach(() => managedMethod().up({ issuer: "Acme" }));

    const rejection = (creation: Promise<unknown>): Promise<string> =>
      creation.then(() => assert.fail("it was created"), messageOf);
    const candidates = (...named: readonly string[]): RegExp =>
      new RegExp(`may nevertheless have been created.* another client's \\(${named.join(", ")}\\), so`);

    it("does not adopt what another client has created since the list", async () => {
      const { id } = emulator.secrets.addTotpMethod(somebodys);
      emulator.secrets.addTotpMethod({ issuer: "Other" });
      emulator.faults.add({ ...create, drop: "before" });
      assert.match(await rejection(managedMethod().up(somebodys)), candidates(id));
    });

    for (const status of [200, 403]) {
      it(`names its own method, if another client may have created it, whether it can be read or not: ${status}`, async () => {
        emulator.faults.add({ ...create, drop: "after" });
        if (status === 403) {
          emulator.faults.add({ method: "GET", path: `${path}/:id`, status, body: { errors: ["no"] } });
        }
        const message = await rejection(managedMethod().up(somebodys));
        assert.match(message, candidates(ids()[1] ?? ""));
      });
    }

    it("names each of two by its arguments", async () => {
      emulator.faults.add({ ...create, drop: "after", times: 2 });
      const issuers = ["One", "Two"];
      const messages = await Promise.all(issuers.map((issuer) => rejection(managedMethod().up({ issuer }))));
      for (const [index, issuer] of issuers.entries()) {
        const { id } = methods().find((method) => method.issuer === issuer) ?? assert.fail(issuer);
        assert.match(messages[index] ?? "", candidates(id));
      }
    });

    it("is followed by one that lists before, and adopts its method", async () => {
      emulator.faults.add({ ...create, drop: "after", times: 2 });
      await rejection(managedMethod().up({ issuer: "Acme" }));
      const managed = managedMethod();
      await managed.up({ issuer: "Acme" });
      assert.equal(managed.id, ids()[2]);
      emulator.journal.clear();
      await managedMethod().up({ issuer: "Acme" });
      assert.equal(emulator.journal.count(list), 1);
      await managedMethod().up({ issuer: "Acme" });
      assert.equal(emulator.journal.count(list), 1);
    });
  });

  describe("whose response is lost", () => {
    it("adopts the one method that is new and has all its fields", async () => {
      emulator.secrets.addTotpMethod({ issuer: "Acme" });
      const managed = managedMethod(await creating((response) => response));
      const fault = emulator.faults.add({ ...create, drop: "after" });
      await managed.up({ issuer: "Acme", period: "1m" });
      assert.equal(fault.hits, 1);
      assert.equal(emulator.journal.count(create), 1);
      assert.equal(methods().find(({ id }) => id === managed.id)?.period, 60);
    });

    it("adopts the new method also if a read returns less than was requested", async () => {
      const settings = await serviceWith(emulator, ({ method, url }, { status, body }) => {
        if (method === "POST" && url === path) {
          return undefined;
        }
        return { status, body: url.startsWith(`${path}/`) ? { data: { issuer: body?.data?.issuer } } : body };
      });
      const managed = managedMethod(settings);
      await managed.up({ issuer: "Acme", digits: 8 });
      assert.deepEqual(ids(), [managed.id]);
    });

    it("is made by the next run when there is no new method", async () => {
      emulator.faults.add({ ...create, drop: "before" });
      const managed = managedMethod();
      await assert.rejects(managed.up({ issuer: "Acme" }), {
        message:
          /Could not create the TOTP method .* The list of TOTP methods contains no new one\. Run `pulumi up` again\. .* a second one may appear: delete the one that is not in state\.$/,
      });
      await managed.up({ issuer: "Acme" });
      assert.equal(ids().length, 1);
    });

    const refuses = async (settings: Readonly<Record<string, string>>, pattern: RegExp): Promise<void> => {
      await assert.rejects(managedMethod(settings).up({ issuer: "Acme" }), ({ message }: Error) => {
        assert.match(message, /Could not create the TOTP method/);
        assert.match(message, pattern);
        for (const id of ids()) {
          assert.ok(message.includes(id), `${id} is named in: ${message}`);
        }
        return true;
      });
    };

    it("adopts none when another new method appears beside it", async () => {
      const settings = await creating(() => {
        emulator.secrets.addTotpMethod({ issuer: "Acme" });
        return undefined;
      });
      await refuses(
        settings,
        /may nevertheless have been created.* so it cannot be identified\. Delete the TOTP methods that are not in use/,
      );
    });

    it("adopts none when the new method has other fields", async () => {
      const settings = await creating(() => {
        emulator.secrets.changeTotpMethod(ids()[0] ?? "", { issuer: "Somebody else" });
        return undefined;
      });
      await refuses(settings, /so it cannot be identified/);
    });

    it("says so when the methods cannot be listed afterwards", async () => {
      const settings = await creating(cut);
      emulator.faults.add({ ...list, skip: 1, status: 400, body: { errors: ["out of order"] } });
      await assert.rejects(managedMethod(settings).up({ issuer: "Acme" }), {
        message:
          /may nevertheless have been created\. The search for it failed: .*out of order.* Delete the TOTP methods that are not in use/,
      });
    });

    it("says so when this token may not list them", async () => {
      const settings = await creating(cut);
      emulator.faults.add({ ...list, times: 2, status: 403, body: { errors: ["permission denied"] } });
      await assert.rejects(managedMethod(settings).up({ issuer: "Acme" }), {
        message: /may nevertheless have been created\. The token may not list the TOTP methods/,
      });
    });

    it("does not adopt what another creation of this process has created meanwhile", async () => {
      const warm = await creating((response) => response);
      await managedMethod(warm).up({ issuer: "Acme" });
      // One of the two is lost before it is applied; the other is applied, and its response arrives when the first looks around.
      emulator.faults.add({ ...create, drop: "before" });
      emulator.faults.add({ ...create, delay: "100ms", when: "after" });
      const both = [managedMethod(warm), managedMethod(warm)];
      const outcomes = await Promise.allSettled(both.map((managed) => managed.up({ issuer: "Acme" })));
      assert.deepEqual(outcomes.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
      assert.equal(ids().length, 2);
    });

    it("finds its method for a moment after Ctrl-C", async () => {
      const settings = await creating(() => {
        controller.abort();
        return undefined;
      });
      const controller = new AbortController();
      const client = secretsClientOf(emulator, { signal: controller.signal }, settings);
      const step = {
        client,
        signal: controller.signal,
        progress: () => undefined,
        announce: () => undefined,
        memory: {},
        managed: new Set<string>(),
      };
      const { id } = await totpMethodDefinition.create(step, { issuer: "Acme" });
      assert.deepEqual(ids(), [id]);
    });
  });

  it("goes on without lists for a token that may not list", async () => {
    emulator.faults.add({ ...list, status: 403, body: { errors: ["permission denied"] } });
    const managed = managedMethod(await creating((response) => response));
    await managed.up({ issuer: "Acme" });
    assert.deepEqual(ids(), [managed.id]);
  });

  it("says what may exist when a response names nothing and no new method is there", async () => {
    const settings = await creating(() => {
      emulator.secrets.removeTotpMethod(ids()[0] ?? "");
      return { status: 204, body: undefined };
    });
    await assert.rejects(managedMethod(settings).up({ issuer: "Acme" }), {
      message:
        /created the TOTP method of the issuer "Acme" without returning its id: POST \/v1\/identity\/mfa\/method\/totp\. The list of TOTP methods contains no new one/,
    });
  });

  it("leaves nothing behind when the service refuses it", async () => {
    emulator.faults.add({ ...create, status: 400, body: { errors: ["issuer must be set"] } });
    await assert.rejects(managedMethod().up({ issuer: "Acme" }), { message: /issuer must be set/ });
    assert.equal(emulator.journal.count(list), 1);
  });
});
