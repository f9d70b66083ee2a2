import assert from "node:assert/strict";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { textsIn } from "../../support/texts";
import { useEmulator } from "../../support/use-emulator";
import { configSet, ProgramDirectory } from "../support/program-directory";
import { projectsIn } from "../support/projects";
import { useReceiver } from "../support/receiver";

const platform = join("stacks", "platform");
const consumer = join("stacks", "consumer");
const bindPassword = "canary-bind-password-5e1f";
const signingKey = "canary-signing-key-77aa";

describe("components in two stacks, with a provider of their own", function () {
  this.timeout(300_000);

  const services = useEmulator({ resets: false });
  /** What the environment names, as that of somebody who works with other services too. */
  const others = useEmulator({ resets: false });
  const receiver = useReceiver();
  let example: ProgramDirectory;
  let workspaces: readonly string[];

  const pulumi = (folder: string, ...command: readonly string[]): Promise<string> => {
    // The first run of each program checks its types.
    const environment = { PULUMI_NODEJS_TRANSPILE_ONLY: command[0] === "up" ? "" : "true" };
    return example.succeed(command, { folder, environment });
  };
  /** How many objects of the components there are. */
  const counts = (): readonly number[] => {
    const { provisioning, secrets } = services.inspect();
    const { directoryConfigs, directoryStaticRoles, directoryDynamicRoles, directoryLibrarySets } = secrets;
    return [
      provisioning.notificationConfigurations,
      secrets.schedulerRoles,
      secrets.schedulerLeases,
      directoryConfigs,
      directoryStaticRoles,
      directoryDynamicRoles,
      directoryLibrarySets,
    ].map(({ length }) => length);
  };
  const teamProjects = () => projectsIn(services).map(({ name }) => name);

  before(async () => {
    example = ProgramDirectory.ofExample("components", others.environment);
    const modules = join(example.path, "stacks", "node_modules");
    mkdirSync(modules);
    symlinkSync(join("..", ".."), join(modules, "platform-components"), "junction");
    const built = await example.run(["npm", "run", "build"]);
    assert.ok(built.succeeded, built.text);

    const { provisioning, secrets, scheduler } = services;
    provisioning.addOrganization({ name: "acme" });
    workspaces = [1, 2].map(() => provisioning.addWorkspace({ organization: "acme" }).id);
    secrets.addDirectoryEntry({ dn: "cn=admin,dc=example,dc=org", password: bindPassword });
    for (const name of ["svc-payments", "svc-report-1", "svc-report-2"]) {
      secrets.addDirectoryEntry({ dn: `cn=${name},ou=services,dc=example,dc=org` });
    }
    scheduler.addPolicy({ name: "job-submit" });
    scheduler.addPolicy({ name: "node-read", readNodes: true });
    const fallback = services.inspect().provisioning.projects.find(({ isDefault }) => isDefault)?.id ?? "";

    await pulumi(platform, "stack", "init", "test");
    const own = { provisioningAddress: provisioning.address, secretsAddress: secrets.address };
    const tokens = { provisioningToken: provisioning.token, secretsToken: secrets.token };
    const keys = {
      receiverUrl: receiver.address,
      signingKey,
      bindPassword,
      managementToken: scheduler.token,
    };
    const ids = { fallbackProjectId: fallback, "teams.payments.workspaces.web": workspaces[0] ?? "" };
    const plain = { ...own, schedulerAddress: scheduler.address, ...ids };
    await pulumi(platform, ...configSet(plain, { ...tokens, ...keys }));
    await pulumi(consumer, "stack", "init", "test");
    const settings = (values: Readonly<Record<string, string>>) =>
      Object.fromEntries(Object.entries(values).map(([name, value]) => [`trivium:${name}`, value]));
    const stack = { platform: "organization/trivium-platform/test" };
    await pulumi(consumer, ...configSet({ ...stack, ...settings(own) }, settings(tokens)));
  });
  after(() => example.remove());

  it("the components are created from the package before its component was renamed, and do not change under the new name", async () => {
    const file = join("dist", "landing-zone.js");
    const text = readFileSync(join(example.path, file), "utf8");
    const former = text.replace("acme:platform:LandingZone", "acme:platform:TeamProject");
    assert.notEqual(former, text);
    example.write(file, former);
    await pulumi(platform, "up", "--yes", "--skip-preview");
    example.write(file, text);

    assert.deepEqual(teamProjects(), ["payments"]);
    assert.deepEqual(counts(), [1, 2, 1, 1, 1, 1, 1]);
    await pulumi(platform, "preview", "--expect-no-changes");
  });

  it("the components export the outputs that the other stack uses", async () => {
    await pulumi(consumer, "up", "--yes", "--skip-preview");
    await pulumi(consumer, "preview", "--expect-no-changes");
    const outputs = JSON.parse(await pulumi(consumer, "stack", "output", "--json", "--show-secrets")) as {
      readonly projectName: string;
      readonly jobEnvironment: Readonly<Record<string, string>>;
    };
    assert.equal(outputs.projectName, "payments");
    const { LDAP_PASSWORD: password, SCHEDULER_TOKEN: token, LDAP_USER: user } = outputs.jobEnvironment;
    const { secrets, scheduler } = services.inspect();
    assert.ok(secrets.directoryEntries.some((entry) => entry.password === password));
    assert.ok(scheduler.aclTokens.some(({ secretId }) => secretId === token));
    const files = await textsIn(example.path);
    for (const each of [password, token]) {
      assert.ok(each !== undefined && each.length > 8);
      assert.ok(!files.includes(each), `${String(user)}: a secret in clear in a file`);
    }
  });

  it("the components change only where the configuration changes", async () => {
    const before = services.inspect().provisioning;
    await pulumi(platform, ...configSet({ "teams.search.workspaces.index": workspaces[1] ?? "" }));
    const text = await pulumi(platform, "up", "--yes", "--skip-preview");
    assert.match(text, /\+ 4 created/);
    assert.doesNotMatch(text, /updated|replaced|deleted/);
    assert.deepEqual(teamProjects().toSorted(), ["payments", "search"]);
    const { notificationConfigurations } = services.inspect().provisioning;
    assert.deepEqual(notificationConfigurations[0], before.notificationConfigurations[0]);
    assert.equal(notificationConfigurations[1]?.workspaceId, workspaces[1]);
  });

  it("the components are destroyed completely, and have not sent requests to any other service in the environment", async () => {
    await pulumi(consumer, "destroy", "--yes", "--skip-preview");
    await pulumi(platform, "destroy", "--yes", "--skip-preview");
    assert.deepEqual(teamProjects(), []);
    assert.deepEqual(counts(), [0, 0, 0, 0, 0, 0, 0]);
    assert.ok(services.journal.count() > 20);
    assert.deepEqual(others.journal.requests(), []);
  });
});
