import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import { ask, hashicorp } from "../secrets/emulated-client";
import { stepByStep } from "../support/step-by-step";
import { useEmulator } from "../support/use-emulator";
import { adapters, typeWith } from "./support/adapter";
import { configurationFor, failureOf } from "./support/projects";
import { type Program, useSharedStack } from "./support/shared-stack";

for (const adapter of adapters) {
  describe(`passwords that another client has rotated, with the adapter ${adapter}`, function () {
    this.timeout(180_000);
    stepByStep();

    const emulator = useEmulator({ resets: false, dialect: "hashicorp" });
    const configuration = () => ({ ...configurationFor(emulator, "secrets"), ...hashicorp });
    const stack = useSharedStack("engine-rotated", configuration, { adapter });
    const [binddn, bindpass] = ["cn=admin,dc=acme,dc=example", "bind-password-of-the-program"];
    const program =
      (mount?: string, password = bindpass): Program =>
      () => {
        new trivium.secrets.directory.Config("directory", { binddn, bindpass: password, mount });
      };
    const refusal = /The service rotated the password of binddn at 20[^]*Set a new password in the directory/;
    const mounts = () => emulator.journal.requests({ method: "DELETE" }).length;

    it("an update asks the service before it replaces a configuration whose rotation state does not know", async () => {
      emulator.secrets.addDirectoryEntry({ dn: binddn, password: bindpass });
      emulator.secrets.addMount({ type: "directory", path: "ldap-too" });
      await stack.up(program());
      await ask(emulator, "POST", "ldap/rotate-root");
      assert.match(await failureOf(stack.up(program("ldap-too"))), refusal);
      assert.equal(mounts(), 0);
    });

    it("a preview rejects every replacement once a refresh has detected the rotation", async () => {
      await stack.refresh();
      const replace = await stack.urns(typeWith(adapter, "secrets/directory:Config"));
      emulator.journal.clear();
      assert.match(await failureOf(stack.preview(program("ldap-too"))), refusal);
      assert.match(await failureOf(stack.preview(program(), { replace })), refusal);
      assert.equal(emulator.journal.count(), 0);
    });

    it("a configuration with a new password is replaced, and destroyed", async () => {
      await stack.up(program("ldap-too", "another-bind-password"));
      await stack.destroy();
      assert.deepEqual(emulator.inspect().secrets.directoryConfigs, []);
    });

    it("a preview warns of each rotation that the configuration's userattr will make fail, without a request", async () => {
      const { Config, RootRotation, StaticRoleRotation } = trivium.secrets.directory;
      const rotations =
        (userattr: string, quarter = 1): Program =>
        () => {
          const config = new Config("directory", { binddn, bindpass, userattr });
          const args = { mount: config.mount, triggers: { quarter } };
          new RootRotation("root", args);
          new StaticRoleRotation("role", { ...args, roleName: "payments" });
          new RootRotation("elsewhere", { ...args, mount: "ldap-too" }, { dependsOn: config });
        };
      const warned = async (planned: Program) => {
        emulator.journal.clear();
        const { text } = await stack.preview(planned);
        assert.equal(emulator.journal.count(), 0);
        const words =
          / (userattr|mount has a configuration whose userattr) is not an attribute that the engine/g;
        return [...text.replaceAll(/\s+/g, " ").matchAll(words)].map(([, subject]) => subject);
      };
      const ofRotation = "mount has a configuration whose userattr";
      assert.deepEqual((await warned(rotations("CN"))).toSorted(), [ofRotation, ofRotation, "userattr"]);
      assert.deepEqual(await warned(rotations("cn")), []);
      const rootOnly =
        (userattr: string, quarter?: number): Program =>
        () => {
          const { mount } = new Config("directory", { binddn, bindpass, userattr });
          new RootRotation("root", { mount, ...(quarter && { triggers: { quarter } }) });
        };
      emulator.secrets.changeDirectoryEntry(binddn, { password: bindpass });
      await stack.up(rootOnly("cn"));
      assert.deepEqual(await warned(rootOnly("CN")), ["userattr"]);
      assert.deepEqual((await warned(rootOnly("CN", 1))).toSorted(), [ofRotation, "userattr"]);
      await stack.destroy();
    });
  });
}
