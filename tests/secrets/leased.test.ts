import assert from "node:assert/strict";
import { endOf, expiryAfter, warnOfConstantRenewal } from "../../sdk/secrets/leased";
import { unknownValues } from "../support/values";
import type { JsonObject } from "../../sdk/base/json";
import { dynamicCredentialDefinition } from "../../sdk/secrets/directory/dynamic-credential";
import { libraryCheckoutDefinition } from "../../sdk/secrets/directory/library-checkout";
import { Managed } from "../support/managed";
import type { Properties } from "../support/provider-process";
import { useEmulator } from "../support/use-emulator";
import {
  ask,
  bodiesSentTo,
  hashicorp,
  listeningStep,
  makeDirectory,
  makeDynamicRole,
  makeLibrarySet,
  textOf,
} from "./hashicorp-service";

const now = Date.parse("2030-01-01T00:00:00.000Z");
const inAnHour = "2030-01-01T01:00:00.000Z";

describe("what is issued for a time", () => {
  describe("ends", () => {
    for (const [seconds, end] of [
      [3600, inAnHour],
      [0.5, "2030-01-01T00:00:00.500Z"],
      [0, null],
      [Number.MAX_SAFE_INTEGER, null],
    ] as const) {
      it(`${seconds} s after it was requested: ${String(end)}`, () => {
        assert.equal(expiryAfter(now, seconds), end);
      });
    }

    for (const never of [null, undefined, "", "soon", 12]) {
      it(`never, when its end is ${JSON.stringify(never)}`, () => {
        assert.equal(endOf("It", { expiresAt: never as string }, { renewBefore: "100d" }, now), undefined);
      });
    }
  });

  describe("is replaced", () => {
    const replaced: readonly [expiresAt: string, renewBefore: string | number | null, sentence: string][] = [
      ["2030-01-01T00:00:00.000Z", null, "has expired (2030-01-01T00:00:00.000Z) and will be replaced."],
      ["2029-12-31T23:59:59.000Z", "1h", "has expired (2029-12-31T23:59:59.000Z) and will be replaced."],
      [inAnHour, "1h", `expires at ${inAnHour}, within renewBefore (3600 s), and will be replaced.`],
      [inAnHour, 7200, `expires at ${inAnHour}, within renewBefore (7200 s), and will be replaced.`],
    ];
    for (const [expiresAt, renewBefore, sentence] of replaced) {
      it(`in one line that says why: ends ${expiresAt}, renewBefore ${String(renewBefore)}`, () => {
        const text = endOf("The token t-1", { expiresAt }, { renewBefore }, now);
        assert.equal(text, `The token t-1 ${sentence}`);
      });
    }

    const kept: readonly [string, Readonly<Record<string, string | number | null>>][] = [
      ["without renewBefore", {}],
      ["with a cleared one", { renewBefore: null }],
      ["with one that is shorter than what is left", { renewBefore: "59m" }],
      ["with one that a preview does not know", { renewBefore: unknownValues.string }],
    ];
    for (const [what, inputs] of kept) {
      it(`not ${what}`, () => {
        assert.equal(endOf("It", { expiresAt: inAnHour }, inputs, now), undefined);
      });
    }
  });

  it("brings a warning when renewBefore is not shorter than its life", () => {
    const said: string[] = [];
    const caller = {
      signal: new AbortController().signal,
      progress: () => undefined,
      announce: (kind: string, message: string) => void said.push(`${kind}: ${message}`),
    };
    warnOfConstantRenewal(caller, "It", { expiresAt: inAnHour, renewBefore: 3599 }, now);
    warnOfConstantRenewal(caller, "It", { expiresAt: inAnHour, renewBefore: null }, now);
    warnOfConstantRenewal(caller, "It", { expiresAt: null, renewBefore: 3600 }, now);
    assert.deepEqual(said, []);
    warnOfConstantRenewal(caller, "It", { expiresAt: inAnHour, renewBefore: 3600 }, now);
    assert.deepEqual(said, [
      "warning: It does not live longer than renewBefore (3600 s), so every update will replace it.",
    ]);
  });
});

const revocation = { method: "POST", path: "/v1/sys/leases/revoke" };
const long = "2020-01-01T00:00:00.000Z";

describe("leases in the hashicorp dialect", () => {
  const emulator = useEmulator({ dialect: { secrets: "hashicorp" } });

  const manage = async (definition: unknown, args: Properties): Promise<Managed> => {
    const managed = new Managed(definition, emulator, hashicorp);
    await managed.up(args);
    return managed;
  };
  const revoked = (): unknown[] => bodiesSentTo(emulator, "sys/leases/revoke");

  describe("of a secrets.directory.DynamicCredential", () => {
    const accounts = () => emulator.inspect().secrets.directoryIssuedAccounts.map(({ username }) => username);

    beforeEach(async () => {
      await makeDirectory(emulator);
      await makeDynamicRole(emulator);
    });
    const credential = () => manage(dynamicCredentialDefinition, { roleName: "reports" });

    it("are revoked when it is destroyed, and its account is gone then", async () => {
      const managed = await credential();
      assert.deepEqual(accounts(), [managed.outputs.username]);
      await managed.destroy();
      assert.deepEqual(accounts(), []);
      assert.deepEqual(revoked(), [{ lease_id: managed.outputs.leaseId, sync: true }]);
    });

    it("are revoked when it is replaced, once there is another", async () => {
      const managed = await credential();
      const { leaseId, username } = managed.outputs;
      assert.equal(await managed.up({ roleName: "reports", renewBefore: "3h" }), "replaced");
      assert.notEqual(managed.outputs.username, username);
      assert.deepEqual(accounts(), [managed.outputs.username]);
      assert.deepEqual(revoked(), [{ lease_id: leaseId, sync: true }]);
    });

    it("are left alone when they have ended by the service's clock", async () => {
      const managed = await credential();
      await managed.refresh();
      managed.outputs = { ...managed.outputs, expiresAt: long };
      await managed.destroy();
      assert.deepEqual(revoked(), []);
    });

    it("are left alone when there is none", async () => {
      const managed = await credential();
      for (const known of [{ ...managed.outputs, leaseId: "" }, { roleName: "reports" }]) {
        await dynamicCredentialDefinition.delete(listeningStep(emulator, []), "", known);
      }
      assert.deepEqual(revoked(), []);
    });

    for (const status of [403, 404, 405]) {
      it(`that may not be revoked (${status}) do not keep it from being destroyed, which is said`, async () => {
        const managed = await credential();
        emulator.faults.add({ ...revocation, status, body: { errors: ["permission denied"] } });
        const announced: string[] = [];
        await dynamicCredentialDefinition.delete(listeningStep(emulator, announced), "", managed.outputs);
        assert.equal(announced.length, 1);
        const [said = ""] = announced;
        const { username, expiresAt, password } = managed.outputs;
        assert.ok(
          said.startsWith(
            `warning: The credential ${textOf(username)} of the role reports could not be revoked: it ` +
              `expires at ${textOf(expiresAt)}. `,
          ),
          said,
        );
        assert.match(said, /: permission denied/);
        assert.ok(!said.includes(textOf(password)));
        assert.deepEqual(accounts(), [username]);
      });
    }

    it("that cannot be revoked for now keep it in state, with a way out", async () => {
      const managed = await credential();
      emulator.faults.add({
        ...revocation,
        status: 400,
        body: { errors: ["failed to revoke: directory is down"] },
      });
      await assert.rejects(managed.destroy(), {
        message: /directory is down.*expires at .*pulumi state delete/s,
      });
      await managed.destroy();
      assert.deepEqual(accounts(), []);
    });
  });

  describe("of a secrets.directory.LibraryCheckout", () => {
    const checkIn = { method: "POST", path: "/v1/ldap/library/operators/check-in" };
    const borrowers = () =>
      emulator
        .inspect()
        .secrets.directoryLibraryAccounts.map(({ checkOut }) => checkOut?.borrowerClientToken ?? null);
    const orderOfWrites = () =>
      emulator.journal
        .requests()
        .filter(({ method }) => method === "POST")
        .map(({ path }) => path.replace("/v1/", ""));

    beforeEach(() => makeLibrarySet(emulator, ["svc-1"]).then(() => undefined));
    const checkOut = () => manage(libraryCheckoutDefinition, { setName: "operators" });

    it("are revoked when it is destroyed, after the account was checked in", async () => {
      const managed = await checkOut();
      emulator.journal.clear();
      await managed.destroy();
      assert.deepEqual(borrowers(), [null]);
      assert.deepEqual(orderOfWrites(), ["ldap/library/operators/check-in", "sys/leases/revoke"]);
    });

    it("are left when somebody else has borrowed the account since: their end would take it away", async () => {
      const managed = await checkOut();
      const somebody = emulator.secrets.addToken();
      await ask(emulator, "POST", "ldap/library/manage/operators/check-in", {
        service_account_names: "svc-1",
      });
      await ask(emulator, "POST", "ldap/library/operators/check-out", {}, somebody);
      const [borrower] = borrowers();
      emulator.journal.clear();
      await managed.destroy();
      assert.deepEqual(borrowers(), [borrower]);
      assert.deepEqual(orderOfWrites(), []);
    });

    it("are left when the service does not take the account back", async () => {
      const managed = await checkOut();
      emulator.faults.add({ ...checkIn, status: 400, body: { errors: ["not by you"] } });
      await assert.rejects(managed.destroy(), { message: /not by you/ });
      assert.deepEqual(revoked(), []);
    });

    for (const status of [403, 500]) {
      it(`that cannot be revoked (${status}) are a warning: the account is checked in`, async () => {
        const managed = await checkOut();
        emulator.faults.add({ ...revocation, status, body: { errors: ["no"] } });
        const announced: string[] = [];
        const memory = managed.outputs.__memory as JsonObject;
        const step = listeningStep(emulator, announced, memory);
        await libraryCheckoutDefinition.delete(step, "", managed.outputs);
        assert.deepEqual(borrowers(), [null]);
        assert.equal(announced.length, 1);
        assert.match(announced[0] ?? "", /^warning: svc-1 is checked in, but its lease /);
        assert.ok(!announced.join().includes(textOf(managed.outputs.password)));
      });
    }

    it("are not looked at when the check-out has ended by itself", async () => {
      const managed = await checkOut();
      emulator.journal.clear();
      await libraryCheckoutDefinition.delete(listeningStep(emulator, []), "", {
        ...managed.outputs,
        expiresAt: long,
      });
      assert.equal(emulator.journal.count(), 0);
    });
  });
});
