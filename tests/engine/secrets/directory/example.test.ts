import assert from "node:assert/strict";
import { useEmulator } from "../../../support/use-emulator";
import { ProgramDirectory } from "../../support/program-directory";

const bindPassword = "canary-bind-password-77ce";
const accounts = ["svc-payments", "svc-report-1", "svc-report-2"];

describe("the example of the directory", function () {
  // Its types are checked at each run.
  this.timeout(180_000);

  const emulator = useEmulator({ resets: false });
  let example: ProgramDirectory;
  const secrets = new Set<string>([bindPassword]);
  const passwordOf = (name: string): string => {
    const entry = emulator.inspect().secrets.directoryEntries.find(({ dn }) => dn.startsWith(`cn=${name},`));
    const password = entry?.password ?? assert.fail(`${name} has no password`);
    secrets.add(password);
    return password;
  };
  const lent = (): readonly string[] =>
    emulator
      .inspect()
      .secrets.directoryLibraryAccounts.filter(({ checkOut }) => checkOut !== null)
      .map(({ name }) => name);

  before(async function () {
    this.timeout(900_000);
    emulator.secrets.addDirectoryEntry({ dn: "cn=admin,dc=example,dc=org", password: bindPassword });
    for (const name of accounts) {
      emulator.secrets.addDirectoryEntry({ dn: `cn=${name},ou=services,dc=example,dc=org` });
    }
    const { SECRETS_ADDR = "", SECRETS_TOKEN = "" } = emulator.environment;
    secrets.add(SECRETS_TOKEN);
    example = await ProgramDirectory.ofExample("directory", { SECRETS_ADDR, SECRETS_TOKEN });
    await example.run("config", "set", "--secret", "bindPassword", bindPassword);
  });
  after(() => {
    example.remove();
  });

  it("makes no request in a preview", async () => {
    await example.run("preview");
    assert.equal(emulator.journal.count(), 0);
  });

  it("rotates the bind password before anything is done with it, and never sends it again", async () => {
    await example.run("up", "--yes", "--skip-preview");
    assert.notEqual(passwordOf("admin"), bindPassword);
    const writes = emulator.journal.requests({ method: "POST" }).map(({ path }) => path);
    assert.deepEqual(writes.slice(0, 2), ["/v1/ldap/config", "/v1/ldap/rotate-root"]);
    await example.run("config", "set", "directoryUrl", "ldaps://other.example.org");
    await example.run("up", "--yes", "--skip-preview");
    const sent = emulator.journal.requests({ path: "/v1/ldap/config", method: "POST" });
    assert.deepEqual(
      sent.map(({ body }) => Object.hasOwn(body as object, "bindpass")),
      [true, false],
    );
  });

  it("knows the rotated password, and hands the component the account that it has borrowed", async () => {
    assert.equal(await example.outputOf("paymentsPassword"), passwordOf("svc-payments"));
    const account = await example.outputOf("reportAccount");
    assert.deepEqual(lent(), [account]);
    assert.deepEqual(JSON.parse(await example.outputOf("reportEnvironment")), {
      LDAP_URL: "ldaps://other.example.org",
      LDAP_USER: account,
      LDAP_PASSWORD: passwordOf(account),
    });
  });

  it("then changes nothing, also after a refresh", async () => {
    const before = lent();
    emulator.journal.clear();
    await example.run("refresh", "--yes", "--skip-preview", "--expect-no-changes");
    await example.run("preview", "--expect-no-changes");
    assert.equal(emulator.journal.count({ method: "POST" }), 0);
    assert.deepEqual(lent(), before);
  });

  it("gives the account back and leaves only the accounts behind", async () => {
    await example.run("destroy", "--yes", "--skip-preview");
    const inspection = emulator.inspect().secrets;
    assert.deepEqual(
      [
        inspection.directoryConfigs,
        inspection.directoryStaticRoles,
        inspection.directoryDynamicRoles,
        inspection.directoryLibrarySets,
      ],
      [[], [], [], []],
    );
    assert.deepEqual(lent(), []);
    accounts.forEach(passwordOf);
  });

  it("shows no secret in clear", async () => {
    const everywhere = example.output + (await example.files());
    assert.ok(secrets.size > 5, "passwords were collected");
    for (const secret of secrets) {
      assert.ok(!everywhere.includes(secret), "a secret was shown");
    }
  });
});
