import assert from "node:assert/strict";
import { z } from "zod";
import type { Dialect } from "../../../sdk/base/settings";
import { OwnNotes } from "../../../sdk/engine/shared-notes";
import { type AnyResourceDefinition, definitionIn } from "../../../sdk/resource/definition";
import { checkArguments } from "../../../sdk/resource/lifecycle/check";
import { directory } from "../../../sdk/secrets";
import { configDefinition } from "../../../sdk/secrets/directory/config";
import { rootRotationDefinition } from "../../../sdk/secrets/directory/root-rotation";
import { staticRoleRotationDefinition } from "../../../sdk/secrets/directory/static-role-rotation";
import { failure } from "../../http/calls";
import { FakeEngine } from "../../support/fake-engine";
import type { Properties } from "../../support/provider-process";
import { useSecrets } from "../emulated-client";
import { configureDirectory } from "./emulated-directory";

const path = "/v1/ldap/rotate-root";

describe("secrets.directory.RootRotation", () => {
  const emulator = useSecrets();
  beforeEach(async () => {
    await configureDirectory(emulator, []);
    emulator.journal.clear();
  });

  const manage = (args: Properties = {}, settings = {}) =>
    FakeEngine.create(rootRotationDefinition, emulator, args, settings);
  const rotations = () => emulator.journal.count({ method: "POST", path });
  const passwords = () => {
    const { directoryConfigs, directoryEntries } = emulator.inspect().secrets;
    const entry = directoryEntries.find(({ dn }) => dn.startsWith("cn=admin"));
    return [directoryConfigs[0]?.bindpass, entry?.password];
  };

  it("a root rotation rotates the password once, with no other request", async () => {
    const managed = await manage();
    assert.equal(managed.id, "ldap");
    assert.match(managed.outputs.rotatedAt as string, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const [known, real] = passwords();
    assert.notEqual(known, "bind-password");
    assert.equal(known, real);
    const bodies = emulator.journal.requests().map(({ body }) => body);
    assert.deepEqual(bodies, [null]);
  });

  it("a root rotation rotates again if a trigger is changed, added or removed, but not for another order", async () => {
    const managed = await manage();
    const { rotatedAt } = managed.outputs;
    assert.equal(await managed.up({ triggers: {} }), "updated");
    assert.deepEqual([managed.outputs.rotatedAt, rotations()], [rotatedAt, 1]);
    const [two, three] = [
      { a: 2, b: "x" },
      { a: 2, b: "x", c: true },
    ];
    for (const [index, triggers] of [{ a: 1, b: "x" }, two, three, two, undefined, two].entries()) {
      assert.equal(await managed.up(triggers === undefined ? {} : { triggers }), "updated");
      assert.deepEqual([managed.outputs.triggers, rotations()], [triggers ?? null, index + 2]);
    }
    assert.equal(await managed.up({ triggers: { b: "x", a: 2 } }), "same");
  });

  it("a root rotation is not retried if its response is lost, and the error says that it might have happened", async () => {
    emulator.faults.add({ method: "POST", path, drop: "after" });
    const message = /^Could not rotate the password that ldap binds with: .*might already have been rotated/s;
    await assert.rejects(manage({}, { "trivium:secretsMaxRetries": "5" }), { message });
    assert.equal(rotations(), 1);
  });

  it("a root rotation shows the service's message if the entry is not allowed to change passwords", async () => {
    emulator.secrets.changeDirectoryEntry("cn=admin,dc=acme,dc=example", { mayManage: false });
    await assert.rejects(manage(), { message: /Code 50 "Insufficient Access Rights"/ });
  });

  /** The warnings of a program whose configuration is checked first. */
  function warnings(
    userattr: string,
    rotation: Properties,
    former?: Properties,
    dialect: Dialect = "hashicorp",
  ) {
    const notes = new OwnNotes();
    const program = {
      tell: (about: string, fact: string) => notes.add("fact", about, fact),
      told: (about: string) => [...notes.find("fact", about)],
    };
    const check = (definition: unknown, args: Properties, known?: Properties) =>
      checkArguments(definitionIn(definition as AnyResourceDefinition, dialect), z, args, known, program)
        .warnings;
    const { roleName } = rotation;
    return {
      config: check(configDefinition, { binddn: "cn=admin", bindpass: "bind-password", userattr }),
      rotation: check(
        roleName === undefined ? rootRotationDefinition : staticRoleRotationDefinition,
        rotation,
        former,
      ),
    };
  }

  it("a preview of a rotation warns in the configuration's words if userattr will make the rotation fail", () => {
    const all: readonly Properties[] = [
      {},
      { mount: "/ldap/" },
      { roleName: "payments", triggers: { a: 1 } },
    ];
    for (const args of all) {
      const { config, rotation } = warnings("CN", args);
      assert.match(config.join(), /^userattr is not an attribute that the engine can search by/);
      assert.deepEqual(rotation, [`mount has a configuration whose ${config.join()}`]);
    }
    assert.deepEqual(warnings("cn", {}).rotation, []);
    assert.deepEqual(warnings("CN", {}, undefined, "documented"), { config: [], rotation: [] });
  });

  it("a preview does not warn of another mount's userattr, or of a rotation that will not happen", () => {
    assert.deepEqual(warnings("CN", { mount: "teams/ldap" }).rotation, []);
    assert.deepEqual(warnings("CN", {}, {}).rotation, []);
    assert.deepEqual(warnings("CN", { triggers: { a: 1 } }, { triggers: { a: 1 } }).rotation, []);
    assert.equal(warnings("CN", { triggers: { a: 2 } }, { triggers: { a: 1 } }).rotation.length, 1);
  });

  it("rotateRoot rotates the password once per call, and reports a missing configuration", async () => {
    await directory.rotateRoot();
    const [first] = passwords();
    await directory.rotateRoot({ mount: "/ldap" });
    assert.notEqual(passwords()[0], first);
    assert.equal(emulator.journal.count(), 2);
    emulator.secrets.removeDirectoryConfig();
    const { message } = await failure(directory.rotateRoot());
    assert.match(message, /The mount ldap has no directory configuration/);
  });
});
