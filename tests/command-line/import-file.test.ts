import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Emulator } from "../../sdk/testing";
import type { Properties } from "../support/provider-process";
import { FakeEngine } from "../support/fake-engine";
import { definitions } from "../support/services";
import { gatewayBodies } from "../support/gateway";
import { Proxy } from "../support/proxy";
import { useEmulator } from "../support/use-emulator";
import { useRunning } from "../support/use-running";
import { run } from "./binary";

const organization = "acme";
const url = "https://hooks.example.com/runs";
const mountAccessor = "auth_userpass_00000001";
const seed = {
  organizations: [{ name: organization }, { name: "search" }],
  projects: [{ id: "prj-pay", organization, name: "payments production" }],
  workspaces: [{ id: "ws-web", organization }],
  teams: [{ id: "team-ops", organization }],
};

/** Something of every class that can be imported. @returns the options of the command that imports all of it */
async function addObjects(emulator: Emulator): Promise<readonly string[]> {
  const { provisioning, secrets } = emulator;
  provisioning.changeOrganization(organization, { moduleConsumers: ["search"] });
  for (const destinationType of ["generic", "chat-a"] as const) {
    const configuration = { name: "deployments", destinationType, url };
    provisioning.addNotificationConfiguration({ workspace: "ws-web", ...configuration });
  }

  secrets.addEntityAlias({ name: "alice@example.com", canonicalId: secrets.addEntity().id, mountAccessor });
  secrets.addTotpMethod({ issuer: "Acme" });
  secrets.addTotpMethod({ issuer: "Größe 支付" });
  const keys = { secretKey: "canary-secret-key-1b7e", integrationKey: "canary-integration-key-1d55" };
  secrets.addPushMethod({ name: "phone", mountAccessor, ...keys, apiHostname: "api-1234.example.com" });
  secrets.changeSchedulerAccess({ address: emulator.scheduler.address });
  secrets.changeSchedulerLease({ ttl: 3_600, maxTtl: 7_200 });
  secrets.addSchedulerRole({ name: "deploy", policies: ["job-submit", "node-read"] });
  secrets.addSchedulerRole({ name: "operate", type: "management" });

  const [binddn, bindpass] = ["cn=binder,dc=acme,dc=example", "canary-bind-password-77ce"];
  const userdn = "ou=services,dc=acme,dc=example";
  const teamMount = "teams/eu/ldap";
  secrets.addMount({ type: "directory", path: teamMount });
  secrets.addDirectoryEntry({ dn: binddn, password: bindpass });
  const names = ["svc-1", "svc-2", "svc-3"];
  names.forEach((name) => secrets.addDirectoryEntry({ dn: `cn=${name},${userdn}` }));
  const make = (type: string, args: Properties) =>
    FakeEngine.create(definitions.get(`secrets/directory:${type}`), emulator, args);
  for (const [mount, username] of [
    ["ldap", "svc-1"],
    [teamMount, "svc-2"],
  ] as const) {
    await make("Config", { mount, binddn, bindpass, url: "ldaps://ldap.acme.example", userdn });
    await make("StaticRole", { mount, roleName: "payments", username, rotationPeriod: "36h" });
  }
  await make("LibrarySet", { name: "night-shift", serviceAccountNames: ["svc-3"] });
  const dn = `dn: cn={{.Username}},${userdn}\nchangetype: `;
  const [creationLdif, deletionLdif] = [`${dn}add\nobjectClass: person`, `${dn}delete`];
  await make("DynamicRole", { roleName: "operators", creationLdif, deletionLdif });
  const places = `--organization acme --admin-organization acme --workspace ws-web --directory ldap --directory ${teamMount}`;
  const objects = "--resource PushMethod=phone --resource secrets.directory.DynamicRole=ldap/operators";
  return `${places} --scheduler scheduler --entity-aliases --mfa ${objects}`.split(" ");
}

describe("npx pulumi-trivium import-file", function () {
  this.timeout(60_000);

  const emulator = useEmulator({ resets: false, seed });
  const products = useEmulator({ resets: false, dialect: "hashicorp", seed });
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

  it("import-file writes types, names and IDs, and prints the next steps", async () => {
    const { status, out, error } = await importing(everything);
    assert.deepEqual([status, error], [0, ""]);
    const { resources } = list();
    assert.equal(resources.length, 20);
    for (const resource of resources) {
      assert.deepEqual(Object.keys(resource), ["type", "name", "id"]);
      assert.match(resource.type ?? "", /^trivium:/);
    }
    const names = new Set(resources.map(({ name }) => name));
    const some = "payments-production deployments deployments-2 teams-eu-ldap Größe-支付".split(" ");
    assert.deepEqual([names.size, some.filter((name) => !names.has(name))], [20, []]);
    assert.match(out, /^provisioning\.Project +2$/m);
    const next =
      / {2}npx pulumi-trivium use-plugin\n {2}pulumi import -f \S+imports\.json --out imported\.ts\n/;
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

  it("import-file finds objects that exist only in the hashicorp dialect: configurations of projects and teams, and provider consumers", async () => {
    const { provisioning, environment } = products;
    provisioning.changeOrganization(organization, { providerConsumers: ["search"] });
    const ids = [{ project: "prj-pay" }, { team: "team-ops" }].map(
      (owner) => provisioning.addNotificationConfiguration({ ...owner, name: "deployments", url }).id,
    );
    const options = "--project prj-pay --team team-ops --admin-organization acme".split(" ");
    const { status, error } = await importing(options, environment);
    assert.deepEqual([status, error], [0, ""]);
    const found = list().resources.map(({ type = "", id }) => [type.replace(/^.*:/, ""), id]);
    assert.deepEqual(found.sort(), [
      ["AdminOrganization", organization],
      ...ids.sort().map((id) => ["NotificationConfiguration", id]),
      ["ProviderConsumers", organization],
    ]);
  });

  it("import-file imports an object once even if several options select it", async () => {
    const { out } = await importing("--json --organization acme --resource Project=prj-pay".split(" "));
    assert.deepEqual((JSON.parse(out) as { counts: unknown }).counts, { "provisioning.Project": 2 });
  });

  it("import-file leaves out objects that a stack of the project manages in the same service, or warns if the stacks cannot be read", async () => {
    const [first, second] = emulator
      .inspect()
      .provisioning.projects.filter(({ organization }) => organization === "acme");
    const entry = (id: string | undefined, name: string, address: string, external = false) => ({
      urn: `urn:pulumi:dev::shop::t::${name}`,
      type: "trivium:provisioning:Project",
      id,
      outputs: { __at: address },
      external,
    });
    const address = `${emulator.provisioning.address}/api/v2`;
    const resources = [
      entry(first?.id, "own", address),
      entry(second?.id, "elsewhere", "https://other.example"),
      entry(second?.id, "read", address, true),
    ];
    const pulumi = (script: string): void =>
      writeFileSync(join(directory, "pulumi"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const state = JSON.stringify({ deployment: { resources } });
    pulumi(`case "$2" in ls) echo '[{"name":"dev"}]';; *) echo '${state}';; esac`);
    const environment = { ...emulator.environment, PATH: `${directory}:${process.env.PATH ?? ""}` };
    const { out } = await importing(["--organization", "acme"], environment);
    const imported = list().resources.map(({ id }) => id);
    assert.deepEqual(imported, [second?.id], out);
    const managed = `provisioning.Project ${first?.id ?? ""}: the resource "own" of the stack dev manages it.`;
    assert.ok(out.includes(managed), out);
    pulumi("exit 1");
    const unknown = await importing(["--overwrite", "--organization", "acme"], environment);
    assert.equal(list().resources.length, 2);
    const reason = /^The file might include objects that a stack already manages\. .*Pulumi CLI failed/m;
    assert.match(unknown.out, reason);
  });

  it("import-file names the class of each object that it imports or leaves out", async () => {
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

  const noRequest = "cannot be imported, because the service has no request";
  const kind =
    "Notification configurations of a project are only available in the hashicorp dialect, but this service uses the documented dialect";
  for (const [what, args, expected, message] of [
    ["an unknown class", "--resource Thing=1", 2, '"Thing" is not a class that can be .* one of .*Project, '],
    ["no ID", "--resource Project", 2, 'must be CLASS=ID, such as Project=.*not "Project"'],
    [
      "a class whose objects cannot be read",
      "--resource ProjectWorkspaces=prj-1",
      2,
      `\\.ProjectWorkspaces ${noRequest}`,
    ],
    ["a provider without a name", "--provider europe --mfa", 2, 'must be NAME=URN, not "europe"'],
    ["an object that does not exist", "--resource PushMethod=none", 1, "=none: there is no PushMethod none"],
    ["a place that does not exist", "--organization nowhere", 1, "nowhere: .*404"],
    ["a project in the documented dialect", "--project prj-1", 1, `prj-1: ${kind}`],
    ["a place that is empty", "--scheduler nowhere", 1, "nowhere: |nothing to import"],
  ] as const) {
    it(`import-file rejects ${what}`, async () => {
      const { status, error } = await importing(args.split(" "));
      assert.equal(status, expected, error);
      assert.match(error, new RegExp(`${args.split(" ")[0]}.*${message}`));
      assert.deepEqual(readdirSync(directory), []);
    });
  }

  it("import-file overwrites a file only with --overwrite", async () => {
    writeFileSync(join(directory, "imports.json"), "mine");
    const { status, error } = await importing(["--mfa"]);
    assert.equal(status, 2);
    assert.match(error, /--out: .*imports\.json already exists.*--overwrite/);
    assert.equal(emulator.journal.count(), 0);
    assert.equal((await importing(["--mfa", "--overwrite"])).status, 0);
    assert.equal(list().resources.length, 2);
  });

  describe("behind a gateway that answers 404", () => {
    const proxy = useRunning(
      "a proxy",
      () => Proxy.start(emulator),
      (running) => running.close(),
    );
    const addresses = () => ({
      ...emulator.environment,
      PROVISIONING_ADDR: proxy.address("provisioning"),
      SECRETS_ADDR: proxy.address("secrets"),
    });
    const sources =
      "--organization acme, --admin-organization acme, --workspace ws-web, --directory ldap, --scheduler scheduler, --entity-aliases, --mfa, --resource Project=prj-pay, --resource DynamicRole=ldap/operators";

    for (const source of sources.split(", ")) {
      it(`import-file ${source} does not write a file, and reports that`, async () => {
        const isOfSecrets = /^--(?:directory|scheduler|entity|mfa|resource Dynamic)/.test(source);
        const foreign = gatewayBodies(isOfSecrets ? "secrets" : "provisioning");
        for (const body of foreign.slice(0, 2)) {
          proxy.before = () => ({ status: 404, ...body });
          const { status, error } = await importing(source.split(" "), addresses());
          proxy.clear();
          assert.equal(status, 1, error);
          assert.match(error, /404.*gateway/s);
          assert.doesNotMatch(error, /does not exist\.|there is no/);
          assert.deepEqual(readdirSync(directory), []);
        }
      });
    }

    it("import-file names each object that the gateway hides", async () => {
      const [body] = gatewayBodies("secrets");
      proxy.before = ({ target }) =>
        /method\/totp\/[^?]/.test(target) ? { status: 404, ...body } : undefined;
      const { status, out } = await importing(["--mfa", "--entity-aliases"], addresses());
      proxy.clear();
      assert.equal(status, 0);
      assert.equal(list().resources.length, 1);
      assert.equal(out.match(/ {2}secrets\.mfa\.TotpMethod \S+: .* 404.*gateway/g)?.length, 2, out);
    });
  });

  it("import-file explains where to configure a service that is not configured", async () => {
    const { status, error } = await importing(["--mfa"], {});
    assert.equal(status, 1);
    assert.match(error, /SECRETS_ADDR.*reads only the environment/);
  });
});
