import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Properties } from "../support/provider-process";
import { makeWorld, type World } from "../engine/plugin/world";
import { run } from "./binary";

describe("npx pulumi-trivium import-file", function () {
  this.timeout(60_000);

  let world: World;
  let directory: string;
  before(async () => {
    world = await makeWorld();
  });
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "import-file-"));
    world.emulator.journal.clear();
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));
  after(async () => world.close());

  const importing = async (args: readonly string[], environment = world.emulator.environment) => {
    const command = run(["import-file", "--out", join(directory, "imports.json"), ...args], environment);
    return { status: await command.ended, ...command.printed };
  };
  const written = (): string[] => readdirSync(directory).sort();
  const list = () =>
    JSON.parse(readFileSync(join(directory, "imports.json"), "utf8")) as {
      readonly nameTable?: unknown;
      readonly resources: readonly Readonly<Record<string, string>>[];
    };

  it("writes types, names and ids, and says what to do", async () => {
    const { status, out, error } = await importing(world.options);
    assert.deepEqual([status, error], [0, ""]);
    const { resources } = list();
    assert.equal(resources.length, 20);
    for (const resource of resources) {
      assert.deepEqual(Object.keys(resource), ["type", "name", "id"]);
      assert.match(resource.type ?? "", /^trivium:/);
    }
    const names = resources.map(({ name }) => name);
    assert.equal(new Set(names).size, names.length);
    assert.ok(
      ["payments-production", "deployments", "deployments-2", "teams-eu-ldap", "Größe-支付"].every((name) =>
        names.includes(name),
      ),
      names.join(),
    );
    assert.match(out, /^provisioning\.Project +2$/m);
    assert.match(
      out,
      /^ {2}npx pulumi-trivium use-plugin\n {2}pulumi import -f \S+imports\.json --out imported\.ts$/m,
    );
    assert.ok(world.emulator.journal.requests().every(({ method }) => method === "GET"));
  });

  it("writes the provider and the parent as `pulumi import` takes them", async () => {
    const urn = (name: string): string => `urn:pulumi:dev::acme::pulumi:providers:trivium::${name}`;
    const placed = ["--provider", `europe=${urn("eu")}`, "--parent", `platform=${urn("platform")}`];
    const { status, error } = await importing(["--organization", "acme", ...placed]);
    assert.deepEqual([status, error], [0, ""]);
    const { nameTable, resources } = list();
    assert.deepEqual(nameTable, { europe: urn("eu"), platform: urn("platform") });
    assert.ok(resources.every(({ provider, parent }) => provider === "europe" && parent === "platform"));
  });

  it("imports an object once that several options name", async () => {
    const id = world.emulator.inspect().provisioning.projects.find(({ isDefault }) => !isDefault)?.id ?? "";
    const { out } = await importing(["--json", "--organization", "acme", "--resource", `Project=${id}`]);
    assert.deepEqual((JSON.parse(out) as { counts: unknown }).counts, { "provisioning.Project": 2 });
  });

  it("names the class of what it imports and of what it leaves out", async () => {
    const { id = "" } = world.emulator.inspect().secrets.totpMethods[0] ?? {};
    const path = `/v1/identity/mfa/method/totp/${id}`;
    const fault = world.emulator.faults.add({ service: "secrets", path, status: 400, times: 9 });
    const { out } = await importing(["--json", "--mfa"]);
    fault.remove();
    const { counts, resources, leftOut } = JSON.parse(out) as Record<string, Properties[]>;
    const name = "secrets.mfa.TotpMethod";
    const classes = [resources, leftOut].map((each) => each?.map((item) => item.class));
    assert.deepEqual([counts, ...classes], [{ [name]: 1 }, [name], [name]]);
    assert.deepEqual(Object.keys(list().resources[0] ?? {}), ["type", "name", "id"]);
  });

  const refused: readonly [string, readonly string[], number, RegExp][] = [
    [
      "nothing to import",
      [],
      2,
      /No option names what to import\. See npx pulumi-trivium import-file --help/,
    ],
    [
      "an unknown class",
      ["--resource", "Thing=1"],
      2,
      /--resource: "Thing" is not a class that can be imported; expected one of .*Project, /,
    ],
    ["no id", ["--resource", "Project"], 2, /--resource must be CLASS=ID, such as Project=.*not "Project"/],
    [
      "a class that cannot be read back",
      ["--resource", "ProjectWorkspaces=prj-1"],
      2,
      /--resource: provisioning\.ProjectWorkspaces cannot be imported: its service has no request/,
    ],
    [
      "a provider without a name",
      ["--mfa", "--provider", "europe"],
      2,
      /--provider must be NAME=URN, not "europe"/,
    ],
    [
      "an object that there is not",
      ["--resource", "PushMethod=none"],
      1,
      /--resource PushMethod=none: there is no PushMethod none/,
    ],
    ["a place that there is not", ["--organization", "nowhere"], 1, /--organization nowhere: .*404/],
    ["a place that is empty", ["--scheduler", "nowhere"], 1, /--scheduler nowhere: |nothing to import/],
  ];
  for (const [what, args, expected, message] of refused) {
    it(`refuses ${what}`, async () => {
      const { status, error } = await importing(args);
      assert.equal(status, expected, error);
      assert.match(error, message);
      assert.deepEqual(written(), []);
    });
  }

  it("refuses to overwrite a file unless told to", async () => {
    writeFileSync(join(directory, "imports.json"), "mine");
    const { status, error } = await importing(["--mfa"]);
    assert.equal(status, 2);
    assert.match(error, /--out: .*imports\.json already exists.*--overwrite/);
    assert.equal(world.emulator.journal.count(), 0);
    assert.equal((await importing(["--mfa", "--overwrite"])).status, 0);
    assert.equal(list().resources.length, 2);
  });

  it("says where to name a service that is not named", async () => {
    const { status, error } = await importing(["--mfa"], {});
    assert.equal(status, 1);
    assert.match(error, /SECRETS_ADDR.*looks in the environment only/);
  });
});
