import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";
import { useEmulator } from "../../support/use-emulator";
import { configurationFor, failureOf, organization, projectsIn, withOrganization } from "../support/projects";
import { type Program, useSharedStack } from "../support/shared-stack";

const { NotificationConfiguration, Project } = trivium.provisioning;
const [key, newKey] = ["canary-delivery-key-77aa01", "canary-delivery-key-88bb02"];

/** What only the plugin does with an operation; every-class.test.ts imports all classes. */
describe("an operation with the plugin", function () {
  this.timeout(240_000);

  const emulator = useEmulator({ resets: false, ...withOrganization });
  const configuration = () => configurationFor(emulator, "provisioning", "secrets", "scheduler");
  const stack = useSharedStack("plugin-operations", configuration, { adapter: "plugin" });

  it("a gate does not wait longer than its customTimeouts", async () => {
    const args = { topics: ["Deployment:web"], match: {}, timeout: "1h" };
    const text = await failureOf(
      stack.up(() => new trivium.scheduler.EventGate("gate", args, { customTimeouts: { create: "2s" } })),
    );
    assert.match(text, /The operation exceeded its customTimeouts limit of 2 s\./);
    assert.doesNotMatch(text, /has no effect/);
  });

  it("a plan shows the part of a map that has changed, whatever its key", async () => {
    const canonicalId = emulator.secrets.addEntity().id;
    const mountAccessor = emulator.secrets.addMount({ type: "userpass", path: "auth/people" }).accessor;
    const keys = ["CORP\\alice", 'say "hi"', "x.y[0]", "ends\\"];
    const alias =
      (value: string): Program =>
      () => {
        const customMetadata = Object.fromEntries(keys.map((name) => [name, value]));
        const args = { name: "alice", canonicalId, mountAccessor, customMetadata };
        new trivium.secrets.identity.EntityAlias("alice", args);
      };
    await stack.up(alias("former-value"));
    const { text } = await stack.preview(alias("newer-value"));
    assert.equal(text.match(/"former-value" => "newer-value"/g)?.length, 4, text);
  });

  it("an import imports objects unchanged, and sends the program's other values afterwards, including secrets", async () => {
    const { provisioning } = emulator;
    const project = provisioning.addProject({ organization, name: "payments" }).id;
    const workspaceId = provisioning.addWorkspace({ organization }).id;
    const url = "https://hooks.example.com/runs";
    const given = { name: "runs", destinationType: "generic", url } as const;
    const existing = { ...given, workspace: workspaceId, token: key };
    const runs = provisioning.addNotificationConfiguration(existing).id;
    const program =
      (imported: boolean, name = "payments", token = key): Program =>
      () => {
        const options = (id: string) => (imported ? { import: id } : {});
        new Project("payments", { organization, name }, options(project));
        const args = { ...given, workspaceId, token: pulumi.secret(token) };
        new NotificationConfiguration("runs", args, options(runs));
      };
    /** The steps of the project and of the notifications, and all updates that were sent. */
    const operations = async (...[imported, name, token]: Parameters<typeof program>) => {
      const { steps } = await stack.up(program(imported, name, token));
      return [steps.get("payments"), steps.get("runs"), emulator.journal.count({ method: "PATCH" })];
    };
    assert.deepEqual(await operations(true), [["import"], ["import"], 0]);
    assert.deepEqual(await operations(false), [undefined, undefined, 0]);
    assert.deepEqual(await operations(false, "payments", newKey), [undefined, ["update"], 1]);
    await stack.forgetResources();
    assert.deepEqual(await operations(true, "invoices", newKey), [["import", "update"], ["import"], 2]);
    assert.equal(projectsIn(emulator)[0]?.name, "invoices");

    await stack.forgetResources();
    await stack.command(
      "import",
      "trivium:provisioning:Project",
      "payments",
      project,
      "--stack",
      "test",
      // The language host of these tests writes no programs.
      "--yes",
      "--skip-preview",
      "--protect=false",
      "--generate-code=false",
    );
    await stack.previewWithoutChanges(() => new Project("payments", { organization, name: "invoices" }));
    const shown = stack.output + (await stack.state());
    assert.ok(![key, newKey].some((secret) => shown.includes(secret)));
  });
});
