import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Emulator } from "../../sdk/testing";
import type { Properties } from "../support/provider-process";
import { FakeEngine } from "../support/fake-engine";
import { definitions } from "../support/services";
import { useEmulator } from "../support/use-emulator";
import { run } from "./binary";

/** Something of every class that can be imported. @returns the options of the command that imports all of it */
async function addObjects(emulator: Emulator): Promise<readonly string[]> {
  const { provisioning, secrets } = emulator;
  const organization = "acme";
  for (const name of [organization, "payments", "search"]) {
    provisioning.addOrganization({ name });
  }
  provisioning.changeOrganization(organization, { moduleConsumers: ["search", "payments"] });
  provisioning.addProject({ organization, name: "payments production" });
  const workspace = provisioning.addWorkspace({ organization }).id;
  for (const destinationType of ["generic", "chat-a"] as const) {
    const url = "https://hooks.example.com/runs";
    provisioning.addNotificationConfiguration({ workspace, name: "deployments", destinationType, url });
  }

  const mountAccessor = "auth_userpass_00000001";
  secrets.addEntityAlias({ name: "alice@example.com", canonicalId: secrets.addEntity().id, mountAccessor });
  secrets.addTotpMethod({ issuer: "Acme" });
  secrets.addTotpMethod({ issuer: "Größe 支付" });
  secrets.addPushMethod({
    name: "phone",
    mountAccessor,
    secretKey: "canary-secret-key-1b7e",
    integrationKey: "canary-integration-key-1d55",
    apiHostname: "api-1234.example.com",
  });
  secrets.changeSchedulerAccess({ address: emulator.scheduler.address });
  secrets.changeSchedulerLease({ ttl: 3_600, maxTtl: 7_200 });
  secrets.addSchedulerRole({ name: "deploy", policies: ["job-submit", "node-read"] });
  secrets.addSchedulerRole({ name: "operate", type: "management" });

  const [binddn, bindpass] = ["cn=binder,dc=acme,dc=example", "canary-bind-password-77ce"];
  const userdn = "ou=services,dc=acme,dc=example";
  const teamMount = "teams/eu/ldap";
  secrets.addMount({ type: "directory", path: teamMount });
  secrets.addDirectoryEntry({ dn: binddn, password: bindpass });
  ["svc-1", "svc-2", "svc-3", "svc-4"].forEach((name) =>
    secrets.addDirectoryEntry({ dn: `cn=${name},${userdn}` }),
  );
  const make = async (type: string, args: Properties): Promise<void> => {
    await new FakeEngine(definitions.get(`secrets/directory:${type}`), emulator).up(args);
  };
  for (const [mount, username] of [
    ["ldap", "svc-1"],
    [teamMount, "svc-2"],
  ] as const) {
    await make("Config", { mount, binddn, bindpass, url: "ldaps://ldap.acme.example", userdn });
    await make("StaticRole", { mount, roleName: "payments", username, rotationPeriod: "36h" });
  }
  await make("LibrarySet", { name: "night-shift", serviceAccountNames: ["svc-3", "svc-4"] });
  const dn = `dn: cn={{.Username}},${userdn}\nchangetype: `;
  const [creationLdif, deletionLdif] = [`${dn}add\nobjectClass: person`, `${dn}delete`];
  await make("DynamicRole", { roleName: "operators", creationLdif, deletionLdif });
  return [
    ...["--organization", organization, "--admin-organization", organization, "--workspace", workspace],
    ...["--directory", "ldap", "--directory", teamMount, "--scheduler", "scheduler"],
    ...["--entity-aliases", "--mfa"],
    ...["--resource", "PushMethod=phone", "--resource", "secrets.directory.DynamicRole=ldap/operators"],
  ];
}

describe("npx pulumi-trivium import-file", function () {
  this.timeout(60_000);

  const emulator = useEmulator({ resets: false });
  const products = useEmulator({ resets: false, dialect: "hashicorp" });
  let everything: readonly string[];
  let directory: string;
  before(async () => {
    everything = await addObjects(emulator);
  });
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "import-file-"));
    emulator.journal.clear();
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const importing = async (args: readonly string[], environment = emulator.environment) => {
    const command = run(["import-file", "--out", join(directory, "imports.json"), ...args], environment);
    return { status: await command.ended, ...command.printed };
  };
  const list = () =>
    JSON.parse(readFileSync(join(directory, "imports.json"), "utf8")) as {
      readonly nameTable?: unknown;
      readonly resources: readonly Readonly<Record<string, string>>[];
    };

  it("import-file writes types, names and ids, and says what to do", async () => {
    const { status, out, error } = await importing(everything);
    assert.deepEqual([status, error], [0, ""]);
    const { resources } = list();
    assert.equal(resources.length, 20);
    for (const resource of resources) {
      assert.deepEqual(Object.keys(resource), ["type", "name", "id"]);
      assert.match(resource.type ?? "", /^trivium:/);
    }
    const names = new Set(resources.map(({ name }) => name));
    assert.equal(names.size, 20);
    for (const name of "payments-production deployments deployments-2 teams-eu-ldap Größe-支付".split(" ")) {
      assert.ok(names.has(name), name);
    }
    assert.match(out, /^provisioning\.Project +2$/m);
    const next =
      /^ {2}npx pulumi-trivium use-plugin\n {2}pulumi import -f \S+imports\.json --out imported\.ts$/m;
    assert.match(out, next);
    assert.ok(emulator.journal.requests().every(({ method }) => method === "GET"));
  });

  it("import-file writes the provider and the parent as `pulumi import` takes them", async () => {
    const urn = (name: string): string => `urn:pulumi:dev::acme::pulumi:providers:trivium::${name}`;
    const placed = ["--provider", `europe=${urn("eu")}`, "--parent", `platform=${urn("platform")}`];
    const { status, error } = await importing(["--organization", "acme", ...placed]);
    assert.deepEqual([status, error], [0, ""]);
    const { nameTable, resources } = list();
    assert.deepEqual(nameTable, { europe: urn("eu"), platform: urn("platform") });
    assert.ok(resources.every(({ provider, parent }) => provider === "europe" && parent === "platform"));
  });

  it("import-file finds what only the hashicorp dialect has: configurations of projects and teams, provider consumers", async () => {
    const { provisioning } = products;
    const organization = "acme";
    provisioning.addOrganization({ name: organization });
    provisioning.addOrganization({ name: "search" });
    provisioning.changeOrganization(organization, { providerConsumers: ["search"] });
    const project = provisioning.addProject({ organization, name: "payments" }).id;
    const team = provisioning.addTeam({ organization }).id;
    const url = "https://hooks.example.com/runs";
    const ids = [{ project }, { team }].map((owner) => {
      const made = { name: "deployments", destinationType: "generic", url } as const;
      return provisioning.addNotificationConfiguration({ ...owner, ...made }).id;
    });
    const { status, error } = await importing(
      ["--project", project, "--team", team, "--admin-organization", organization],
      products.environment,
    );
    assert.deepEqual([status, error], [0, ""]);
    const found = list().resources.map(({ type = "", id }) => [type.replace(/^.*:/, ""), id]);
    assert.deepEqual(found.sort(), [
      ["AdminOrganization", organization],
      ...ids.sort().map((id) => ["NotificationConfiguration", id]),
      ["ProviderConsumers", organization],
    ]);
  });

  it("import-file imports an object once that several options name", async () => {
    const id = emulator.inspect().provisioning.projects.find(({ isDefault }) => !isDefault)?.id ?? "";
    const { out } = await importing(["--json", "--organization", "acme", "--resource", `Project=${id}`]);
    assert.deepEqual((JSON.parse(out) as { counts: unknown }).counts, { "provisioning.Project": 2 });
  });

  it("import-file leaves out what a stack of the project manages at the same service, or says that it is not known", async () => {
    const [first, second] = emulator
      .inspect()
      .provisioning.projects.filter(({ organization }) => organization === "acme");
    const entry = (id: string | undefined, name: string, address: string, more: Properties = {}) => ({
      ...{ urn: `urn:pulumi:dev::shop::t::${name}`, type: "trivium:provisioning:Project", id },
      ...{ outputs: { __at: address }, ...more },
    });
    const address = `${emulator.provisioning.address}/api/v2`;
    const resources = [
      entry(first?.id, "own", address),
      entry(second?.id, "elsewhere", "https://other.example"),
      entry(second?.id, "read", address, { external: true }),
    ];
    const impostor = join(directory, "pulumi");
    const stacks = `echo '${JSON.stringify([{ name: "dev" }])}'`;
    const state = `echo '${JSON.stringify({ deployment: { resources } })}'`;
    writeFileSync(impostor, `#!/bin/sh\ncase "$2" in ls) ${stacks};; *) ${state};; esac\n`);
    chmodSync(impostor, 0o755);
    const environment = { ...emulator.environment, PATH: `${directory}:${process.env.PATH ?? ""}` };
    const { out } = await importing(["--organization", "acme"], environment);
    const imported = list().resources.map(({ id }) => id);
    assert.deepEqual(imported, [second?.id], out);
    const managed = `provisioning.Project ${first?.id ?? ""}: the resource "own" of the stack dev manages it.`;
    assert.ok(out.includes(managed), out);
    writeFileSync(impostor, "#!/bin/sh\nexit 1\n");
    const unknown = await importing(["--overwrite", "--organization", "acme"], environment);
    assert.equal(list().resources.length, 2);
    const reason = /^Objects that a stack manages already were not left out\. .*Pulumi CLI failed/m;
    assert.match(unknown.out, reason);
  });

  it("import-file names the class of what it imports and of what it leaves out", async () => {
    const { id = "" } = emulator.inspect().secrets.totpMethods[0] ?? {};
    const path = `/v1/identity/mfa/method/totp/${id}`;
    const fault = emulator.faults.add({ service: "secrets", path, status: 400, times: 9 });
    const { out } = await importing(["--json", "--mfa"]);
    fault.remove();
    const { counts, resources, leftOut } = JSON.parse(out) as Record<string, Properties[]>;
    const name = "secrets.mfa.TotpMethod";
    const classes = [resources, leftOut].map((each) => each?.map((item) => item.class));
    assert.deepEqual([counts, ...classes], [{ [name]: 1 }, [name], [name]]);
    assert.deepEqual(Object.keys(list().resources[0] ?? {}), ["type", "name", "id"]);
  });

  const kind =
    /--project prj-1: A project has notification configurations in the hashicorp dialect only, and this service has the documented one/;
  for (const [what, args, expected, message] of [
    [
      "an unknown class",
      "--resource Thing=1",
      2,
      /--resource: "Thing" is not a class that can be imported; expected one of .*Project, /,
    ],
    ["no id", "--resource Project", 2, /--resource must be CLASS=ID, such as Project=.*not "Project"/],
    [
      "a class that cannot be read back",
      "--resource ProjectWorkspaces=prj-1",
      2,
      /--resource: provisioning\.ProjectWorkspaces cannot be imported: its service has no request/,
    ],
    ["a provider without a name", "--mfa --provider europe", 2, /--provider must be NAME=URN, not "europe"/],
    ["an object that there is not", "--resource PushMethod=none", 1, /=none: there is no PushMethod none/],
    ["a place that there is not", "--organization nowhere", 1, /--organization nowhere: .*404/],
    ["a project in the documented dialect", "--project prj-1", 1, kind],
    ["a place that is empty", "--scheduler nowhere", 1, /--scheduler nowhere: |nothing to import/],
  ] as const) {
    it(`import-file refuses ${what}`, async () => {
      const { status, error } = await importing(args.split(" "));
      assert.equal(status, expected, error);
      assert.match(error, message);
      assert.deepEqual(readdirSync(directory), []);
    });
  }

  it("import-file refuses to overwrite a file unless told to", async () => {
    writeFileSync(join(directory, "imports.json"), "mine");
    const { status, error } = await importing(["--mfa"]);
    assert.equal(status, 2);
    assert.match(error, /--out: .*imports\.json already exists.*--overwrite/);
    assert.equal(emulator.journal.count(), 0);
    assert.equal((await importing(["--mfa", "--overwrite"])).status, 0);
    assert.equal(list().resources.length, 2);
  });

  it("import-file says where to name a service that is not named", async () => {
    const { status, error } = await importing(["--mfa"], {});
    assert.equal(status, 1);
    assert.match(error, /SECRETS_ADDR.*looks in the environment only/);
  });
});
