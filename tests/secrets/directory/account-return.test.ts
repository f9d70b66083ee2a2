import assert from "node:assert/strict";
import {
  fingerprintOf,
  type HeldAccount,
  holdingOf,
  returnAccount,
} from "../../../sdk/secrets/directory/check-out";
import { useEmulator } from "../../support/use-emulator";
import { accountsOut, addLibrarySet, borrow, checkOuts, giveBack } from "./emulated-library";
import { stepAt } from "./step";

const checkIn = { method: "POST", path: "/v1/ldap/library/:name/check-in" };
const manageCheckIn = { method: "POST", path: "/v1/ldap/library/manage/:name/check-in" };

describe("the return of an account", () => {
  const emulator = useEmulator({ resets: false });
  let said: string[];
  const set = { mount: "ldap", name: "operators" };

  beforeEach(async () => {
    said = [];
    emulator.reset();
    await addLibrarySet(emulator, ["svc-1"]);
  });

  const step = () => stepAt(emulator, (kind, message) => void said.push(`${kind}: ${message}`));
  /** What a resource remembers that has checked it out with this token. */
  const held = async (token: string, more: Partial<HeldAccount> = {}): Promise<HeldAccount> => {
    const serviceAccountName = await borrow(emulator, token);
    const borrowerClientToken = checkOuts(emulator)[serviceAccountName] ?? assert.fail();
    const borrower = fingerprintOf({ available: false, borrowerClientToken });
    return { set, serviceAccountName, borrower, proven: true, ...more };
  };
  const giveBackBy = (account: HeldAccount, force = false): Promise<void> => {
    const { client, ...caller } = step();
    return returnAccount(client, caller, account, force);
  };

  it("uses the ordinary path, without a warning", async () => {
    await giveBackBy(await held(emulator.secrets.token));
    assert.deepEqual([emulator.journal.count(checkIn), emulator.journal.count(manageCheckIn)], [1, 0]);
    assert.deepEqual([accountsOut(emulator), said], [[], []]);
  });

  it("is by the path for highly privileged callers when it is forced", async () => {
    await giveBackBy(await held(emulator.secrets.addToken()), true);
    assert.deepEqual([emulator.journal.count(checkIn), emulator.journal.count(manageCheckIn)], [0, 1]);
    assert.deepEqual(accountsOut(emulator), []);
  });

  it("is not forced upon somebody who is not proven to be the borrower; the service refuses, which is said", async () => {
    await giveBackBy(await held(emulator.secrets.addToken(), { proven: false }), true);
    assert.equal(emulator.journal.count(manageCheckIn), 0);
    assert.deepEqual(accountsOut(emulator), ["svc-1"]);
    assert.deepEqual(said, [
      'information: svc-1 of the library set "operators" of the mount ldap was checked out by another caller and ' +
        "stays checked out.",
    ]);
  });

  for (const status of [400, 403, 409, 422]) {
    it(`says what to do when the service refuses it with ${status}`, async () => {
      const account = await held(emulator.secrets.token);
      emulator.faults.add({ ...checkIn, status, body: { errors: ["not yours"] } });
      await assert.rejects(giveBackBy(account), {
        message: /not yours\..*Only the token or the entity .* force: true/,
      });
    });
  }

  it("fails where it is not certain who holds the account and the token may have no right at all", async () => {
    const account = await held(emulator.secrets.token, { proven: false });
    emulator.faults.add({ ...checkIn, status: 403, body: { errors: ["permission denied"] } });
    await assert.rejects(giveBackBy(account), { message: /permission denied/ });
    assert.deepEqual(said, []);
  });

  it("is left to people where neither the borrower is known nor the service would refuse", async () => {
    const account = await held(emulator.secrets.token, { proven: false });
    emulator.secrets.changeDirectoryLibrarySet("operators", { disableCheckInEnforcement: true });
    await giveBackBy(account);
    assert.equal(emulator.journal.count(checkIn), 0);
    assert.equal(
      said.join(),
      'warning: The library cannot verify that svc-1 of the library set "operators" of the mount ldap was checked out by this ' +
        `resource, so it stays checked out: svc-1 (checked out by a token with the hash ${checkOuts(emulator)["svc-1"]?.slice(0, 8)}). ` +
        "If it is not in use, check it in with checkIn.",
    );
  });

  it("fails where the status no longer says who has it, and checks nothing in", async () => {
    const account = await held(emulator.secrets.token);
    const data = { "svc-1": { available: false } };
    emulator.faults.add({
      method: "GET",
      path: "/v1/ldap/library/:name/status",
      status: 200,
      body: { data },
    });
    await assert.rejects(giveBackBy(account), {
      message: /no longer names the borrower of svc-1, as it did .* State is unchanged\.$/,
    });
    assert.equal(emulator.journal.count(checkIn), 0);
    assert.deepEqual(accountsOut(emulator), ["svc-1"]);
  });

  it("looks at nothing but whether it is still out when the borrower could not be found out", async () => {
    const account = await held(emulator.secrets.token, { borrower: undefined, proven: false });
    const { client } = step();
    assert.equal(await holdingOf(client, account), "held");
    await giveBack(emulator, "svc-1");
    assert.equal(await holdingOf(client, account), "ended");
  });
});
