import assert from "node:assert/strict";
import type { Lifecycle } from "../../../sdk/resource/lifecycle";
import { totpMethodDefinition } from "../../../sdk/secrets/mfa/totp-method";
import { stopServers } from "../../http/server";
import { lifecycleOn, Managed } from "../../support/managed";
import { useEmulator } from "../../support/use-emulator";
import { until } from "../../testing/call";
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
  /** A service whose answers to creations are altered. */
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

  it("is possible twenty times at once where answers name nothing, though all are the same", async () => {
    const settings = await creating(nothing);
    const all = Array.from({ length: 20 }, () => managedMethod(settings));
    await Promise.all(all.map((managed) => managed.up({ issuer: "Acme" })));
    assert.deepEqual(all.map(({ id }) => id).sort(), ids().sort());
    assert.equal(new Set(ids()).size, 20);
  });

  it("never treats an earlier object as its own, although a list was already being read", async () => {
    await managedMethod().up({ issuer: "Acme" });
    const arrived = new Promise<void>((resolve) => {
      const where = (): boolean => {
        resolve();
        return true;
      };
      emulator.faults.add({ ...list, delay: "1h", when: "after", times: 1, where });
    });
    emulator.faults.add({ ...create, drop: "before", times: 2 });
    const other = managedMethod().up({ issuer: "Other" });
    await arrived;
    const somebodys = emulator.secrets.addTotpMethod({ issuer: "Acme", digits: 8 });
    const managed = managedMethod();
    const late = managed.up({ issuer: "Acme", digits: 8 });
    let over = false;
    const ended = Promise.allSettled([other, late]).finally(() => (over = true));
    await until(() => {
      emulator.advance("1h");
      return over;
    });
    const outcomes = await ended;
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ["rejected", "rejected"],
    );
    assert.notEqual(managed.id, somebodys.id);
  });

  it("costs few lists where answers name the method", async () => {
    const settings = await creating((response) => response);
    await managedMethod(settings).up({ issuer: "Acme" });
    emulator.journal.clear();
    await Promise.all(Array.from({ length: 20 }, () => managedMethod(settings).up({ issuer: "Acme" })));
    assert.equal(ids().length, 21);
    assert.equal(emulator.journal.count(list), 1);
  });

  describe("while a list is read that several creations wait for", () => {
    let lifecycle: Lifecycle;

    beforeEach(async () => {
      const settings = await creating((response) => response);
      await managedMethod(settings).up({ issuer: "Acme" });
      emulator.journal.clear();
      lifecycle = lifecycleOn(emulator, totpMethodDefinition, settings);
    });

    /** Holds lists back, until the emulator's clock advances. */
    const delayed = (): Promise<void> =>
      new Promise((resolve) => {
        const where = (): boolean => {
          resolve();
          return true;
        };
        emulator.faults.add({ ...list, delay: "1h", times: 1, where });
      });
    const create = (issuer: string, timeout?: number) =>
      lifecycle.create({ issuer }, timeout === undefined ? {} : { timeout });

    it("goes on when the one that began it has exceeded its time limit", async () => {
      const arrived = delayed();
      const limited = create("limited", 0.5);
      const others = ["one", "two"].map((issuer) => create(issuer));
      await arrived;
      await assert.rejects(limited, { message: /exceeded the 0\.5 s of customTimeouts\. Cancelled while/ });
      emulator.advance("1h");
      const made = await Promise.all(others);
      assert.deepEqual(new Set(made.map(({ outs }) => outs.issuer)), new Set(["one", "two"]));
      assert.equal(emulator.journal.count(list), 1);
    });

    it("is given up when nobody waits any more, and later creations begin another", async () => {
      const arrived = delayed();
      const limited = ["one", "two"].map((issuer) => create(issuer, 0.5));
      await arrived;
      for (const creation of limited) {
        await assert.rejects(creation, { message: /exceeded the 0\.5 s of customTimeouts/ });
      }
      const { outs } = await create("three");
      assert.equal(outs.issuer, "three");
      assert.equal(emulator.journal.count(list), 2);
    });
  });

  describe("whose answer is lost", () => {
    it("adopts the one method that is new and has all its fields", async () => {
      emulator.secrets.addTotpMethod({ issuer: "Acme" });
      const managed = managedMethod();
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
      // One of the two is lost before it is applied; the other is applied, and answered when the first looks around.
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
        /created the TOTP method of the issuer "Acme" without returning its id\. The list of TOTP methods contains no new one/,
    });
  });

  it("leaves nothing behind when the service refuses it", async () => {
    emulator.faults.add({ ...create, status: 400, body: { errors: ["issuer must be set"] } });
    await assert.rejects(managedMethod().up({ issuer: "Acme" }), { message: /issuer must be set/ });
    assert.equal(emulator.journal.count(list), 1);
  });
});
