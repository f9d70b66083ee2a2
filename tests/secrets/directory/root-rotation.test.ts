import assert from "node:assert/strict";
import { rootRotationDefinition, rotateRoot } from "../../../sdk/secrets/directory/root-rotation";
import { Managed } from "../../support/managed";
import type { Properties } from "../../support/provider-process";
import { useEmulator } from "../../support/use-emulator";
import { configureDirectory } from "./emulated-directory";
import { useEnvironment } from "../../connection/environment";
import { failure } from "../../http/calls";

const path = "/v1/ldap/rotate-root";
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe("secrets.directory.RootRotation", () => {
  const emulator = useEmulator();

  beforeEach(async () => {
    await configureDirectory(emulator, []);
    emulator.journal.clear();
  });

  const manage = async (args: Properties = {}): Promise<Managed> => {
    const managed = new Managed(rootRotationDefinition, emulator);
    await managed.up(args);
    return managed;
  };
  const rotations = () => emulator.journal.count({ method: "POST", path });
  const passwords = () => [
    emulator.inspect().secrets.directoryConfigs[0]?.bindpass,
    emulator.inspect().secrets.directoryEntries.find(({ dn }) => dn.startsWith("cn=admin"))?.password,
  ];

  it("rotates the password once, and asks for nothing else", async () => {
    const managed = await manage();
    assert.equal(managed.id, "ldap");
    assert.match(managed.outputs.rotatedAt as string, time);
    const [known, real] = passwords();
    assert.notEqual(known, "bind-password");
    assert.equal(known, real);
    assert.equal(await managed.up({}), "same");
    assert.equal(emulator.journal.count(), 1);
    assert.equal(emulator.journal.requests()[0]?.body, null);
  });

  it("rotates again when a trigger changes, appears or goes, and not for another order", async () => {
    const managed = await manage({ triggers: { a: 1, b: "x" } });
    assert.equal(await managed.up({ triggers: { b: "x", a: 1 } }), "same");
    const steps: Properties[] = [{ a: 2, b: "x" }, { a: 2, b: "x", c: true }, { a: 2 }];
    for (const [index, triggers] of steps.entries()) {
      assert.equal(await managed.up({ triggers }), "updated");
      assert.equal(rotations(), index + 2);
      assert.deepEqual(managed.outputs.triggers, triggers);
      assert.equal(await managed.up({ triggers }), "same");
    }
    assert.equal(await managed.up({}), "updated", "to remove them is a change");
    assert.equal(await managed.up({ triggers: {} }), "same");
    assert.equal(rotations(), 5);
  });

  it("does not rotate again when triggers are named that say nothing", async () => {
    const managed = await manage();
    const { rotatedAt } = managed.outputs;
    assert.equal(await managed.up({ triggers: {} }), "updated");
    assert.equal(managed.outputs.rotatedAt, rotatedAt);
    assert.equal(await managed.up({}), "same");
    assert.equal(emulator.journal.count(), 1);
  });

  it("survives a refresh, and is gone with the configuration, so that the next one's is rotated", async () => {
    const managed = await manage({ triggers: { a: 1 } });
    const { outputs } = managed;
    assert.equal(await managed.refresh(), true);
    assert.deepEqual(managed.outputs, outputs);
    assert.equal(await managed.up({ triggers: { a: 1 } }), "same");
    emulator.secrets.removeDirectoryConfig();
    assert.equal(await managed.refresh(), false);
    assert.equal(rotations(), 1);
  });

  it("does nothing when it is deleted", async () => {
    const managed = await manage();
    const before = passwords();
    emulator.journal.clear();
    await managed.destroy();
    assert.equal(emulator.journal.count(), 0);
    assert.deepEqual(passwords(), before);
  });

  it("is not tried again when its response is lost, and says that it may have happened", async () => {
    emulator.faults.add({ method: "POST", path, drop: "after" });
    const managed = new Managed(rootRotationDefinition, emulator, { "trivium:secretsMaxRetries": "5" });
    await assert.rejects(managed.up({}), {
      message: /^Could not rotate the password that ldap binds with: .*may already have been rotated/s,
    });
    assert.equal(rotations(), 1);
    assert.equal(await managed.up({}), "created");
  });

  it("says what is missing when there is no configuration", async () => {
    emulator.secrets.removeDirectoryConfig();
    await assert.rejects(manage(), { message: /The mount ldap has no directory configuration/ });
  });

  it("has the service's words when the entry may not change passwords", async () => {
    emulator.secrets.changeDirectoryEntry("cn=admin,dc=acme,dc=example", { mayManage: false });
    await assert.rejects(manage(), { message: /Code 50 "Insufficient Access Rights"/ });
  });
});

describe("secrets.directory.rotateRoot", () => {
  const emulator = useEmulator();

  useEnvironment(() => emulator.environment);
  beforeEach(async () => {
    await configureDirectory(emulator, []);
    emulator.journal.clear();
  });

  const password = () => emulator.inspect().secrets.directoryConfigs[0]?.bindpass;

  it("rotates the password once a call", async () => {
    await rotateRoot();
    const first = password();
    assert.notEqual(first, "bind-password");
    await rotateRoot({ mount: "/ldap" });
    assert.notEqual(password(), first);
    assert.equal(emulator.journal.count(), 2);
  });

  it("says what is missing when there is no configuration", async () => {
    emulator.secrets.removeDirectoryConfig();
    const error = await failure(rotateRoot());
    assert.match(error.message, /The mount ldap has no directory configuration/);
  });
});
