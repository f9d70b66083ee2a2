import assert from "node:assert/strict";
import { staticRoleDefinition } from "../../../sdk/secrets/directory/static-role";
import {
  rotateStaticRole,
  staticRoleRotationDefinition,
} from "../../../sdk/secrets/directory/static-role-rotation";
import { Managed } from "../../support/managed";
import type { Properties } from "../../support/provider-process";
import { useEmulator } from "../../support/use-emulator";
import { configureDirectory } from "./emulated-directory";
import { useEnvironment } from "../../connection/environment";
import { failure } from "../../http/calls";

const path = "/v1/ldap/rotate-role/payments";
const base: Properties = { roleName: "payments" };

describe("secrets.directory.StaticRoleRotation", () => {
  const emulator = useEmulator();

  beforeEach(async () => {
    await configureDirectory(emulator, ["svc-1", "svc-2"]);
    const roles = [
      { roleName: "payments", username: "svc-1", rotationPeriod: "1h", skipImportRotation: true },
      { roleName: "search", username: "svc-2", rotationPeriod: "1h", skipImportRotation: true },
    ];
    for (const role of roles) {
      await new Managed(staticRoleDefinition, emulator).up(role);
    }
    emulator.journal.clear();
  });

  const manage = async (args: Properties = base): Promise<Managed> => {
    const managed = new Managed(staticRoleRotationDefinition, emulator);
    await managed.up(args);
    return managed;
  };
  const rotations = () => emulator.journal.count({ method: "POST", path });
  const passwordOf = (role: string) =>
    emulator.inspect().secrets.directoryStaticRoles.find(({ name }) => name === role)?.password;

  it("rotates the password once", async () => {
    assert.equal(passwordOf("payments"), null);
    const managed = await manage();
    assert.equal(managed.id, "ldap/payments");
    assert.equal(typeof passwordOf("payments"), "string");
    assert.ok(!Number.isNaN(Date.parse(managed.outputs.rotatedAt as string)));
    assert.equal(await managed.up({ roleName: "payments" }), "same");
    assert.equal(emulator.journal.count(), 1);
  });

  it("rotates again when a trigger changes", async () => {
    const managed = await manage({ ...base, triggers: { incident: "1" } });
    const first = passwordOf("payments");
    assert.equal(await managed.up({ ...base, triggers: { incident: "2" } }), "updated");
    assert.notEqual(passwordOf("payments"), first);
    assert.equal(rotations(), 2);
  });

  it("does not rotate again when triggers are named that say nothing", async () => {
    const managed = await manage();
    const { rotatedAt } = managed.outputs;
    assert.equal(await managed.up({ ...base, triggers: {} }), "updated");
    assert.equal(managed.outputs.rotatedAt, rotatedAt);
    assert.equal(emulator.journal.count(), 1);
  });

  it("survives a refresh, is gone with its role, and does nothing when it is deleted", async () => {
    const managed = await manage({ ...base, triggers: { incident: "1" } });
    const { outputs } = managed;
    assert.equal(await managed.refresh(), true);
    assert.deepEqual(managed.outputs, outputs);
    assert.equal(await managed.up({ ...base, triggers: { incident: "1" } }), "same");
    emulator.secrets.removeDirectoryStaticRole("payments");
    assert.equal(await managed.refresh(), false);
    emulator.journal.clear();
    managed.id = "ldap/payments";
    await managed.destroy();
    assert.equal(emulator.journal.count(), 0);
  });

  it("is not tried again when its response is lost", async () => {
    emulator.faults.add({ method: "POST", path, drop: "after" });
    const managed = new Managed(staticRoleRotationDefinition, emulator, { "trivium:secretsMaxRetries": "5" });
    await assert.rejects(managed.up(base), { message: /may already have been rotated/ });
    assert.equal(rotations(), 1);
  });

  it("has the service's words for a role that does not exist", async () => {
    await assert.rejects(manage({ roleName: "none" }), { message: /400: role doesn't exist: none/ });
  });
});

describe("secrets.directory.rotateStaticRole", () => {
  const emulator = useEmulator();

  useEnvironment(() => emulator.environment);
  beforeEach(async () => {
    await configureDirectory(emulator, ["svc-1"]);
    await new Managed(staticRoleDefinition, emulator).up({
      roleName: "payments",
      username: "svc-1",
      rotationPeriod: "1h",
    });
  });

  it("rotates the password of the role", async () => {
    const password = () => emulator.inspect().secrets.directoryStaticRoles[0]?.password;
    const before = password();
    await rotateStaticRole({ roleName: "payments" });
    assert.notEqual(password(), before);
  });

  it("has the service's words for what it refuses", async () => {
    const error = await failure(rotateStaticRole({ roleName: "none" }));
    assert.match(
      error.message,
      /rotate the password of the static role "none" of the mount ldap: .* role doesn't exist: none/,
    );
    assert.match((await failure(rotateStaticRole({ roleName: "" }))).message, /roleName must not be empty/);
  });
});
