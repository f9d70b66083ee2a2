import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";
import { stepByStep } from "../support/step-by-step";
import { useEmulator } from "../support/use-emulator";
import { typeWith } from "./support/adapter";
import { configurationFor, failureOf, organization, projectType, withOrganization } from "./support/projects";
import { type Program, useSharedStack } from "./support/shared-stack";

const { Project, ProjectWorkspaces } = trivium.provisioning;
const { Config, RootRotation } = trivium.secrets.directory;

const canaries = [
  "canary-of-a-mistake-90ab",
  "canary-bind-password-41fe",
  "canary-bind-password-new-07",
] as const;
const [canary, bindpass, newPassword] = canaries;

/** With the real CLI, one class a trait; every-class.test.ts has the others. */
for (const adapter of ["dynamic", "plugin"] as const) {
  describe(`a program with a mistake${adapter === "plugin" ? ", with the plugin" : ""},`, function () {
    this.timeout(300_000);
    stepByStep();

    const emulator = useEmulator({ resets: false, ...withOrganization });
    const stack = useSharedStack(
      "engine-mistakes",
      () => configurationFor(emulator, "provisioning", "secrets"),
      {
        adapter,
      },
    );
    after("shows no secret", async () => {
      const shown = stack.output + (await stack.state());
      assert.deepEqual(
        canaries.filter((each) => shown.includes(each)),
        [],
      );
    });

    it("an error names an unknown argument, but does not show its value", async () => {
      const args = { organization, name: "payments", tokn: pulumi.secret(canary), url: canary };
      for (const operation of [stack.preview.bind(stack), stack.up.bind(stack)]) {
        const text = await failureOf(operation(() => new Project("payments", args)));
        assert.match(text, /resource 'payments' has a problem: tokn is not a valid argument; /);
        assert.match(text, /resource 'payments' has a problem: url is not a valid argument; /);
      }
    });

    it("a program fails where it reads what does not exist, and a refresh where it no longer does", async () => {
      const missing = await failureOf(stack.preview(() => Config.get("directory", "corp-ldap")));
      assert.match(missing, /directory:Config corp-ldap does not exist/);
      const { id } = emulator.provisioning.addProject({ organization, name: "read" });
      await stack.up(() => {
        Project.get("read", id);
        new Project("managed", { organization, name: "managed" });
      });
      const [managed = ""] = (await stack.resources(typeWith(adapter, projectType))).flatMap((each) =>
        each.id === undefined || each.id === id ? [] : [each.id],
      );
      emulator.provisioning.removeProject(managed);
      const { changes } = await stack.refresh();
      assert.deepEqual(changes, { delete: 1 });
      emulator.provisioning.removeProject(id);
      assert.match(await failureOf(stack.refresh()), new RegExp(`${id}.* does not exist`));
      await stack.up(() => undefined);
      assert.deepEqual(await stack.resources(typeWith(adapter, projectType)), []);
    });

    it("unknown settings of a provider are refused by name", async () => {
      const wrong = { provisioning: { addres: "http://127.0.0.1:9", token: canary } };
      const late = { provisioning: { token: pulumi.secret({ v: canary }) } };
      for (const [args, problem] of [
        [wrong, /provisioning\.addres is not a valid argument; did you mean provisioning\.address\?/],
        [late, /provisioning\.token must be text, not an object/],
      ] as const) {
        const before = emulator.journal.count({ method: "POST" });
        const program: Program = () => {
          const provider = new trivium.Provider("other", args as trivium.ProviderArgs);
          new Project("payments", { organization, name: "payments" }, { provider });
        };
        assert.match(await failureOf(stack.up(program)), problem);
        assert.equal(emulator.journal.count({ method: "POST" }), before);
      }
    });

    it("an update replaces a project after its workspaces have left it", async () => {
      const { provisioning } = emulator;
      provisioning.addOrganization({ name: "other" });
      const { id: fallbackProjectId } = provisioning.addProject({ organization, name: "fallback" });
      const workspaceIds = [provisioning.addWorkspace({ organization }).id];
      const program =
        (name: string): Program =>
        () => {
          const { id: projectId } = new Project("replaced", { organization, name });
          new ProjectWorkspaces("members", { projectId, workspaceIds, fallbackProjectId });
        };
      const placeOf = () =>
        emulator.inspect().provisioning.workspaces.find(({ id }) => id === workspaceIds[0])?.projectId;
      await stack.up(program("replaced"));
      const before = placeOf();
      const replace = await stack.urns(typeWith(adapter, projectType));
      const { changes } = await stack.up(program("replaced"), { replace });
      assert.deepEqual(changes, { replace: 2 });
      assert.notEqual(placeOf(), before);
      await stack.previewWithoutChanges(program("replaced"));
      await stack.up(program("renamed"));
      await stack.command(["state", "taint", ...replace, "--yes", "--stack", "test"]);
      assert.deepEqual((await stack.up(program("renamed"))).changes, { replace: 2 });
      await stack.destroy();
    });

    it("an update does not replace a configuration whose password was rotated, unless it has a new one", async () => {
      const { secrets } = emulator;
      const [binddn, url] = ["cn=admin,dc=acme,dc=example", "ldap://directory.acme.example"];
      secrets.addDirectoryEntry({ dn: binddn, password: bindpass });
      for (const path of ["ldap", "ldap-too"]) {
        secrets.addMount({ type: "ldap", path });
      }
      const program =
        (password: string, mount?: string): Program =>
        () => {
          const args = { binddn, bindpass: password, url, mount };
          new Config("directory", args);
          // An inline program never ends if something waits for a resource that fails.
          new RootRotation("rotation");
        };
      await stack.up(() => new Config("directory", { binddn, bindpass, url }));
      await stack.up(program(bindpass));
      const type = typeWith(adapter, "pulumi-nodejs:dynamic/trivium/secrets/directory:Config");
      const replace = await stack.urns(type);
      const before = emulator.journal.count();
      for (const refused of [
        () => stack.up(program(bindpass), { replace }),
        () => stack.preview(program(bindpass, "ldap-too")),
        async () => {
          await stack.command(["state", "taint", ...replace, "--yes", "--stack", "test"]);
          return stack.preview(program(bindpass));
        },
        () => stack.up(program(bindpass)),
      ]) {
        assert.match(await failureOf(refused()), /password of binddn was rotated \(RootRotation\)/);
      }
      assert.equal(emulator.journal.count(), before);
      await stack.up(program(newPassword));
      await stack.previewWithoutChanges(program(newPassword));
    });
  });
}
