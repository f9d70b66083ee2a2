import assert from "node:assert/strict";
import { definitionIn } from "../../../sdk/resource/definition";
import { z } from "zod";
import { ServiceError } from "../../../sdk/base/errors";
import { checkArguments } from "../../../sdk/resource/lifecycle/check";
import { directory } from "../../../sdk/secrets";
import {
  describeHolders,
  librarySetDefinition,
  type LibraryAccounts,
  readLibraryStatus,
} from "../../../sdk/secrets/directory/library-set";
import { failure } from "../../http/calls";
import { FakeEngine } from "../../support/fake-engine";
import type { Properties } from "../../support/provider-process";
import { reading, serviceWith } from "../altered-responses";
import { secretsClientOf, useSecrets } from "../emulated-client";
import { addLibrarySet, borrow, checkOuts, configureDirectory } from "./emulated-directory";

const { getLibrarySet, getLibraryStatus, listLibrarySets } = directory;
const path = "/v1/ldap/library/:name";
const status = { method: "GET", path: `${path}/status` };

describe("secrets.directory.LibrarySet", () => {
  const emulator = useSecrets();
  beforeEach(() => configureDirectory(emulator, ["svc-1", "svc-2", "svc-3"]));

  const base: Properties = { name: "operators", serviceAccountNames: ["svc-1", "svc-2"] };
  const manage = (args: Properties = base, settings = {}) =>
    FakeEngine.create(librarySetDefinition, emulator, args, settings);
  const sets = () => emulator.inspect().secrets.directoryLibrarySets;
  const written = () => emulator.journal.requests({ method: "POST", path }).map(({ body }) => body);
  const body = { name: "operators", service_account_names: ["svc-1", "svc-2"] };

  it("a library set is created with the arguments, and returned and read with the service's defaults", async () => {
    const managed = await manage();
    assert.deepEqual(written(), [body]);
    assert.equal(managed.id, "ldap/operators");
    const { __managed, __at, ...outputs } = managed.outputs;
    const defaults = { ttl: 86_400, maxTtl: 86_400, disableCheckInEnforcement: false };
    assert.deepEqual(outputs, { ...base, mount: "ldap", ...defaults });
    assert.deepEqual(await getLibrarySet({ name: "operators" }), outputs);
  });

  it("a library set is read from a service that returns accounts and durations as text", async () => {
    const asText = reading((data) => ({ ...data, service_account_names: "svc-1, svc-2", ttl: "24h" }));
    const args = { ...base, ttl: 86_400 };
    const managed = await manage(args, await serviceWith(emulator, asText));
    await managed.refresh();
    assert.equal(await managed.up(args), "same");
    assert.equal(managed.outputs.ttl, 86_400);
  });

  it("a library set is adopted and changed at a service that does not return its accounts", async () => {
    await manage();
    const without = reading(({ service_account_names: _accounts, ...data }) => data);
    const settings = await serviceWith(emulator, without);
    const adopted = await manage({ ...base, ttl: "2h", adopt: true }, settings);
    assert.deepEqual([adopted.id, sets()[0]?.ttl], ["ldap/operators", 7_200]);
    await adopted.up({ ...base, ttl: "3h" });
    assert.equal(sets()[0]?.ttl, 10_800);
  });

  it("a library set cannot remove an account that is checked out or be deleted with one, and the error names the account and its borrower", async () => {
    const managed = await manage();
    const { id } = emulator.secrets.addEntity({});
    const held = await borrow(emulator, emulator.secrets.addToken({ entityId: id }));
    const other = ["svc-1", "svc-2"].filter((name) => name !== held);
    const refusal =
      `^Accounts of the library set "operators" of the mount ldap are checked out: ${held} ` +
      `\\(checked out by the entity ${id}\\)\\. Nothing was changed\\. `;
    const message = new RegExp(`${refusal}To remove them`);
    await assert.rejects(managed.up({ ...base, serviceAccountNames: other, ttl: "1h" }), { message });
    assert.equal(written().length, 2, "whether it can be removed is for the service to say");
    await assert.rejects(managed.destroy(), { message: new RegExp(`${refusal}To delete it`) });
    assert.equal(sets()[0]?.ttl, 86_400);
  });

  it("a library set shows the service's message for every rejection that is not explained by a borrower", async () => {
    const refuse = () =>
      emulator.faults.add({ method: "DELETE", path, status: 409, body: { errors: ["in use"] } });
    await assert.rejects(manage({ ...base, serviceAccountNames: ["ghost"] }), { message: /returned 500:/ });
    const managed = await manage();
    const message = /"svc-1" is already managed by the secrets engine/;
    await assert.rejects(manage({ ...base, name: "others", serviceAccountNames: ["svc-1"] }), { message });
    await borrow(emulator, emulator.secrets.addToken());
    refuse();
    const holder = /are checked out: svc-\d \(checked out by a token with the hash/;
    await assert.rejects(managed.destroy(), { message: holder });
    refuse();
    emulator.faults.add({ ...status, status: 403, body: { errors: ["no"] } });
    await assert.rejects(managed.destroy(), { message: /returned 409: in use/ });
  });

  it("an update of a library set also sends the service's values of arguments that the program never set", async () => {
    const managed = await manage();
    emulator.secrets.changeDirectoryLibrarySet("operators", { maxTtl: 0, disableCheckInEnforcement: true });
    await managed.up({ ...base, ttl: "1h" });
    const unnamed = { max_ttl: 0, disable_check_in_enforcement: true };
    assert.deepEqual(written().slice(1), [{ ...body, ttl: 3600, ...unnamed }]);
  });

  for (const times of [
    { ttl: "2h", maxTtl: "1h" },
    { ttl: null, maxTtl: "1h" },
    { ttl: "48h", maxTtl: null },
  ]) {
    it(`a library set with unlikely times causes a warning, or an error in the dialect whose products reject them: ${JSON.stringify(times)}`, () => {
      const args = { ...base, ...times };
      const { warnings, failures } = checkArguments(
        definitionIn(librarySetDefinition, "documented"),
        z,
        args,
      );
      assert.match(warnings.join("\n"), /^maxTtl is less than ttl.*$/);
      assert.deepEqual(failures, []);
      const refused = { property: "maxTtl", reason: "must not be less than ttl (0 is unlimited)" };
      assert.deepEqual(checkArguments(definitionIn(librarySetDefinition, "hashicorp"), z, args).failures, [
        refused,
      ]);
    });
  }

  const least = "serviceAccountNames must contain at least one account";
  for (const [serviceAccountNames, problem] of [
    [5, "serviceAccountNames must be a list of names, or a string of names separated by commas"],
    [[], least],
    [" , ", least],
    [["svc-1", " "], "serviceAccountNames[1] must not be empty"],
  ] as const) {
    it(`a library set is rejected in the preview with the accounts ${JSON.stringify(serviceAccountNames)}`, async () => {
      const managed = new FakeEngine(librarySetDefinition, emulator);
      assert.deepEqual(await managed.problems({ ...base, serviceAccountNames }), [problem]);
    });
  }
});

describe("the status of a library set", () => {
  const set = { mount: "ldap", name: "operators" };
  const emulator = useSecrets();
  beforeEach(() => addLibrarySet(emulator, ["svc-1", "svc-2", "svc-3"], { ttl: "1h" }));

  it("the status of a library set shows which accounts are free and who has checked out the others", async () => {
    const { id } = emulator.secrets.addEntity({});
    await borrow(emulator, emulator.secrets.addToken({ entityId: id }));
    await borrow(emulator, emulator.secrets.addToken());
    const hashes = checkOuts(emulator) as Readonly<Record<string, string>>;
    emulator.journal.clear();
    const expected: LibraryAccounts = {
      "svc-1": { available: false, borrowerClientToken: hashes["svc-1"], borrowerEntityId: id },
      "svc-2": { available: false, borrowerClientToken: hashes["svc-2"] },
      "svc-3": { available: true },
    };
    assert.deepEqual(await getLibraryStatus({ name: "operators" }), { accounts: expected });
    assert.equal(emulator.journal.count(), 1);
    const holders = [
      `svc-1 (checked out by the entity ${id})`,
      `svc-2 (checked out by a token with the hash ${hashes["svc-2"]?.slice(0, 8)})`,
      "svc-4 (checked out by a borrower that the service does not name)",
    ];
    assert.equal(describeHolders({ ...expected, "svc-4": { available: false } }), holders.join(", "));
    assert.equal(describeHolders(expected, ["svc-2", "svc-3", "svc-9", "toString"]), holders[1]);
  });

  it("the status of a library set is undefined if the set does not exist, whether the service returns 400 or 404", async () => {
    const message = 'The library set "none" of the mount ldap does not exist.';
    assert.equal((await failure(getLibraryStatus({ name: "none" }))).message, message);
    emulator.faults.add({ ...status, status: 404, body: { errors: [] } });
    assert.equal((await failure(getLibraryStatus({ name: "none" }))).message, message);
    assert.equal((await failure(getLibrarySet({ name: "none" }))).message, message);
  });

  for (const [code, body, expected] of [
    [200, { data: null }, {}],
    [200, { data: {} }, {}],
    ...[400, 403, 500].map((each) => [each, { errors: ["no"] }, each] as const),
  ] as const) {
    it(`the status of an existing library set does not count as missing if the service returns ${code} and ${JSON.stringify(body)}`, async () => {
      emulator.faults.add({ ...status, status: code, body });
      const found = readLibraryStatus(secretsClientOf(emulator), set);
      const statusOf = (error: unknown): unknown => ServiceError.isInstance(error) && error.status;
      assert.deepEqual(await found.catch(statusOf), expected);
    });
  }

  it("listLibrarySets lists the sets, even if there are none", async () => {
    await addLibrarySet(emulator, ["svc-4"], {}, "audits");
    assert.deepEqual(await listLibrarySets(), { names: ["audits", "operators"] });
    emulator.secrets.addMount({ type: "directory", path: "teams/ldap" });
    assert.deepEqual(await listLibrarySets({ mount: "teams/ldap" }), { names: [] });
  });
});
