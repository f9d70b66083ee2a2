import assert from "node:assert/strict";
import { messageOf } from "../../../sdk/base/errors";
import type { Fault } from "../../../sdk/testing/types";
import { decodeProgram } from "../../../sdk/resource/state/encoding";
import { totpMethodDefinition } from "../../../sdk/secrets/mfa/totp-method";
import { stopServers } from "../../http/server";
import { type AlterableResponse, reading, serviceWith } from "../../secrets/altered-responses";
import { FakeEngine, lifecycleOn } from "../../support/fake-engine";
import { useEmulator } from "../../support/use-emulator";

const path = "/v1/identity/mfa/method/totp";
const create = { method: "POST", path };
const list = { method: "GET", path };
const acme = { issuer: "Acme" };
const eight = { issuer: "Acme", digits: 8 };

// A TOTP method has no name to be found by: its creation compares the lists before and after it.
describe("the creation of an object without a name", () => {
  const emulator = useEmulator();
  afterEach(stopServers);

  type Alteration = (response: AlterableResponse) => AlterableResponse | undefined;
  /** A service whose responses to creations are altered. */
  const creating = (alter: Alteration): Promise<Record<string, string>> =>
    serviceWith(emulator, ({ method, url }, response) =>
      method === "POST" && url === path ? alter(response) : response,
    );
  const unaltered: Alteration = (response) => response;
  const nothing: Alteration = () => ({ status: 204, body: undefined });
  const cut: Alteration = () => undefined;
  const engine = (settings: Readonly<Record<string, string>> = {}): FakeEngine =>
    new FakeEngine(totpMethodDefinition, emulator, settings);
  const methods = () => emulator.inspect().secrets.totpMethods;
  const ids = (): string[] => methods().map(({ id }) => id);
  const rejection = (creation: Promise<unknown>): Promise<string> =>
    creation.then(() => assert.fail("it was created"), messageOf);

  const onlyIssuer = reading(({ issuer }) => ({ issuer }));
  const lostWithLessRead: typeof onlyIssuer = (request, response) =>
    request.method === "POST" ? undefined : onlyIssuer(request, response);
  const ofId: Alteration = ({ status, body }) => ({ status, body: { data: { id: body?.data?.method_id } } });
  const found: readonly [what: string, alter: Alteration | undefined][] = [
    ["the response names it as data.method_id", unaltered],
    ["the response names it as data.id", ofId],
    ["the response is empty", nothing],
    ["the response has other data", ({ status }) => ({ status, body: { data: { type: "totp" } } })],
    ["the response is lost", cut],
    ["the response is lost, and a read returns less than was requested", undefined],
  ];
  for (const [what, alter] of found) {
    it(`the creation of an object without a name finds the new object once if ${what}`, async () => {
      emulator.secrets.addTotpMethod(acme);
      const settings = await (alter === undefined
        ? serviceWith(emulator, lostWithLessRead)
        : creating(alter));
      const managed = engine(settings);
      emulator.journal.clear();
      await managed.up(eight);
      assert.equal(emulator.journal.count(create), 1);
      const { digits } = methods().find(({ id }) => id === managed.id) ?? assert.fail();
      assert.equal(digits, 8);
    });
  }

  for (const [what, alter, lists] of [
    ["name each object: one list serves all", unaltered, 1],
    ["name nothing, although all objects are identical", nothing, 40],
  ] as const) {
    it(`twenty creations of objects without a name each get their own object if responses ${what}`, async () => {
      const altered = await creating(alter);
      const all = Array.from({ length: 20 }, () => engine(altered));
      await Promise.all(all.map((managed) => managed.up(acme)));
      assert.deepEqual(all.map(({ id }) => id).sort(), ids().sort());
      assert.equal(new Set(ids()).size, 20);
      assert.equal(emulator.journal.count(list), lists);
    });
  }

  it("the creation of an object without a name does not require a list if the token is not allowed to list", async () => {
    emulator.faults.add({ ...list, status: 403, body: { errors: ["permission denied"] } });
    const managed = engine(await creating(unaltered));
    await managed.up(acme);
    assert.deepEqual(ids(), [managed.id]);
  });

  it("the creation of an object without a name leaves nothing behind if the service rejects it", async () => {
    emulator.faults.add({ ...create, status: 400, body: { errors: ["issuer must be set"] } });
    assert.match(await rejection(engine(await creating(unaltered)).up(acme)), /issuer must be set/);
    assert.equal(emulator.journal.count(list), 1);
  });

  it("the creation of an object without a name still finds its object shortly after Ctrl-C", async () => {
    const controller = new AbortController();
    const settings = await creating(() => {
      controller.abort();
      return undefined;
    });
    const { lifecycle } = lifecycleOn(emulator, totpMethodDefinition, settings);
    const { id, failure } = await lifecycle.create(decodeProgram(acme), { signal: controller.signal });
    assert.match(failure ?? "", /was written, but reading it back failed: .*anceled/);
    assert.deepEqual(ids(), [id]);
  });

  const changeNew: Alteration = () =>
    void emulator.secrets.changeTotpMethod(ids()[0] ?? "", { issuer: "Somebody else" });
  const removeNew = (response: AlterableResponse, then: Alteration): AlterableResponse | undefined => {
    emulator.secrets.removeTotpMethod(ids()[0] ?? "");
    return then(response);
  };
  const notFound = /[Ll]ooking for it failed: .*out of order.* Delete the TOTP methods that are not in use/;
  const notListed = /might still have been created\. The token is not allowed to list the TOTP methods/;
  const unsure: readonly [string, Alteration, RegExp, fault?: Fault][] = [
    [
      "a second new one appears",
      () => void emulator.secrets.addTotpMethod(acme),
      /might still have been created.* cannot be identified\. Delete the TOTP methods that are not in use/,
    ],
    ["the new one has other settings", changeNew, /cannot be identified/],
    [
      "there is no new one",
      (response) => removeNew(response, cut),
      /contains no new one\. Run `pulumi up` again\. .* a second one might appear: delete the one that is not in state\.$/,
    ],
    [
      "a response names nothing and there is no new one",
      (response) => removeNew(response, nothing),
      /created the TOTP method of the issuer "Acme" without returning its ID: .* The list of TOTP methods contains no new one/,
    ],
    [
      "they cannot be listed afterwards",
      cut,
      notFound,
      { skip: 1, status: 400, body: { errors: ["out of order"] } },
    ],
    [
      "the token is not allowed to list them",
      cut,
      notListed,
      { times: 2, status: 403, body: { errors: ["denied"] } },
    ],
  ];
  for (const [what, alter, pattern, fault] of unsure) {
    it(`the creation of an object without a name adopts none, and says what might exist, if ${what}`, async () => {
      if (fault !== undefined) {
        emulator.faults.add({ ...list, ...fault });
      }
      const message = await rejection(engine(await creating(alter)).up(acme));
      assert.match(message, pattern);
      if (message.includes("identified")) {
        ids().forEach((id) => assert.ok(message.includes(id), message));
      }
    });
  }

  describe("after others", () => {
    beforeEach(() => engine().up(acme));

    const candidates = (...named: readonly string[]): RegExp =>
      new RegExp(`might still have been created.* another client's \\(${named.join(", ")}\\), so`);

    it("a lost creation does not adopt an object that another client has created since the list", async () => {
      const { id } = emulator.secrets.addTotpMethod(eight);
      emulator.secrets.addTotpMethod({ issuer: "Other" });
      emulator.faults.add({ ...create, drop: "before" });
      assert.match(await rejection(engine().up(eight)), candidates(id));
    });

    it("a lost creation does not adopt an object that this process creates in the meantime", async () => {
      // One of the two is lost before it is applied; the other's response arrives when the first looks around.
      emulator.faults.add({ ...create, drop: "before" });
      emulator.faults.add({ ...create, delay: "100ms", when: "after" });
      const outcomes = await Promise.allSettled([engine(), engine()].map((managed) => managed.up(acme)));
      assert.deepEqual(outcomes.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
      assert.equal(ids().length, 2);
    });

    it("a lost creation names its object even if it cannot be read", async () => {
      emulator.faults.add({ ...create, drop: "after" });
      emulator.faults.add({ ...list, path: `${path}/:id`, status: 403, body: { errors: ["no"] } });
      assert.match(await rejection(engine().up(eight)), candidates(ids()[1] ?? ""));
    });

    it("each of two lost creations names its object by its arguments", async () => {
      emulator.faults.add({ ...create, drop: "after", times: 2 });
      const issuers = ["One", "Two"];
      const messages = await Promise.all(issuers.map((issuer) => rejection(engine().up({ issuer }))));
      for (const [index, issuer] of issuers.entries()) {
        const { id } = methods().find((method) => method.issuer === issuer) ?? assert.fail(issuer);
        assert.match(messages[index] ?? "", candidates(id));
      }
    });

    it("the creation after a lost one lists objects first, and adopts its own object", async () => {
      emulator.faults.add({ ...create, drop: "after", times: 2 });
      await rejection(engine().up(acme));
      const managed = engine();
      await managed.up(acme);
      assert.equal(managed.id, ids()[2]);
      emulator.journal.clear();
      await engine().up(acme);
      await engine().up(acme);
      assert.equal(emulator.journal.count(list), 1);
    });
  });
});
