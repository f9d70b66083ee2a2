import assert from "node:assert/strict";
import {
  dynamicCredentialDefinition,
  getDynamicCredentials,
} from "../../../sdk/secrets/directory/dynamic-credential";
import type { Emulator } from "../../../sdk/testing";
import { inClear } from "../../support/values";
import { stopServers } from "../../http/server";
import { Managed } from "../../support/managed";
import type { Properties } from "../../support/provider-process";
import { useEmulator } from "../../support/use-emulator";
import { serviceWith } from "../altered-responses";
import { addDynamicRole, mintedAccounts, stepAt } from "./emulated-directory";
import { useEnvironment } from "../../connection/environment";

const mint = { method: "GET", path: "/v1/ldap/creds/:name" };
const readRole = { method: "GET", path: "/v1/ldap/role/:name" };
const long = "2020-01-01T00:00:00.000Z";

describe("secrets.directory.DynamicCredential", () => {
  const emulator = useEmulator();
  const base: Properties = { roleName: "reports" };

  afterEach(stopServers);
  beforeEach(async () => {
    await addDynamicRole(emulator);
    emulator.journal.clear();
  });

  const manage = async (args: Properties = base, settings = {}): Promise<Managed> => {
    const managed = new Managed(dynamicCredentialDefinition, emulator, settings);
    await managed.up(args);
    return managed;
  };
  /** Settings of a service that answers without a lease. */
  const withoutLease = (): Promise<Record<string, string>> =>
    serviceWith(emulator, ({ url }, { status, body }) => ({
      status,
      body: url.includes("/creds/") && body ? { data: body.data } : body,
    }));
  const secondsLeft = (managed: Managed, since: number): number =>
    (Date.parse(textOf(managed.outputs.expiresAt)) - since) / 1000;

  it("issues one credential, and returns all of it", async () => {
    const before = Date.now();
    const managed = await manage();
    const { __managed, __at, __memory, password, expiresAt, ...outputs } = managed.outputs;
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
    assert.ok(!JSON.stringify([managed.id, __managed, __memory]).includes(textOf(password)));
    const left = secondsLeft(managed, before);
    assert.ok(left >= 7200 && left < 7300, textOf(expiresAt));
    assert.deepEqual([emulator.journal.count(), emulator.journal.count(mint)], [1, 1]);
  });

  it("is replaced when it has ended, without a refresh", async () => {
    const managed = await manage();
    managed.outputs = { ...managed.outputs, expiresAt: long };
    assert.equal(await managed.up(base), "replaced");
    assert.equal(await managed.up(base), "same");
    assert.equal(emulator.journal.count(mint), 2);
  });

  it("warns when renewBefore is no shorter than its life, with a lease or without: each run would replace it", async () => {
    const said: string[] = [];
    const step = stepAt(emulator, (kind, message) => void said.push(`${kind}: ${message}`));
    const known = { mount: "ldap", roleName: "reports" };
    const late = { ...step, memory: { askedAt: Date.now() } };
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

  describe("without a lease in the response", () => {
    it("ends by the role's default time to live, and has its user name as id", async () => {
      const before = Date.now();
      const managed = await manage(base, await withoutLease());
      assert.deepEqual([managed.id], mintedAccounts(emulator));
      assert.equal(managed.outputs.leaseId, "");
      const left = secondsLeft(managed, before);
      assert.ok(left >= 7200 && left < 7300, textOf(managed.outputs.expiresAt));
      assert.equal(await managed.up({ ...base, renewBefore: "3h" }), "replaced");
    });

    it("never ends when the role does not say either", async () => {
      emulator.secrets.changeDirectoryDynamicRole("reports", { defaultTtl: 0 });
      const managed = await manage(base, await withoutLease());
      assert.equal(managed.outputs.expiresAt, null);
      assert.equal(await managed.refresh(), true);
      assert.equal(await managed.up({ ...base, renewBefore: "9000h" }), "updated");
    });

    it("is kept when the role cannot be read, and completed by the next refresh: never two", async () => {
      const settings = await withoutLease();
      const managed = new Managed(dynamicCredentialDefinition, emulator, settings);
      emulator.faults.add({ ...readRole, status: 403, body: { errors: ["permission denied"] } });
      const before = Date.now();
      const error: unknown = await managed.up(base).catch((thrown: unknown) => thrown);
      const { id, properties, message } = error as Error & { id: string; properties: Properties };
      assert.match(message, /was written, but reading it back failed: .*permission denied/);
      Object.assign(managed, { id, inputs: base, outputs: inClear(properties) });
      assert.equal(typeof managed.outputs.password, "string");
      assert.equal(await managed.refresh(), true);
      const left = secondsLeft(managed, before);
      assert.ok(left >= 7200 && left < 7300, textOf(managed.outputs.expiresAt));
      assert.equal(await managed.up(base), "same");
      assert.equal(emulator.journal.count(mint), 1);
    });

    it("knows no time of a role that is gone", async () => {
      const step = { ...stepAt(emulator), memory: { askedAt: Date.now() } };
      const known = { mount: "ldap", roleName: "none" };
      assert.deepEqual(await dynamicCredentialDefinition.read(step, "v_none", known), { expiresAt: null });
    });
  });

  const losses: readonly [string, object][] = [
    ["the connection breaks", { drop: "after" }],
    ["the connection breaks before the service acts", { drop: "before" }],
    ["it is cut in the middle", { truncate: true }],
    ["a proxy answers 504", { status: 504, when: "after" }],
    ["it is not as documented", { status: 200, when: "after", body: { data: { user: "v" } } }],
  ];
  for (const [what, fault] of losses) {
    it(`is not requested again when the response is lost: ${what}`, async () => {
      emulator.faults.add({ ...mint, ...fault } as Parameters<Emulator["faults"]["add"]>[0]);
      const retrying = { "trivium:secretsMaxRetries": "5" };
      const managed = new Managed(dynamicCredentialDefinition, emulator, retrying);
      await assert.rejects(managed.up(base), {
        message:
          /The service may nevertheless have generated a credential\. Its password is lost, and it expires with its TTL\..* try again to generate another credential\.$/,
      });
      assert.equal(emulator.journal.count(mint), 1);
      assert.equal(managed.id, undefined);
      assert.equal(await managed.up(base), "created");
    });
  }

  it("repeats the service's words when there is no such role, and says nothing of a credential", async () => {
    await assert.rejects(manage({ roleName: "none" }), {
      message:
        /^(?!.*may nevertheless have)Could not generate a credential of the role none of the mount ldap: .* 404/s,
    });
  });
});

function textOf(value: unknown): string {
  return typeof value === "string" ? value : assert.fail(`${typeof value} is no text`);
}

describe("secrets.directory.getDynamicCredentials", () => {
  const emulator = useEmulator();

  useEnvironment(() => emulator.environment);
  beforeEach(async () => {
    await addDynamicRole(emulator);
    emulator.journal.clear();
  });

  it("issues another credential each time", async () => {
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
