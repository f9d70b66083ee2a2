import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { format } from "prettier";
import { canaries, makeWorld, type World } from "../engine/import/world";
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
    const files = ["--out", join(directory, "imports.json"), "--program", join(directory, "imported.ts")];
    const command = run(["import-file", ...files, ...args], environment);
    return { status: await command.ended, ...command.printed };
  };
  const written = (): string[] => readdirSync(directory).sort();

  it("writes a program as a formatter would, and says what to do", async () => {
    const { status, out, error } = await importing(world.options);
    assert.deepEqual([status, error], [0, ""]);
    const program = readFileSync(join(directory, "imported.ts"), "utf8");
    assert.equal(await format(program, { parser: "typescript" }), program);
    assert.match(out, /^provisioning\.Project +2$/m);
    assert.match(out, /^ {2}pulumi config set --secret ldapBindpass +# bindpass of the Config ldap$/m);
    assert.match(out, /^ {2}pulumi config set --secret deploymentsToken +# .*, if it has one$/m);
    assert.match(out, /^ {2}pulumi import -f \S+imports\.json --generate-code=false$/m);
    assert.match(out, /^ {2}pulumi refresh$/m);
    assert.ok(world.emulator.journal.requests().every(({ method }) => method === "GET"));
  });

  it("asks for no refresh and no configuration where there is no secret", async () => {
    const { status, out } = await importing(["--organization", "acme"]);
    assert.equal(status, 0);
    assert.doesNotMatch(out, /refresh|secrets/);
    assert.doesNotMatch(readFileSync(join(directory, "imported.ts"), "utf8"), /Config/);
  });

  it("imports an object once that several options name", async () => {
    const id = world.emulator.inspect().provisioning.projects.find(({ isDefault }) => !isDefault)?.id ?? "";
    const { out } = await importing(["--json", "--organization", "acme", "--resource", `Project=${id}`]);
    assert.deepEqual((JSON.parse(out) as { counts: unknown }).counts, { "provisioning.Project": 2 });
  });

  it("leaves out what the library would not accept, and says why", async () => {
    const { address, token } = world.emulator.secrets;
    const { ok } = await fetch(`${address}/v1/sys/mfa/method/pushauth/broken`, {
      method: "POST",
      headers: { "x-secrets-token": token, "content-type": "application/json" },
      body: JSON.stringify({
        mount_accessor: "auth_userpass_00000001",
        username_format: "{{nobody}}",
        secret_key: canaries.secretKey,
        integration_key: canaries.integrationKey,
        api_hostname: "api-1234.example.com",
      }),
    });
    assert.ok(ok);
    const named = ["--resource", "PushMethod=broken", "--resource", "PushMethod=phone"];
    const { status, out, error } = await importing(named);
    assert.equal(status, 0, error);
    assert.match(out, /^Not imported:\n {2}PushMethod broken: its arguments are not valid: usernameFormat /m);
    assert.doesNotMatch(readFileSync(join(directory, "imports.json"), "utf8"), /broken/);
  });

  for (const [what, args, message] of [
    ["nothing to import", [], /No option names what to import\. See npx pulumi-trivium import-file --help/],
    [
      "an unknown class",
      ["--resource", "Thing=1"],
      /--resource: "Thing" is not a class that can be imported; expected one of .*Project, /,
    ],
    ["no id", ["--resource", "Project"], /--resource must be CLASS=ID, such as Project=.*not "Project"/],
    [
      "a class that cannot be read back",
      ["--resource", "ProjectWorkspaces=prj-1"],
      /--resource: provisioning\.ProjectWorkspaces cannot be imported: its service has no request/,
    ],
    [
      "two files that Node takes for one",
      ["--mfa", "--out", "x.json", "--program", "x.ts"],
      /--program: x\.ts and x\.json must have different names/,
    ],
  ] as const) {
    it(`refuses ${what}`, async () => {
      const { status, error } = await importing(args);
      assert.equal(status, 2, error);
      assert.match(error, message);
      assert.deepEqual(written(), []);
    });
  }

  it("refuses to overwrite files unless told to", async () => {
    writeFileSync(join(directory, "imported.ts"), "mine");
    const { status, error } = await importing(["--mfa"]);
    assert.equal(status, 2);
    assert.match(error, /--program: .*imported\.ts already exists.*--overwrite/);
    assert.deepEqual(written(), ["imported.ts"]);
    assert.equal(world.emulator.journal.count(), 0);
    assert.equal((await importing(["--mfa", "--overwrite"])).status, 0);
    assert.notEqual(readFileSync(join(directory, "imported.ts"), "utf8"), "mine");
  });

  for (const [what, args, message] of [
    [
      "an object that there is not",
      ["--resource", "PushMethod=none"],
      /--resource PushMethod=none: there is no PushMethod none/,
    ],
    ["a place that there is not", ["--organization", "nowhere"], /--organization nowhere: .*404/],
    ["a place that is empty", ["--scheduler", "nowhere"], /--scheduler nowhere: |nothing to import/],
  ] as const) {
    it(`fails for ${what}, naming the option`, async () => {
      const { status, error } = await importing(args);
      assert.equal(status, 1, error);
      assert.match(error, message);
      assert.deepEqual(written(), []);
    });
  }

  it("says where to name a service that is not named", async () => {
    const { status, error } = await importing(["--mfa"], {});
    assert.equal(status, 1);
    assert.match(error, /SECRETS_ADDR.*looks in the environment only/);
  });
});
