import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";
import { stepByStep } from "../support/step-by-step";
import { useEmulator } from "../support/use-emulator";
import { adapters, typeWith } from "./support/adapter";
import { configurationFor, failureOf, organization, withOrganization } from "./support/projects";
import { type Program, useSharedStack } from "./support/shared-stack";

const { Project, ProjectWorkspaces } = trivium.provisioning;
const { Config, RootRotation } = trivium.secrets.directory;

const [canary, bindpass, newPassword] = [
  "canary-of-a-mistake-90ab",
  "canary-bind-password-41fe",
  "canary-bind-password-new-07",
];

/** With the real CLI, one class a trait; every-class.test.ts has the others. */
for (const adapter of adapters) {
  describe(`a program with a mistake, with ${adapter} resources,`, function () {
    this.timeout(300_000);
    stepByStep();

    const emulator = useEmulator({
      resets: false,
      provisioning: { uniqueProjectNames: true },
      ...withOrganization,
    });
    const configuration = () => configurationFor(emulator, "provisioning", "secrets");
    const stack = useSharedStack("engine-mistakes", configuration, { adapter });
    const projectType = typeWith(adapter, "provisioning:Project");
    const taint = (urns: readonly string[]) =>
      stack.command("state", "taint", ...urns, "--yes", "--stack", "test");
    after("shows no secret", async () => {
      const shown = stack.output + (await stack.state());
      [canary, bindpass, newPassword].forEach((each) => assert.ok(!shown.includes(each), each));
    });

    it("an error names an unknown argument, but does not show its value", async () => {
      const args = { organization, name: "payments", tokn: pulumi.secret(canary), url: canary };
      const program: Program = () => new Project("payments", args);
      for (const operation of [() => stack.preview(program), () => stack.up(program)]) {
        const text = await failureOf(operation());
        assert.match(text, /resource 'payments' has a problem: tokn is not a valid argument; /);
        assert.match(text, /resource 'payments' has a problem: url is not a valid argument; /);
      }
    });

    it("an update replaces a project after its workspaces have left it", async () => {
      const { provisioning } = emulator;
      const { id: fallbackProjectId } = provisioning.addProject({ organization, name: "fallback" });
      const workspaceIds = [provisioning.addWorkspace({ organization }).id];
      const program =
        (name: string): Program =>
        () => {
          const { id: projectId } = new Project("replaced", { organization, name });
          new ProjectWorkspaces("members", { projectId, workspaceIds, fallbackProjectId });
        };
      const place = () =>
        emulator.inspect().provisioning.workspaces.find(({ id }) => id === workspaceIds[0])?.projectId;
      await stack.up(program("replaced"));
      const before = place();
      const replace = await stack.urns(projectType);
      const { changes } = await stack.up(program("replaced"), { replace });
      assert.deepEqual(changes, { replace: 2 });
      assert.notEqual(place(), before);
      await stack.previewWithoutChanges(program("replaced"));
      await stack.up(program("renamed"));
      await taint(replace);
      assert.deepEqual((await stack.up(program("renamed"))).changes, { replace: 2 });
      await stack.destroy();
    });

    it("an update does not replace a configuration whose password was rotated, unless it has a new one", async () => {
      const { secrets } = emulator;
      const [binddn, url] = ["cn=admin,dc=acme,dc=example", "ldap://directory.acme.example"];
      secrets.addDirectoryEntry({ dn: binddn, password: bindpass });
      ["ldap", "ldap-too"].forEach((path) => secrets.addMount({ type: "ldap", path }));
      const program =
        (password: string, mount?: string): Program =>
        () => {
          new Config("directory", { binddn, bindpass: password, url, mount });
          // An inline program never ends if something waits for a resource that fails.
          new RootRotation("rotation");
        };
      await stack.up(() => new Config("directory", { binddn, bindpass, url }));
      await stack.up(program(bindpass));
      const replace = await stack.urns(typeWith(adapter, "secrets/directory:Config"));
      const before = emulator.journal.count();
      for (const refused of [
        () => stack.up(program(bindpass), { replace }),
        () => stack.preview(program(bindpass, "ldap-too")),
        () => taint(replace).then(() => stack.preview(program(bindpass))),
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
