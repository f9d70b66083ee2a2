import assert from "node:assert/strict";
import { CleanUp } from "./clean-up";
import { Ldap, LdapFailure } from "./ldap";
import { LiveDirectory } from "./live-directory";
import { type Slapd, slapdMissing, startSlapd } from "./slapd";

describe("a folder of a real directory", function () {
  this.timeout(60_000);

  const missing = slapdMissing();
  if (missing !== undefined) {
    it.skip(`is left out: ${missing}`);
    return;
  }

  let slapd: Slapd;
  let ldap: Ldap;
  const cleanUp = new CleanUp();
  let directory: LiveDirectory;

  before(async () => {
    slapd = await startSlapd();
    ldap = new Ldap(slapd);
    directory = new LiveDirectory(slapd, cleanUp);
  });
  after(() => slapd.close());

  it("holds entries with and without passwords", async () => {
    const base = await directory.base();
    const open = await directory.add("svc-1", "canary-password-5c20");
    const closed = await directory.add("svc-2");
    assert.deepEqual(new Set(await directory.below(base)), new Set([open, closed]));
    assert.equal(await directory.accepts(open, "canary-password-5c20"), true);
    assert.equal(await directory.accepts(open, "another"), false);
    assert.equal(await directory.accepts(closed, "anything"), false);
    assert.deepEqual(await directory.below(open), []);
  });

  it("shows by binding that a password was changed", async () => {
    const dn = await directory.add("svc-3", "first, with ümlaut");
    await ldap.changeOwnPassword(dn, "first, with ümlaut", "second");
    assert.deepEqual(
      [await directory.accepts(dn, "first, with ümlaut"), await directory.accepts(dn, "second")],
      [false, true],
    );
    const { dn: administrator, password } = await directory.administrator();
    assert.equal(await directory.accepts(administrator, password), true);
  });

  it("says what the server refuses, and never a password", async () => {
    await assert.rejects(directory.add("svc-3", "canary-password-77ab"), (error) => {
      assert.ok(error instanceof LdapFailure);
      assert.match(error.message, /^ldapadd ended with 68: .*Already exists/s);
      assert.ok(!error.message.includes("canary"));
      return true;
    });
  });

  it("goes with everything in it, and is one for all entries", async () => {
    const below = async () => (await ldap.below(slapd.userdn)).filter((dn) => dn.startsWith("ou=trivium-"));
    assert.deepEqual(await below(), [await directory.base()]);
    await cleanUp.run();
    assert.deepEqual(await below(), []);
    await ldap.remove(await directory.base());
  });
});
