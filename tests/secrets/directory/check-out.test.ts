import assert from "node:assert/strict";
import { checkIn, forceCheckIn } from "../../../sdk/secrets/directory/library-checkout";
import { checkOut } from "../../../sdk/secrets/directory/library-checkout";
import { getLibrarySet, getLibrarySetOutput } from "../../../sdk/secrets/directory/library-set";
import { getLibraryStatus, getLibraryStatusOutput } from "../../../sdk/secrets/directory/library-set";
import { listLibrarySets, listLibrarySetsOutput } from "../../../sdk/secrets/directory/library-set";
import { useEnvironment } from "../../connection/environment";
import { failure } from "../../http/calls";
import { useMocks, valueOf } from "../../resource/mocks";
import { useEmulator } from "../../support/use-emulator";
import { accountsOut, addLibrarySet, borrow, checkOuts } from "./emulated-library";

const takeOut = { method: "POST", path: "/v1/ldap/library/:name/check-out" };

describe("functions about the library of the directory engine", () => {
  const emulator = useEmulator();

  useEnvironment(() => emulator.environment);
  beforeEach(async () => {
    await addLibrarySet(emulator, ["svc-1", "svc-2"], { ttl: "1h" });
    emulator.journal.clear();
  });

  describe("that only read", () => {
    it("read a set", async () => {
      assert.deepEqual(await getLibrarySet({ name: "operators" }), {
        mount: "ldap",
        name: "operators",
        serviceAccountNames: ["svc-1", "svc-2"],
        ttl: 3600,
        maxTtl: 86_400,
        disableCheckInEnforcement: false,
      });
    });

    it("list the sets, none as well", async () => {
      await addLibrarySet(emulator, ["svc-3"], {}, { name: "audits" });
      assert.deepEqual(await listLibrarySets(), { names: ["audits", "operators"] });
      emulator.secrets.addMount({ type: "directory", path: "teams/ldap" });
      assert.deepEqual(await listLibrarySets({ mount: "teams/ldap" }), { names: [] });
    });

    it("list the sets of a service that answers data.keys as well", async () => {
      const path = "/v1/ldap/library";
      emulator.faults.add({ method: "GET", path, status: 200, body: { data: { keys: ["a", "b"] } } });
      assert.deepEqual(await listLibrarySets({}), { names: ["a", "b"] });
    });

    it("read who has which account", async () => {
      const { id } = emulator.secrets.addEntity({});
      await borrow(emulator, emulator.secrets.addToken({ entityId: id }));
      assert.deepEqual(await getLibraryStatus({ name: "operators" }), {
        accounts: {
          "svc-1": {
            available: false,
            borrowerClientToken: checkOuts(emulator)["svc-1"],
            borrowerEntityId: id,
          },
          "svc-2": { available: true },
        },
      });
    });

    for (const [name, call] of [
      ["getLibrarySet", () => getLibrarySet({ name: "none" })],
      ["getLibraryStatus", () => getLibraryStatus({ name: "none" })],
    ] as const) {
      it(`say that there is no such set: ${name}`, async () => {
        assert.equal(
          (await failure(call())).message,
          'The library set "none" of the mount ldap does not exist.',
        );
      });
    }

    it("refuse arguments that cannot be right, without a request", async () => {
      const error = await failure(getLibrarySet({ name: "", mount: "a//b" }));
      assert.equal(
        error.message,
        "secrets.directory.getLibrarySet: mount must be the path of a mount, such as teams/ldap; name must not be empty.",
      );
      assert.equal(emulator.journal.count(), 0);
    });
  });

  describe("for scripts", () => {
    it("check out an account and check it in", async () => {
      const account = await checkOut({ name: "operators", ttl: "30m" });
      const [lent] = emulator.inspect().secrets.directoryLibraryAccounts;
      assert.deepEqual(account, {
        serviceAccountName: "svc-1",
        password: lent?.password,
        leaseId: lent?.checkOut?.leaseId,
        leaseDuration: 1800,
        renewable: true,
      });
      assert.deepEqual(await checkIn({ name: "operators" }), { checkIns: ["svc-1"] });
      assert.deepEqual(await checkIn({ name: "operators", serviceAccountNames: "svc-1,svc-2" }), {
        checkIns: [],
      });
    });

    it("work on any mount", async () => {
      emulator.secrets.addMount({ type: "directory", path: "teams/ldap" });
      await addLibrarySet(emulator, ["svc-9"], {}, { mount: "teams/ldap", name: "on call" });
      const set = { mount: "teams/ldap", name: "on call" };
      assert.equal((await checkOut(set)).serviceAccountName, "svc-9");
      assert.deepEqual(await forceCheckIn(set), { checkIns: ["svc-9"] });
    });

    it("check in what somebody else has checked out only by force", async () => {
      const held = await borrow(emulator, emulator.secrets.addToken());
      const error = await failure(checkIn({ name: "operators", serviceAccountNames: [held] }));
      assert.match(
        error.message,
        /^Could not check in svc-1 of the library set .* wasn't checked out by the caller/,
      );
      assert.deepEqual(await forceCheckIn({ name: "operators", serviceAccountNames: [held] }), {
        checkIns: [held],
      });
    });

    it("say who holds what when no account is free", async () => {
      await borrow(emulator, emulator.secrets.addToken());
      await borrow(emulator, emulator.secrets.addToken());
      const error = await failure(checkOut({ name: "operators" }));
      assert.match(
        error.message,
        /^No account of .* is free: svc-1 \(checked out by .*\), svc-2 \(checked out by .*\)\. /,
      );
    });

    it("never check out a second account when the response is lost, and name the first", async () => {
      process.env.SECRETS_REQUEST_TIMEOUT = "77s";
      emulator.faults.add({ ...takeOut, drop: "after" });
      const error = await failure(checkOut({ name: "operators" }));
      assert.match(error.message, /svc-1 was checked out in the meantime; .* Check it in with checkIn/);
      assert.equal(error.mayHaveBeenProcessed, true);
      assert.equal(emulator.journal.count(takeOut), 1);
      assert.deepEqual(accountsOut(emulator), ["svc-1"]);
    });

    it("end when they are cancelled", async () => {
      const signal = AbortSignal.abort();
      await failure(checkOut({ name: "operators" }, { signal }));
      assert.deepEqual(accountsOut(emulator), []);
    });

    it("refuse arguments that cannot be right, without a request", async () => {
      const error = await failure(checkIn({ name: "operators", serviceAccountNames: [""] }));
      assert.equal(error.message, "secrets.directory.checkIn: serviceAccountNames[0] must not be empty.");
      assert.match(
        (await failure(checkOut({ name: "operators", ttl: "x" }))).message,
        /: ttl must be a duration/,
      );
      assert.equal(emulator.journal.count(), 0);
    });
  });
});

describe("functions about the library, in a program", () => {
  const emulator = useEmulator({ resets: false });

  before(async () => {
    await addLibrarySet(emulator, ["svc-1"]);
  });
  useEnvironment(() => emulator.environment);
  useMocks();

  it("answer outputs when they only read", async () => {
    assert.deepEqual(await valueOf(listLibrarySetsOutput()), { names: ["operators"] });
    assert.deepEqual(
      (await valueOf(getLibrarySetOutput({ name: Promise.resolve("operators") }))).serviceAccountNames,
      ["svc-1"],
    );
    assert.deepEqual(await valueOf(getLibraryStatusOutput({ name: "operators", mount: "ldap" })), {
      accounts: { "svc-1": { available: true } },
    });
  });

  for (const [name, call] of [
    ["checkOut", () => checkOut({ name: "operators" })],
    ["checkIn", () => checkIn({ name: "operators" })],
    ["forceCheckIn", () => forceCheckIn({ name: "operators" })],
  ] as const) {
    it(`are refused when they change something: ${name}`, async () => {
      assert.equal(
        (await failure(call())).message,
        `secrets.directory.${name} makes changes, but a Pulumi program also runs in previews and destroys: ` +
          "use the resource secrets.directory.LibraryCheckout instead.",
      );
    });
  }
});
