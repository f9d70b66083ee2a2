import assert from "node:assert/strict";
import { run } from "../../command-line/binary";
import { ProgramDirectory } from "../support/program-directory";
import { canaries, makeWorld, type World } from "./world";

/** The secrets that the command asks for, by configuration key. */
const secrets: Readonly<Record<string, string>> = {
  deploymentsUrl: canaries.url,
  deploymentsToken: canaries.signingKey,
  deployments2Url: canaries.url,
  ldapBindpass: canaries.bindPassword,
  teamsEuLdapBindpass: canaries.bindPassword,
  schedulerToken: canaries.managementToken,
  phoneSecretKey: canaries.secretKey,
  phoneIntegrationKey: canaries.integrationKey,
};

describe("objects of every class, imported", function () {
  this.timeout(120_000);

  let world: World;
  let project: ProgramDirectory;

  before(async function () {
    this.timeout(900_000);
    world = await makeWorld();
    project = await ProgramDirectory.ofTypeScript("importing", { ...world.emulator.environment });
    project.write("index.ts", 'import "./imported";\n');
  });
  after(async () => {
    project.remove();
    await world.close();
  });

  it("are written into two files, with no secret in them", async () => {
    const files = ["--out", `${project.path}/imports.json`, "--program", `${project.path}/imported.ts`];
    const command = run(["import-file", "--json", ...world.options, ...files], world.emulator.environment);
    assert.equal(await command.ended, 0, command.printed.error);
    const report = JSON.parse(command.printed.out) as {
      readonly counts: Readonly<Record<string, number>>;
      readonly secrets: readonly { readonly key: string; readonly optional: boolean }[];
      readonly leftOut: readonly unknown[];
    };
    assert.deepEqual(report.leftOut, []);
    assert.deepEqual(report.counts, {
      "provisioning.Project": 2,
      "provisioning.AdminOrganization": 1,
      "provisioning.ModuleConsumers": 1,
      "provisioning.NotificationConfiguration": 2,
      "secrets.directory.Config": 2,
      "secrets.directory.StaticRole": 2,
      "secrets.directory.LibrarySet": 1,
      "secrets.directory.DynamicRole": 1,
      "secrets.scheduler.Access": 1,
      "secrets.scheduler.Lease": 1,
      "secrets.scheduler.Role": 2,
      "secrets.identity.EntityAlias": 1,
      "secrets.mfa.TotpMethod": 2,
      "secrets.mfa.PushMethod": 1,
    });
    assert.deepEqual(report.secrets.map(({ key }) => key).sort(), Object.keys(secrets).sort());
    assert.deepEqual(
      report.secrets.filter(({ optional }) => optional).map(({ key }) => key),
      ["deploymentsToken", "schedulerToken"],
    );
    const written = project.read("imports.json") + project.read("imported.ts");
    for (const canary of Object.values(canaries)) {
      assert.ok(!written.includes(canary) && !command.printed.out.includes(canary), canary);
    }
  });

  it("come into state without a change of anything, and the program's plan is empty", async () => {
    world.emulator.journal.clear();
    const { deploymentsToken = "", ...others } = secrets;
    const given = Object.entries(others).flatMap(([key, value]) => ["--secret", `${key}=${value}`]);
    await succeed(["config", "set-all", ...given]);
    await succeed(["config", "set", "--secret", "deploymentsToken"], deploymentsToken);
    const text = await succeed(["import", "-f", "imports.json", "--generate-code=false", "--yes"]);
    assert.match(text, /\b20 imported/);
    assert.equal(world.emulator.journal.count(), 0);
    await succeed(["refresh", "--yes", "--skip-preview"]);
    await succeed(["preview", "--diff", "--expect-no-changes"]);
    assert.deepEqual([...new Set(world.emulator.journal.requests().map(({ method }) => method))], ["GET"]);
  });

  it("are changed where the program changes, and nothing else is sent", async () => {
    for (const [former, text] of [
      ["protect: true", "protect: false"],
      // The service never deletes it.
      ['name: "Default Project",\n  },\n  imported,', 'name: "Default Project",\n  },\n  { protect: true },'],
      ['name: "payments production"', 'name: "payments"'],
      ["digits: 8,", ""],
      ["workspaceLimit: 200", "workspaceLimit: 100"],
      ['requireSecret("ldapBindpass"),', 'requireSecret("ldapBindpass"), requestTimeout: 45,'],
    ] as const) {
      project.replace("imported.ts", former, text);
    }
    await succeed(["config", "set", "--secret", "deploymentsToken"], "canary-other-key-77aa");
    world.emulator.journal.clear();
    const text = await succeed(["up", "--yes", "--skip-preview"]);
    assert.match(text, /~ 5 updated/);
    const written = world.emulator.journal.requests().filter(({ method }) => method !== "GET");
    assert.equal(written.length, 5);
    const bodyOf = (path: RegExp): string =>
      JSON.stringify(written.find((each) => path.test(each.path))?.body);
    assert.match(bodyOf(/notification-configurations/), /"attributes":\{"token":"canary-other-key-77aa"\}/);
    assert.match(bodyOf(/ldap\/config/), /"request_timeout":45/);
    assert.doesNotMatch(bodyOf(/ldap\/config/), /bindpass/);
  });

  it("are deleted as if they had been made here, and no secret was ever shown or stored in clear", async () => {
    await succeed(["destroy", "--exclude-protected", "--yes", "--skip-preview"]);
    const { provisioning, secrets: left } = world.emulator.inspect();
    assert.deepEqual(
      [
        provisioning.projects.filter(({ isDefault }) => !isDefault),
        provisioning.notificationConfigurations,
        left.entityAliases,
        left.totpMethods,
        left.pushMethods,
        left.directoryConfigs,
        left.directoryStaticRoles,
        left.directoryDynamicRoles,
        left.directoryLibrarySets,
        left.schedulerRoles,
      ].flat(),
      [],
    );
    const everything = project.output + (await project.files());
    for (const canary of Object.values(canaries)) {
      assert.ok(!everything.includes(canary), canary);
    }
  });

  async function succeed(command: readonly string[], input = ""): Promise<string> {
    const { succeeded, text } = await project.pulumi(command, { input });
    assert.ok(succeeded, `pulumi ${command.join(" ")}: ${text}`);
    return text;
  }
});
