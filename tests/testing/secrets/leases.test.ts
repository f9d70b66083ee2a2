import assert from "node:assert/strict";
import { EmulatorClock } from "../../../sdk/testing/clock";
import { Leases, type LeaseRecord } from "../../../sdk/testing/secrets/leases";
import { Mounts } from "../../../sdk/testing/secrets/mounts";

describe("leases", () => {
  const mount = new Mounts("documented").add({ type: "directory", path: "corp/ldap" });
  let clock: EmulatorClock;
  let leases: Leases;
  let ended: string[];
  beforeEach(() => {
    clock = new EmulatorClock(0);
    leases = new Leases(clock);
    ended = [];
  });
  const issue = (path: string, duration: number, at = mount): LeaseRecord =>
    leases.issue({ mount: at, path, duration, ended: () => ended.push(path) });

  it("are named by mount and path, and never alike", () => {
    const [one, two] = [issue("creds/web", 60), issue("creds/web", 60)];
    assert.match(one.id, /^corp\/ldap\/creds\/web\/[A-Za-z0-9]{24}$/);
    assert.notEqual(one.id, two.id);
    assert.deepEqual(one, {
      id: one.id,
      duration: 60,
      renewable: true,
      issuedAt: "1970-01-01T00:00:00.000Z",
      expiresAt: "1970-01-01T00:01:00.000Z",
    });
    assert.deepEqual(leases.all(), [one, two]);
    assert.equal(leases.find(two.id), two);
  });

  it("last longer when they are renewed, counted from then on", () => {
    const { id } = issue("a", 60);
    assert.equal(leases.lastRenewal(id), undefined);
    clock.advance(50_000);
    const renewed = leases.renew(id, 0);
    assert.deepEqual([renewed?.duration, renewed?.expiresAt], [60, "1970-01-01T00:01:50.000Z"]);
    assert.equal(leases.lastRenewal(id), "1970-01-01T00:00:50.000Z");
    assert.deepEqual(leases.find(id), renewed);
    assert.equal(leases.renew(id, 20)?.duration, 20);
    clock.advance(19_999);
    assert.deepEqual(ended, []);
    clock.advance(1);
    assert.deepEqual(ended, ["a"]);
    assert.equal(leases.renew(id, 0), undefined);
  });

  it("last no longer than their terms or their mount allow, whatever is asked for", () => {
    const renewals: LeaseRecord[] = [];
    const { id } = leases.issue({
      mount,
      path: "a",
      duration: 60,
      maxDuration: 90,
      renewed: (lease) => renewals.push(lease),
      ended: () => ended.push("a"),
    });
    clock.advance(45_000);
    assert.equal(leases.renew(id, 1_000)?.duration, 45);
    assert.deepEqual(
      renewals.map(({ expiresAt }) => expiresAt),
      ["1970-01-01T00:01:30.000Z"],
    );
    assert.equal(leases.renew(issue("b", 60).id, 1e9)?.duration, 768 * 3_600);
    const endless = issue("c", 0);
    assert.deepEqual(leases.renew(endless.id, 5), endless);
  });
});
