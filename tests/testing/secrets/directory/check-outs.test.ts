import assert from "node:assert/strict";
import { useEmulator } from "../../../support/use-emulator";
import { at, textAt, type Reply } from "../../call";
import { assertRefused, numbered } from "../refusals";
import { addEntries, binddn, DirectoryClient, settings } from "./directory";

describe("the emulated directory engine's check-outs", () => {
  const emulator = useEmulator({ frozenAt: new Date("2024-02-09T15:04:05Z") });
  let ldap: DirectoryClient;
  before(() => {
    ldap = new DirectoryClient(emulator);
  });
  beforeEach(async () => {
    addEntries(emulator);
    await ldap.write("config", settings);
    await ldap.write("library/team", { service_account_names: ["svc1", "svc2"], ttl: "1h", max_ttl: "10h" });
  });

  const checkOut = async (body: object = {}, client = ldap): Promise<Reply> =>
    client.send("POST", "library/team/check-out", { name: "team", ...body });
  const checkIn = async (body: object = {}, client = ldap, path = "library/team"): Promise<Reply> =>
    client.send("POST", `${path}/check-in`, { name: "team", ...body });
  const checkedIn = async (
    names: readonly string[],
    ...request: Parameters<typeof checkIn>
  ): Promise<void> => {
    const reply = await checkIn(...request);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    assert.deepEqual(at(reply.body, "data"), { check_ins: names });
  };
  const status = async (): Promise<unknown> => ldap.read("library/team/status");
  const available = { available: true };
  const another = (entityId?: string): DirectoryClient =>
    new DirectoryClient(
      emulator,
      "ldap",
      emulator.secrets.addToken(entityId === undefined ? {} : { entityId }),
    );

  describe("check-out", () => {
    it("lasts as long as is asked for, within the limits of the set", async () => {
      const durations: readonly [object, object, number][] = [
        [{}, {}, 3_600],
        [{}, { ttl: "10m" }, 600],
        [{}, { ttl: "2h" }, 3_600],
        [{}, { ttl: 0 }, 3_600],
        [{ ttl: 0, max_ttl: 0 }, {}, 0],
        [{}, { ttl: "2h" }, 7_200],
        [{}, { ttl: 0 }, 0],
        [{ max_ttl: "90m" }, {}, 5_400],
        [{}, { ttl: "2h" }, 5_400],
      ];
      for (const [set, request, duration] of durations) {
        await ldap.write("library/team", set);
        const reply = await checkOut(request);
        assert.equal(at(reply.body, "lease_duration"), duration, JSON.stringify([set, request]));
        await checkedIn(["svc1"]);
      }
    });

    it("has the envelope of the status, with a lease", async () => {
      const members = [
        "request_id",
        "lease_id",
        "renewable",
        "lease_duration",
        "data",
        "wrap_info",
        "warnings",
      ];
      const { body } = await checkOut();
      const asked = (await ldap.send("GET", "library/team/status")).body;
      for (const envelope of [body, asked]) {
        assert.deepEqual(Object.keys(envelope as object).toSorted(), [...members, "auth"].toSorted());
      }
      assert.deepEqual([at(body, "renewable"), at(asked, "renewable")], [true, false]);
      assert.deepEqual(at(asked, "data", "svc2"), available);
    });

    it("wants the name of the set in the body, as in the path", async () => {
      assertRefused(await ldap.send("POST", "library/team/check-out", {}), 400, "missing name");
      assertRefused(await checkOut({ name: "other" }), 400, /"other" in the body, but "team" in the path/);
      assertRefused(await checkOut({ force: true }), 400, /unrecognized .*force/);
      assertRefused(await checkOut({ ttl: "-1h" }), 400, /"ttl"/);
    });
  });

  describe("check-in", () => {
    it("names what it gave back, and nothing else", async () => {
      await checkedIn([]);
      await checkedIn([], { service_account_names: ["svc1"] });
      await checkOut();
      await checkOut();
      assertRefused(await checkIn(), 400, /when multiple service accounts are checked out/);
      await checkedIn(["svc2"], { service_account_names: "svc2" });
      await checkedIn(["svc1"], { service_account_names: "svc1, svc2,svc1" });
    });

    it("refuses accounts that are not in the set, all or nothing", async () => {
      await checkOut();
      assertRefused(await checkIn({ service_account_names: ["svc1", "ghost"] }), 500, numbered("not found"));
      assert.equal(at(await status(), "svc1", "available"), false);
    });

    it("is for the borrower alone: the same token or the same entity", async () => {
      const { id } = emulator.secrets.addEntity();
      await checkOut({}, another(id));
      const error = `"svc1" can't be checked in because it wasn't checked out by the caller`;
      assertRefused(await checkIn({ service_account_names: "svc1" }), 400, error);
      assertRefused(
        await checkIn({ service_account_names: "svc1" }, another(emulator.secrets.addEntity().id)),
        400,
        error,
      );
      // Names may be left out when only one account is checked out, whoever has it.
      assertRefused(await checkIn(), 400, error);
      await checkOut();
      assertRefused(await checkIn({}, another(id)), 400, /when multiple service accounts are checked out/);
      await checkedIn(["svc2"], { service_account_names: "svc2" });
      await checkedIn(["svc1"], {}, another(id));
    });
  });

  describe("end by themselves", () => {
    it("when their lease is revoked", async () => {
      emulator.secrets.revokeLease(textAt((await checkOut()).body, "lease_id"));
      assert.deepEqual(at(await status(), "svc1"), available);
    });

    it("later, when the directory refuses at first", async () => {
      await checkOut();
      emulator.secrets.changeDirectoryEntry(binddn, { password: "changed" });
      emulator.advance("2h");
      assert.equal(at(await status(), "svc1", "available"), false);
      emulator.secrets.changeDirectoryEntry(binddn, { password: "adminpw" });
      emulator.advance("10s");
      assert.deepEqual(at(await status(), "svc1"), available);
    });
  });
});
