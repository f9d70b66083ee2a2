import assert from "node:assert/strict";
import { directory } from "../../../sdk/secrets";
import { dynamicCredentialDefinition } from "../../../sdk/secrets/directory/dynamic-credential";
import { FakeEngine } from "../../support/fake-engine";
import type { Properties } from "../../support/provider-process";
import { serviceWith } from "../altered-responses";
import { stepAt, textOf, useSecrets } from "../emulated-client";
import { addDynamicRole, issuedAccounts } from "./emulated-directory";

const mint = { method: "GET", path: "/v1/ldap/creds/:name" };

describe("secrets.directory.DynamicCredential", () => {
  const emulator = useSecrets();
  const base: Properties = { roleName: "reports" };
  beforeEach(async () => {
    await addDynamicRole(emulator);
    emulator.journal.clear();
  });

  const manage = (args: Properties = base, settings = {}) =>
    FakeEngine.create(dynamicCredentialDefinition, emulator, args, settings);
  const assertLasts2h = ({ outputs }: FakeEngine, since: number): void => {
    const left = (Date.parse(textOf(outputs.expiresAt)) - since) / 1000;
    assert.ok(left >= 7200 && left < 7300, textOf(outputs.expiresAt));
  };

  it("a dynamic credential issues one credential, and returns all its members", async () => {
    const before = Date.now();
    const managed = await manage();
    assertLasts2h(managed, before);
    const { __managed, __at, __private, password, expiresAt, ...outputs } = managed.outputs;
    const [minted = assert.fail()] = emulator.inspect().secrets.directoryIssuedAccounts;
    const { username, leaseId } = minted;
    const distinguishedNames = [...minted.distinguishedNames];
    assert.deepEqual(outputs, { mount: "ldap", roleName: "reports", username, distinguishedNames, leaseId });
    assert.equal(managed.id, leaseId);
    assert.ok(textOf(password).length > 10);
    assert.ok(!JSON.stringify([managed.id, __managed, __private]).includes(textOf(password)));
    assert.deepEqual([emulator.journal.count(), emulator.journal.count(mint)], [1, 1]);
  });

  it("a dynamic credential warns if renewBefore is not shorter than its lifetime, with or without a lease, because each run would replace it", async () => {
    const said: string[] = [];
    const step = stepAt(emulator, said);
    const known = { mount: "ldap", roleName: "reports" };
    const late = { ...step, privateState: { askedAt: Date.now() } };
    for (const renewBefore of [7199, 7200]) {
      await dynamicCredentialDefinition.create(step, { ...known, renewBefore });
      await dynamicCredentialDefinition.read(late, "v_1", { ...known, username: "v_1", renewBefore });
    }
    const warnings =
      /^(warning: The credential v_\w+ of the role reports is not valid for longer than renewBefore[^\n]*\n){2}$/;
    assert.match(`${said.join("\n")}\n`, warnings);
  });

  it("a dynamic credential without a lease expires after the role's default TTL, and its ID is its user name", async () => {
    const before = Date.now();
    const withoutLease = await serviceWith(emulator, ({ url }, { status, body }) => ({
      status,
      body: url.includes("/creds/") && body ? { data: body.data } : body,
    }));
    const managed = await manage(base, withoutLease);
    assert.deepEqual([managed.id], issuedAccounts(emulator));
    assert.equal(managed.outputs.leaseId, "");
    assertLasts2h(managed, before);
    assert.equal(await managed.up({ ...base, renewBefore: "3h" }), "replaced");
  });

  it("a dynamic credential has no expiry time if its role no longer exists", async () => {
    const step = { ...stepAt(emulator), privateState: { askedAt: Date.now() } };
    const known = { mount: "ldap", roleName: "none" };
    assert.deepEqual(await dynamicCredentialDefinition.read(step, "v_none", known), { expiresAt: null });
  });

  it("the error for a lost response says which credential might exist; the error for a missing role does not", async () => {
    emulator.faults.add({ ...mint, drop: "after" });
    const lost =
      /The service might still have generated a credential\. Its password is lost, and it expires with its TTL\..* try again to generate another credential\.$/;
    await assert.rejects(manage(), { message: lost });
    assert.equal(emulator.journal.count(mint), 1);
    const refused =
      /^(?!.*might still have)Could not generate a credential of the role none of the mount ldap: .* 404/s;
    await assert.rejects(manage({ roleName: "none" }), { message: refused });
  });

  it("getDynamicCredentials issues another credential with each call", async () => {
    const { password, ...first } = await directory.getDynamicCredentials({ roleName: "reports" });
    const { username } = await directory.getDynamicCredentials({ roleName: "reports", mount: "ldap" });
    assert.deepEqual([first.username, username], issuedAccounts(emulator));
    const [minted = assert.fail()] = emulator.inspect().secrets.directoryIssuedAccounts;
    const { leaseId, distinguishedNames } = minted;
    const expected = { username: minted.username, distinguishedNames: [...distinguishedNames], leaseId };
    assert.deepEqual(first, { ...expected, leaseDuration: 7200 });
    assert.ok(password.length > 10);
  });
});
