import assert from "node:assert/strict";
import { z } from "zod";
import { messageOf } from "../../../sdk/base/errors";
import type { Dialect } from "../../../sdk/base/settings";
import { PartialSuccessError } from "../../../sdk/engine/reports";
import { checkArguments } from "../../../sdk/resource/lifecycle/check";
import { PartialWriteError } from "../../../sdk/resource/lifecycle/object";
import { decodeProgram } from "../../../sdk/resource/state/encoding";
import { totpMethodDefinition } from "../../../sdk/secrets/mfa/totp-method";
import { stopServers } from "../../http/server";
import { lifecycleOn, FakeEngine } from "../../support/fake-engine";
import { useEmulator } from "../../support/use-emulator";
import { type AlterableResponse, reading, serviceWith } from "../altered-responses";
import { hashicorp, secretsClientOf } from "../emulated-client";

const path = "/v1/identity/mfa/method/totp";
const create = { method: "POST", path };
const list = { method: "GET", path };
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

describe("TOTP methods of the namespaces above, in the hashicorp dialect", () => {
  const emulator = useEmulator({ dialect: "hashicorp" });
  afterEach(stopServers);

  const listed = async (namespace: string): Promise<readonly string[]> => {
    const key_info = {
      "1a": { namespace_path: "" },
      "1b": { namespace_path: "team/" },
      "1c": { namespace_path: "team/sub/" },
      "1d": {},
    };
    const address = await serviceWith(emulator, ({ url }, response) =>
      url.endsWith("?list=true")
        ? { status: 200, body: { data: { keys: Object.keys(key_info), key_info } } }
        : response,
    );
    const settings = { ...hashicorp, ...address, "trivium:secretsNamespace": namespace };
    return totpMethodDefinition.importedBy?.ids(secretsClientOf(emulator, {}, settings), "", "mfa") ?? [];
  };

  it("the TOTP methods of a namespace above are not among those of the connection", async () => {
    assert.deepEqual(await listed("team/"), ["1b", "1d"]);
    assert.deepEqual(await listed("root"), ["1a", "1d"]);
  });

  for (const [what, status, act] of [
    ["change", 400, (method: FakeEngine) => method.up({ issuer: "Other" })],
    ["deletion", 500, (method: FakeEngine) => method.destroy()],
  ] as const) {
    it(`the TOTP methods of a namespace above have an error with fitting advice after a ${what}`, async () => {
      const method = await FakeEngine.create(totpMethodDefinition, emulator, { issuer: "Acme" }, hashicorp);
      const body = {
        errors: ["1 error occurred:\n\t* request namespace does not match method namespace\n\n"],
      };
      emulator.faults.add({ method: what === "change" ? "POST" : "DELETE", status, body });
      await assert.rejects(async () => act(method), {
        message: /does not match method namespace.*belongs to another namespace(?!.*enforcement)/,
      });
    });
  }
});

describe("secrets.mfa.TotpMethod", () => {
  const emulator = useEmulator();

  afterEach(stopServers);

  const managedMethod = (settings: Readonly<Record<string, string>> = {}): FakeEngine =>
    new FakeEngine(totpMethodDefinition, emulator, settings);
  const methods = () => emulator.inspect().secrets.totpMethods;
  const ids = (): string[] => methods().map(({ id }) => id);
  const settings = () => {
    const [{ id, ...rest } = assert.fail("there is no method")] = methods();
    return rest;
  };

  it("a TOTP method has the documented defaults, and outputs for all settings", async () => {
    const managed = await FakeEngine.create(totpMethodDefinition, emulator, { issuer: "Acme" });
    assert.equal(managed.id, methods()[0]?.id);
    assert.deepEqual(settings(), defaults);
    const { __managed, __at, ...outputs } = managed.outputs;
    assert.deepEqual(outputs, { ...defaults, type: "totp", namespace: "root" });
  });

  it("a TOTP method sends all settings with an update, so that the service keeps those that are not in the program", async () => {
    const managed = await FakeEngine.create(totpMethodDefinition, emulator, { issuer: "Acme" });
    emulator.secrets.changeTotpMethod(managed.id ?? "", { keySize: 25 });
    assert.equal(await managed.up({ issuer: "Acme", digits: 8 }), "updated");
    assert.deepEqual(settings(), { ...defaults, keySize: 25, digits: 8 });
  });

  it("a TOTP method reads a period with a unit", async () => {
    const managed = managedMethod(
      await serviceWith(
        emulator,
        reading((data) => ({ ...data, period: "30s" })),
      ),
    );
    await managed.up({ issuer: "Acme", period: 30 });
    assert.equal(managed.outputs.period, 30);
    assert.equal(await managed.up({ issuer: "Acme", period: 30 }), "same");
  });

  it("a TOTP method is not recorded as updated if another client deletes it meanwhile, although the service reports success", async () => {
    const managed = managedMethod(
      await serviceWith(emulator, ({ method, url }, response) => {
        if (method === "POST" && url !== path) {
          emulator.secrets.removeTotpMethod(ids()[0] ?? "");
        }
        return response;
      }),
    );
    await managed.up({ issuer: "Acme" });
    await assert.rejects(managed.up({ issuer: "Other" }), (error: Error) => {
      assert.match(error.message, /was written, but no longer exists: .* Run `pulumi refresh`/);
      return !(error instanceof PartialSuccessError);
    });
    assert.equal(managed.outputs.issuer, "Acme");
  });

  it("a TOTP method is not deleted while a login enforcement uses it: the error says so, state is kept", async () => {
    const managed = await FakeEngine.create(totpMethodDefinition, emulator, { issuer: "Acme" });
    const enforcement = emulator.secrets.addEnforcement({ methodIds: [managed.id ?? ""] });
    await assert.rejects(managed.destroy(), ({ message }: Error) => {
      assert.ok(message.includes(`still used by an enforcement configuration with ID: ${enforcement.id}`));
      assert.match(message, /remove it from the enforcement first\.$/);
      return true;
    });
    emulator.secrets.removeEnforcement(enforcement.id);
    await managed.destroy();
    assert.deepEqual(methods(), []);
  });

  it("a TOTP method refuses what the documentation does not allow, without a request", async () => {
    const wrong = { issuer: "", digits: 7, skew: 2, algorithm: "MD5", period: 1.5, qrSize: 1.5 };
    const found = (await managedMethod().problems(wrong)).toSorted();
    assert.deepEqual(found, [
      'algorithm must be one of "SHA1", "SHA256", "SHA512"',
      "digits must be one of 6, 8",
      "issuer must not be empty",
      "period must be a whole number of seconds, or have a unit",
      "qrSize must be a whole number",
      "skew must be one of 0, 1",
    ]);
    assert.equal(emulator.journal.count(), 0);
  });

  it("a TOTP method warns of an issuer that services do not escape, and of no other", () => {
    const warningsOf = (issuer: string) =>
      checkArguments(totpMethodDefinition, z, "documented", { issuer }).warnings;
    for (const sign of "$&+,/:;=@") {
      assert.match(String(warningsOf(`Acme${sign}Sons`)), /^issuer contains one of .* show another issuer$/);
    }
    assert.deepEqual(["Acme Sons", "Äcme-1_2.~", "100% #1?"].flatMap(warningsOf), []);
  });

  it("a TOTP method warns of numbers that are unlikely to work, of which the products refuse two", () => {
    const args = { issuer: "Acme", period: "0s", keySize: 0, qrSize: -1, maxValidationAttempts: 0 };
    const check = (dialect: Dialect) => checkArguments(totpMethodDefinition, z, dialect, args);
    const actual = check("documented");
    assert.deepEqual(actual, {
      failures: [],
      warnings: ["period is less than 1", "keySize is less than 1", "qrSize is less than 0"]
        .concat("maxValidationAttempts is less than 1")
        .map((warning) => `${warning}, which is unlikely to work`),
    });
    const properties = check("hashicorp").failures.map(({ property }) => property);
    assert.deepEqual(properties, ["period", "keySize"]);
  });

  type Alteration = (response: AlterableResponse) => AlterableResponse | undefined;
  /** A service whose responses to creations are altered. */
  const creating = (alter: Alteration): Promise<Record<string, string>> =>
    serviceWith(emulator, ({ method, url }, response) =>
      method === "POST" && url === path ? alter(response) : response,
    );
  const unaltered: Alteration = (response) => response;
  const nothing: Alteration = () => ({ status: 204, body: undefined });
  const cut: Alteration = () => undefined;
  const rejection = (creation: Promise<unknown>): Promise<string> =>
    creation.then(() => assert.fail("it was created"), messageOf);

  const responses: readonly [string, Alteration][] = [
    ["as data.method_id", unaltered],
    ["as data.id", ({ status, body }) => ({ status, body: { data: { id: body?.data?.method_id } } })],
    ["not at all", nothing],
    ["not, in other data", ({ status }) => ({ status, body: { data: { type: "totp" } } })],
  ];
  for (const [title, alter] of responses) {
    it(`the creation of a TOTP method finds the new method where the response names it ${title}`, async () => {
      emulator.secrets.addTotpMethod({ issuer: "Acme" });
      const managed = managedMethod(await creating(alter));
      await managed.up({ issuer: "Acme", digits: 8 });
      assert.equal(methods().find(({ id }) => id === managed.id)?.digits, 8);
    });
  }

  for (const [title, alter, lists] of [
    ["name the method: one list serves all", unaltered, 1],
    ["name nothing, although all are the same", nothing, 40],
  ] as const) {
    it(`the creation of a TOTP method creates twenty at once where responses ${title}`, async () => {
      const altered = await creating(alter);
      const all = Array.from({ length: 20 }, () => managedMethod(altered));
      await Promise.all(all.map((managed) => managed.up({ issuer: "Acme" })));
      assert.deepEqual(all.map(({ id }) => id).sort(), ids().sort());
      assert.equal(new Set(ids()).size, 20);
      assert.equal(emulator.journal.count(list), lists);
    });
  }

  it("the creation of a TOTP method needs no list for a token that may not list", async () => {
    emulator.faults.add({ ...list, status: 403, body: { errors: ["permission denied"] } });
    const managed = managedMethod(await creating(unaltered));
    await managed.up({ issuer: "Acme" });
    assert.deepEqual(ids(), [managed.id]);
  });

  it("the creation of a TOTP method leaves nothing behind when the service refuses it", async () => {
    emulator.faults.add({ ...create, status: 400, body: { errors: ["issuer must be set"] } });
    const managed = managedMethod(await creating(unaltered));
    await assert.rejects(managed.up({ issuer: "Acme" }), { message: /issuer must be set/ });
    assert.equal(emulator.journal.count(list), 1);
  });

  it("the creation of a TOTP method adopts the one new method with its settings when the response is lost", async () => {
    emulator.secrets.addTotpMethod({ issuer: "Acme" });
    const managed = managedMethod(await creating(unaltered));
    emulator.faults.add({ ...create, drop: "after" });
    await managed.up({ issuer: "Acme", period: "1m" });
    assert.equal(emulator.journal.count(create), 1);
    assert.equal(methods().find(({ id }) => id === managed.id)?.period, 60);
  });

  it("the creation of a TOTP method adopts the new method also if a read returns less than was requested", async () => {
    const onlyIssuer = reading(({ issuer }) => ({ issuer }));
    const managed = managedMethod(
      await serviceWith(emulator, (request, response) =>
        request.method === "POST" ? undefined : onlyIssuer(request, response),
      ),
    );
    await managed.up({ issuer: "Acme", digits: 8 });
    assert.deepEqual(ids(), [managed.id]);
  });

  it("the creation of a TOTP method finds its method for a moment after Ctrl-C", async () => {
    const controller = new AbortController();
    const settings = await creating(() => {
      controller.abort();
      return undefined;
    });
    const { lifecycle } = lifecycleOn(emulator, totpMethodDefinition, settings);
    const creation = lifecycle.create(decodeProgram({ issuer: "Acme" }), { signal: controller.signal });
    await assert.rejects(creation, (error: unknown) => {
      assert.ok(error instanceof PartialWriteError);
      assert.deepEqual(ids(), [error.id]);
      return true;
    });
  });

  const unsure: readonly [string, Alteration, RegExp, prepare?: () => unknown][] = [
    [
      "another new method appears beside it",
      () => void emulator.secrets.addTotpMethod({ issuer: "Acme" }),
      /nevertheless have been created.* cannot be identified\. Delete the TOTP methods that are not in use/,
    ],
    [
      "the new method has other settings",
      () => void emulator.secrets.changeTotpMethod(ids()[0] ?? "", { issuer: "Somebody else" }),
      /cannot be identified/,
    ],
    [
      "there is no new method",
      ({ body }) => {
        emulator.secrets.removeTotpMethod(String(body?.data?.method_id));
        return undefined;
      },
      /contains no new one\. Run `pulumi up` again\. .* a second one may appear: delete the one that is not in state\.$/,
    ],
    [
      "a response names nothing and there is no new method",
      (response) => {
        emulator.secrets.removeTotpMethod(ids()[0] ?? "");
        return nothing(response);
      },
      /created the TOTP method of the issuer "Acme" without returning its id: .* The list of TOTP methods contains no new one/,
    ],
    [
      "the methods cannot be listed afterwards",
      cut,
      /The search for it failed: .*out of order.* Delete the TOTP methods that are not in use/,
      () => emulator.faults.add({ ...list, skip: 1, status: 400, body: { errors: ["out of order"] } }),
    ],
    [
      "the token may not list them",
      cut,
      /nevertheless have been created\. The token may not list the TOTP methods/,
      () => emulator.faults.add({ ...list, times: 2, status: 403, body: { errors: ["denied"] } }),
    ],
  ];
  for (const [title, alter, pattern, prepare] of unsure) {
    it(`the creation of a TOTP method adopts none, and says what may exist, when ${title}`, async () => {
      prepare?.();
      const message = await rejection(managedMethod(await creating(alter)).up({ issuer: "Acme" }));
      assert.match(message, pattern);
      if (message.includes("identified")) {
        ids().forEach((id) => assert.ok(message.includes(id), message));
      }
    });
  }

  describe("after others, and its response is lost", () => {
    const other = { issuer: "Acme", digits: 8 };

    beforeEach(() => managedMethod().up({ issuer: "Acme" }));

    const candidates = (...named: readonly string[]): RegExp =>
      new RegExp(`may nevertheless have been created.* another client's \\(${named.join(", ")}\\), so`);

    it("the creation of a TOTP method does not adopt what another client has created since the list", async () => {
      const { id } = emulator.secrets.addTotpMethod(other);
      emulator.secrets.addTotpMethod({ issuer: "Other" });
      emulator.faults.add({ ...create, drop: "before" });
      assert.match(await rejection(managedMethod().up(other)), candidates(id));
    });

    it("the creation of a TOTP method does not adopt what this process creates meanwhile", async () => {
      // One of the two is lost before it is applied; the other's response arrives when the first looks around.
      emulator.faults.add({ ...create, drop: "before" });
      emulator.faults.add({ ...create, delay: "100ms", when: "after" });
      const both = [managedMethod(), managedMethod()].map((managed) => managed.up({ issuer: "Acme" }));
      const outcomes = await Promise.allSettled(both);
      assert.deepEqual(outcomes.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
      assert.equal(ids().length, 2);
    });

    it("the creation of a TOTP method names its method also if it cannot be read", async () => {
      emulator.faults.add({ ...create, drop: "after" });
      emulator.faults.add({ ...list, path: `${path}/:id`, status: 403, body: { errors: ["no"] } });
      assert.match(await rejection(managedMethod().up(other)), candidates(ids()[1] ?? ""));
    });

    it("the creation of a TOTP method names each of two by its arguments", async () => {
      emulator.faults.add({ ...create, drop: "after", times: 2 });
      const issuers = ["One", "Two"];
      const messages = await Promise.all(issuers.map((issuer) => rejection(managedMethod().up({ issuer }))));
      for (const [index, issuer] of issuers.entries()) {
        const { id } = methods().find((method) => method.issuer === issuer) ?? assert.fail(issuer);
        assert.match(messages[index] ?? "", candidates(id));
      }
    });

    it("the creation of a TOTP method is followed by one that lists before, and adopts its method", async () => {
      emulator.faults.add({ ...create, drop: "after", times: 2 });
      await rejection(managedMethod().up({ issuer: "Acme" }));
      const managed = await FakeEngine.create(totpMethodDefinition, emulator, { issuer: "Acme" });
      assert.equal(managed.id, ids()[2]);
      emulator.journal.clear();
      await managedMethod().up({ issuer: "Acme" });
      await managedMethod().up({ issuer: "Acme" });
      assert.equal(emulator.journal.count(list), 1);
    });
  });
});
