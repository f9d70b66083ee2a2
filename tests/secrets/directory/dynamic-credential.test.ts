import assert from "node:assert/strict";
import {
  dynamicCredentialDefinition,
  getDynamicCredentials,
} from "../../../sdk/secrets/directory/dynamic-credential";
import { stopServers } from "../../http/server";
import { FakeEngine } from "../../support/fake-engine";
import type { Properties } from "../../support/provider-process";
import { useEmulator } from "../../support/use-emulator";
import { serviceWith } from "../altered-responses";
import { stepAt, textOf } from "../emulated-client";
import { addDynamicRole, mintedAccounts } from "./emulated-directory";
import { useEnvironment } from "../../connection/environment";

const mint = { method: "GET", path: "/v1/ldap/creds/:name" };

describe("secrets.directory.DynamicCredential", () => {
  const emulator = useEmulator();
  const base: Properties = { roleName: "reports" };

  afterEach(stopServers);
  beforeEach(async () => {
    await addDynamicRole(emulator);
    emulator.journal.clear();
  });

  const manage = (args: Properties = base, settings = {}) =>
    FakeEngine.create(dynamicCredentialDefinition, emulator, args, settings);
  /** Settings of a service that answers without a lease. */
  const withoutLease = (): Promise<Record<string, string>> =>
    serviceWith(emulator, ({ url }, { status, body }) => ({
      status,
      body: url.includes("/creds/") && body ? { data: body.data } : body,
    }));
  const secondsLeft = (managed: FakeEngine, since: number): number =>
    (Date.parse(textOf(managed.outputs.expiresAt)) - since) / 1000;

  it("a dynamic credential issues one credential, and returns all of it", async () => {
    const before = Date.now();
    const managed = await manage();
    const { __managed, __at, __private, password, expiresAt, ...outputs } = managed.outputs;
    const [minted = assert.fail()] = emulator.inspect().secrets.directoryIssuedAccounts;
    assert.deepEqual(outputs, {
      mount: "ldap",
      roleName: "reports",
      username: minted.username,
      distinguishedNames: [...minted.distinguishedNames],
      leaseId: minted.leaseId,
    });
    assert.equal(managed.id, minted.leaseId);
    assert.ok(textOf(password).length > 10);
    assert.ok(!JSON.stringify([managed.id, __managed, __private]).includes(textOf(password)));
    const left = secondsLeft(managed, before);
    assert.ok(left >= 7200 && left < 7300, textOf(expiresAt));
    assert.deepEqual([emulator.journal.count(), emulator.journal.count(mint)], [1, 1]);
  });

  it("a dynamic credential warns when renewBefore is no shorter than its life, with a lease or without: each run would replace it", async () => {
    const said: string[] = [];
    const step = stepAt(emulator, said);
    const known = { mount: "ldap", roleName: "reports" };
    const late = { ...step, privateState: { askedAt: Date.now() } };
    for (const renewBefore of [7199, 7200]) {
      await dynamicCredentialDefinition.create(step, { ...known, renewBefore });
      await dynamicCredentialDefinition.read(late, "v_1", { ...known, username: "v_1", renewBefore });
    }
    const [lease = "", role = "", ...others] = said;
    assert.match(
      lease,
      /^warning: The credential v_\w+ of the role reports does not live longer than renewBefore/,
    );
    assert.match(role, /^warning: The credential v_1 of the role reports does not live longer/);
    assert.deepEqual(others, []);
  });

  it("a dynamic credential ends by the role's default time to live, and has its user name as id", async () => {
    const before = Date.now();
    const managed = await manage(base, await withoutLease());
    assert.deepEqual([managed.id], mintedAccounts(emulator));
    assert.equal(managed.outputs.leaseId, "");
    const left = secondsLeft(managed, before);
    assert.ok(left >= 7200 && left < 7300, textOf(managed.outputs.expiresAt));
    assert.equal(await managed.up({ ...base, renewBefore: "3h" }), "replaced");
  });

  it("a dynamic credential knows no time of a role that is gone", async () => {
    const step = { ...stepAt(emulator), privateState: { askedAt: Date.now() } };
    const known = { mount: "ldap", roleName: "none" };
    assert.deepEqual(await dynamicCredentialDefinition.read(step, "v_none", known), { expiresAt: null });
  });

  it("the error of a lost response says what credential may exist", async () => {
    emulator.faults.add({ ...mint, drop: "after" });
    await assert.rejects(manage(), {
      message:
        /The service may nevertheless have generated a credential\. Its password is lost, and it expires with its TTL\..* try again to generate another credential\.$/,
    });
    assert.equal(emulator.journal.count(mint), 1);
  });

  it("the error of a missing role repeats the service's words, and says nothing of a credential", () =>
    assert.rejects(manage({ roleName: "none" }), {
      message:
        /^(?!.*may nevertheless have)Could not generate a credential of the role none of the mount ldap: .* 404/s,
    }));
});

describe("secrets.directory.getDynamicCredentials", () => {
  const emulator = useEmulator();

  useEnvironment(() => emulator.environment);
  beforeEach(async () => {
    await addDynamicRole(emulator);
    emulator.journal.clear();
  });

  it("getDynamicCredentials issues another credential each time", async () => {
    const [first, second] = [
      await getDynamicCredentials({ roleName: "reports" }),
      await getDynamicCredentials({ roleName: "reports", mount: "ldap" }),
    ];
    assert.deepEqual([first.username, second.username], mintedAccounts(emulator));
    const [minted] = emulator.inspect().secrets.directoryIssuedAccounts;
    const { password, ...rest } = first;
    assert.deepEqual(rest, {
      username: minted?.username,
      distinguishedNames: [...(minted?.distinguishedNames ?? [])],
      leaseId: minted?.leaseId,
      leaseDuration: 7200,
    });
    assert.ok(password.length > 10);
  });
});
