import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Emulator, startEmulator } from "pulumi-trivium/testing";
import { CopiedExample } from "../../examples/copied-example";
import { textsIn } from "../../support/texts";
import { type Receiver, startReceiver } from "../support/receiver";

const platform = join("stacks", "platform");
const consumer = join("stacks", "consumer");
const bindPassword = "canary-bind-password-5e1f";
const signingKey = "canary-signing-key-77aa";

describe("components in two stacks, with a provider of their own", function () {
  this.timeout(300_000);

  let services: Emulator;
  /** What the environment names, as that of somebody who works with other services too. */
  let others: Emulator;
  let receiver: Receiver;
  let example: CopiedExample;
  let workspaces: readonly string[];

  const pulumi = async (stack: string, ...command: readonly string[]): Promise<string> => {
    // The first run of each program checks its types.
    const checked = command[0] === "up";
    const { succeeded, text } = await example.pulumi(
      stack,
      command,
      checked ? {} : { PULUMI_NODEJS_TRANSPILE_ONLY: "true" },
    );
    assert.ok(succeeded, text);
    return text;
  };
  const configure = (stack: string, plain: Record<string, string>, secret: Record<string, string>) =>
    pulumi(
      stack,
      ...["config", "set-all", "--path"],
      ...Object.entries(plain).flatMap(([key, value]) => ["--plaintext", `${key}=${value}`]),
      ...Object.entries(secret).flatMap(([key, value]) => ["--secret", `${key}=${value}`]),
    );
  const teamProjects = () =>
    services
      .inspect()
      .provisioning.projects.filter(({ isDefault }) => !isDefault)
      .map(({ name }) => name);

  before(async () => {
    [services, others, receiver] = await Promise.all([startEmulator(), startEmulator(), startReceiver()]);
    example = new CopiedExample("components", others.environment);
    example.install("stacks", "platform-components", ".");
    const built = await example.run(".", ["npm", "run", "build"]);
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
    await configure(
      platform,
      {
        provisioningAddress: provisioning.address,
        secretsAddress: secrets.address,
        schedulerAddress: scheduler.address,
        fallbackProjectId: fallback,
        "teams.payments.workspaces.web": workspaces[0] ?? "",
      },
      {
        provisioningToken: provisioning.token,
        secretsToken: secrets.token,
        receiverUrl: receiver.address,
        signingKey,
        bindPassword,
        managementToken: scheduler.token,
      },
    );
    await pulumi(consumer, "stack", "init", "test");
    await configure(
      consumer,
      {
        platform: "organization/trivium-platform/test",
        "trivium:provisioningAddress": provisioning.address,
        "trivium:secretsAddress": secrets.address,
      },
      { "trivium:provisioningToken": provisioning.token, "trivium:secretsToken": secrets.token },
    );
  });
  after(async () => {
    example.remove();
    await Promise.all([services.close(), others.close(), receiver.close()]);
  });

  it("come up from the package as it was before its component was renamed", async () => {
    const file = join(example.path, "dist", "landing-zone.js");
    const text = readFileSync(file, "utf8");
    const former = text.replace("acme:platform:LandingZone", "acme:platform:TeamProject");
    assert.notEqual(former, text);
    writeFileSync(file, former);
    await pulumi(platform, "up", "--yes", "--skip-preview");
    writeFileSync(file, text);

    const { provisioning, secrets } = services.inspect();
    assert.deepEqual(teamProjects(), ["payments"]);
    assert.equal(provisioning.notificationConfigurations.length, 1);
    assert.deepEqual(
      [
        secrets.directoryStaticRoles,
        secrets.directoryDynamicRoles,
        secrets.directoryLibrarySets,
        secrets.schedulerRoles,
      ].map(({ length }) => length),
      [1, 1, 1, 2],
    );
  });

  it("stay as they are, also under the new name", async () => {
    await pulumi(platform, "preview", "--expect-no-changes");
  });

  it("pass on what the other stack uses", async () => {
    await pulumi(consumer, "up", "--yes", "--skip-preview");
    await pulumi(consumer, "preview", "--expect-no-changes");
    const outputs = JSON.parse(await pulumi(consumer, "stack", "output", "--json", "--show-secrets")) as {
      readonly projectName: string;
      readonly jobEnvironment: Readonly<Record<string, string>>;
    };
    assert.equal(outputs.projectName, "payments");
    const { LDAP_PASSWORD: password, SCHEDULER_TOKEN: token, LDAP_USER: user } = outputs.jobEnvironment;
    const { secrets, scheduler } = services.inspect();
    assert.ok(
      secrets.directoryEntries.some((entry) => entry.password === password),
      "the account's password",
    );
    assert.ok(
      scheduler.aclTokens.some(({ secretId }) => secretId === token),
      "a token of the scheduler",
    );
    const files = await textsIn(example.path);
    for (const each of [password, token]) {
      assert.ok(each !== undefined && each.length > 8);
      assert.ok(!files.includes(each), `${String(user)}: a secret in clear in a file`);
    }
  });

  it("change where the configuration does, and nowhere else", async () => {
    const before = services.inspect().provisioning;
    await configure(platform, { "teams.search.workspaces.index": workspaces[1] ?? "" }, {});
    const text = await pulumi(platform, "up", "--yes", "--skip-preview");
    assert.match(text, /\+ 4 created/);
    assert.doesNotMatch(text, /updated|replaced|deleted/);
    assert.deepEqual(teamProjects().toSorted(), ["payments", "search"]);
    const { notificationConfigurations } = services.inspect().provisioning;
    assert.deepEqual(notificationConfigurations[0], before.notificationConfigurations[0]);
    assert.equal(notificationConfigurations[1]?.workspaceId, workspaces[1]);
  });

  it("are destroyed, and nothing of them is left", async () => {
    await pulumi(consumer, "destroy", "--yes", "--skip-preview");
    await pulumi(platform, "destroy", "--yes", "--skip-preview");
    assert.deepEqual(teamProjects(), []);
    const { provisioning, secrets } = services.inspect();
    assert.deepEqual(
      [
        ...provisioning.notificationConfigurations,
        ...secrets.directoryConfigs,
        ...secrets.directoryStaticRoles,
        ...secrets.directoryDynamicRoles,
        ...secrets.directoryLibrarySets,
        ...secrets.schedulerRoles,
        ...secrets.schedulerLeases,
      ],
      [],
    );
  });

  it("have asked no other service, whatever the environment names", () => {
    assert.ok(services.journal.count() > 20);
    assert.deepEqual(others.journal.requests(), []);
  });
});
