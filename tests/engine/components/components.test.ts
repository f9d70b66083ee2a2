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
  const configure = (stack: string, ...values: Parameters<typeof configSet>) =>
    pulumi(stack, ...configSet(...values));
  /** How many objects of the components there are. */
  const counts = (): readonly number[] => {
    const { provisioning, secrets } = services.inspect();
    return [
      provisioning.notificationConfigurations,
      secrets.directoryConfigs,
      secrets.directoryStaticRoles,
      secrets.directoryDynamicRoles,
      secrets.directoryLibrarySets,
      secrets.schedulerRoles,
      secrets.schedulerLeases,
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
    const addresses = {
      provisioningAddress: provisioning.address,
      secretsAddress: secrets.address,
      schedulerAddress: scheduler.address,
    };
    const tokens = { provisioningToken: provisioning.token, secretsToken: secrets.token };
    const keys = {
      receiverUrl: receiver.address,
      signingKey,
      bindPassword,
      managementToken: scheduler.token,
    };
    const ids = { fallbackProjectId: fallback, "teams.payments.workspaces.web": workspaces[0] ?? "" };
    await configure(platform, { ...addresses, ...ids }, { ...tokens, ...keys });
    await pulumi(consumer, "stack", "init", "test");
    const { schedulerAddress, ...own } = addresses;
    const settings = (values: object) =>
      Object.fromEntries(Object.entries(values).map(([name, value]) => [`trivium:${name}`, String(value)]));
    const stack = { platform: "organization/trivium-platform/test" };
    await configure(consumer, { ...stack, ...settings(own) }, settings(tokens));
  });
  after(() => example.remove());

  it("the components come up from the package as it was before its component was renamed", async () => {
    const file = join("dist", "landing-zone.js");
    const text = readFileSync(join(example.path, file), "utf8");
    const former = text.replace("acme:platform:LandingZone", "acme:platform:TeamProject");
    assert.notEqual(former, text);
    example.write(file, former);
    await pulumi(platform, "up", "--yes", "--skip-preview");
    example.write(file, text);

    assert.deepEqual(teamProjects(), ["payments"]);
    assert.deepEqual(counts(), [1, 1, 1, 1, 1, 2, 1]);
  });

  it("the components stay as they are, also under the new name", async () => {
    await pulumi(platform, "preview", "--expect-no-changes");
  });

  it("the components pass on what the other stack uses", async () => {
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

  it("the components change where the configuration does, and nowhere else", async () => {
    const before = services.inspect().provisioning;
    await configure(platform, { "teams.search.workspaces.index": workspaces[1] ?? "" });
    const text = await pulumi(platform, "up", "--yes", "--skip-preview");
    assert.match(text, /\+ 4 created/);
    assert.doesNotMatch(text, /updated|replaced|deleted/);
    assert.deepEqual(teamProjects().toSorted(), ["payments", "search"]);
    const { notificationConfigurations } = services.inspect().provisioning;
    assert.deepEqual(notificationConfigurations[0], before.notificationConfigurations[0]);
    assert.equal(notificationConfigurations[1]?.workspaceId, workspaces[1]);
  });

  it("the components are destroyed, and nothing of them is left", async () => {
    await pulumi(consumer, "destroy", "--yes", "--skip-preview");
    await pulumi(platform, "destroy", "--yes", "--skip-preview");
    assert.deepEqual(teamProjects(), []);
    assert.deepEqual(counts(), [0, 0, 0, 0, 0, 0, 0]);
  });

  it("the components have asked no other service, whatever the environment names", () => {
    assert.ok(services.journal.count() > 20);
    assert.deepEqual(others.journal.requests(), []);
  });
});
