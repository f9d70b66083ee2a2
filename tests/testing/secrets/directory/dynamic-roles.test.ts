import assert from "node:assert/strict";
import { useEmulator } from "../../../support/use-emulator";
import { at, textAt } from "../../call";
import { assertRefused, numbered } from "../refusals";
import { addEntries, DirectoryClient, dnOf, settings, users } from "./directory";

const account = `cn={{.Username}},${users}`;
const creation = `dn: ${account}\nchangetype: add\nobjectClass: person\ncn: {{.Username}}\nuserPassword: {{.Password}}\n`;
const deletion = `dn: ${account}\nchangetype: delete\n`;
const role = { creation_ldif: creation, deletion_ldif: deletion };

describe("the emulated directory engine's dynamic roles", () => {
  const emulator = useEmulator({ frozenAt: new Date("2024-02-09T15:04:05Z") });
  let ldap: DirectoryClient;
  before(() => {
    ldap = new DirectoryClient(emulator);
  });
  beforeEach(async () => {
    addEntries(emulator);
    await ldap.write("config", settings);
  });

  const write = async (body: object, name = "dyn"): Promise<void> => ldap.write(`role/${name}`, body);
  const failing = async (body: object, error: string | RegExp): Promise<void> => {
    const before = emulator.inspect().secrets;
    const reply = await ldap.send("POST", "role/dyn", body);
    assertRefused(reply, 500, typeof error === "string" ? numbered(error) : error);
    assert.deepEqual(emulator.inspect().secrets, before);
  };
  const credentials = async (name = "dyn"): Promise<unknown> => {
    const reply = await ldap.send("GET", `creds/${name}`);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    return reply.body;
  };
  const entries = () => emulator.inspect().secrets.directoryEntries;
  const entry = (dn: string) => entries().find((candidate) => candidate.dn === dn);
  const refusedCredentials = async (error: string | RegExp): Promise<void> => {
    const before = entries();
    const reply = await ldap.send("GET", "creds/dyn");
    assertRefused(reply, 500, typeof error === "string" ? numbered(error) : error);
    assert.deepEqual(entries(), before);
    assert.deepEqual(emulator.inspect().secrets.leases, []);
  };

  describe("written", () => {
    it("need LDIF for creation and deletion, also after an update", async () => {
      await failing({ deletion_ldif: deletion }, "missing creation_ldif");
      await failing({ creation_ldif: creation }, "missing deletion_ldif");
      await write(role);
      await failing({ creation_ldif: "" }, "missing creation_ldif");
      await failing({ deletion_ldif: "" }, "missing deletion_ldif");
    });

    it("are refused with broken LDIF", async () => {
      await failing(
        { ...role, creation_ldif: "hello" },
        "invalid creation_ldif: LDIF is invalid: Error in line 1: missing 'dn:'",
      );
      await failing({ ...role, deletion_ldif: "dn: cn=a" }, /invalid deletion_ldif: LDIF is invalid/);
      await failing(
        { ...role, rollback_ldif: "dn: {{nope}}" },
        /invalid rollback_ldif: invalid template: .*"nope" not defined/,
      );
      await failing({ ...role, creation_ldif: "{{.Username" }, /unclosed action/);
      await failing({ ...role, creation_ldif: "# nothing" }, /must specify at least one LDIF entry/);
    });
  });

  describe("issue credentials", () => {
    it("with a password as the schema ad wants it", async () => {
      const quoted = 'unicodePwd::{{ printf "%q" .Password | utf16le | base64 }}';
      await write({
        ...role,
        creation_ldif: `dn: ${account}\nchangetype: add\n${quoted}\n`,
        username_template: "x",
      });
      const password = textAt(await credentials(), "data", "password");
      assert.equal(entry(dnOf("x"))?.password, password);
    });

    it("by several changes, in their order", async () => {
      const group = `cn=group,${users}`;
      emulator.secrets.addDirectoryEntry({ dn: group });
      const join = `dn: ${group}\nchangetype: modify\nadd: member\nmember: ${account}\n-\n`;
      await write({ ...role, creation_ldif: `${creation}\n${join}`, username_template: "x" });
      const names = at(await credentials(), "data", "distinguished_names");
      assert.deepEqual(names, [dnOf("x"), group]);
      assert.deepEqual(entry(group)?.attributes["member"], [dnOf("x")]);
    });

    it("under a name of the default template, which keeps dashes and underscores", async () => {
      await write(role, "web-app_1");
      const username = textAt(await credentials("web-app_1"), "data", "username");
      assert.match(username, /^v_[\w-]+_web-app_1_[A-Za-z0-9]{10}_1707491045$/);
      await write({ username_template: '{{.RoleName | replace "-" "" | replace "_" ""}}' }, "web-app_1");
      assert.equal(textAt(await credentials("web-app_1"), "data", "username"), "webapp1");
    });

    it("with the times of the lease, never later than its own", async () => {
      const times = ["IssueTime", "ExpirationTime", "IssueTimeSeconds", "ExpirationTimeSeconds"];
      const written = times.map((name) => `${name}: {{ .${name} }}\n`).join("");
      await write({ ...role, creation_ldif: creation + written, username_template: "x", default_ttl: "1h" });
      assert.equal(at(await credentials(), "lease_duration"), 3_600);
      const { attributes = {} } = entry(dnOf("x")) ?? {};
      assert.deepEqual(
        times.map((name) => attributes[name]),
        [["2024-02-09T15:04:05Z"], ["2024-02-09T16:04:05Z"], ["1707491045"], ["1707494645"]],
      );
    });

    it("not with a broken template", async () => {
      await write({ ...role, username_template: "{{.RoleName" });
      await refusedCredentials(
        "failed to generate username: unable to parse template: template: template:1: unclosed action",
      );
      await write({ username_template: "{{nope 3}}" });
      await refusedCredentials(/function "nope" not defined/);
      await write({ username_template: "{{.Password}}" });
      await refusedCredentials(/can't evaluate field Password/);
    });

    it("not when the directory refuses; what was made before stays without a rollback", async () => {
      const broken = `${creation}\ndn: cn=x,ou=nowhere,${users}\nchangetype: add\ncn: x\n\n${creation.replace("cn=", "cn=never-")}`;
      await write({ ...role, creation_ldif: broken, username_template: "x" });
      const reply = await ldap.send("GET", "creds/dyn");
      assertRefused(
        reply,
        500,
        /failed to create user: failed to execute statements: LDAP Result Code 32 "No Such Object"/,
      );
      assert.ok(entry(dnOf("x")) !== undefined);
      assert.equal(entry(dnOf("never-x")), undefined);
      assert.deepEqual(emulator.inspect().secrets.leases, []);
      assert.deepEqual(emulator.inspect().secrets.directoryIssuedAccounts, []);
    });

    it("not when the directory refuses; a rollback removes what was made, going on after errors", async () => {
      const second = `cn=second-{{.Username}},${users}`;
      const broken = `${creation}\ndn: ${account}\nchangetype: add\ncn: x\n`;
      const rollback = `dn: ${second}\nchangetype: delete\n\n${deletion}`;
      await write({ ...role, creation_ldif: broken, rollback_ldif: rollback, username_template: "x" });
      await refusedCredentials(
        /failed to create user: .*"Entry Already Exists".*failed to roll back user creation: .*"No Such Object"/,
      );
      await write({ rollback_ldif: deletion });
      await refusedCredentials(
        'failed to create user: failed to execute statements: LDAP Result Code 68 "Entry Already Exists": ',
      );
    });
  });

  describe("remove accounts", () => {
    it("when their lease is revoked, or their mount removed", async () => {
      await write({ ...role, username_template: "{{random 5}}" });
      const [one, other] = [await credentials(), await credentials()];
      emulator.secrets.revokeLease(textAt(one, "lease_id"));
      assert.equal(entry(dnOf(textAt(one, "data", "username"))), undefined);
      assert.ok(entry(dnOf(textAt(other, "data", "username"))) !== undefined);
      emulator.secrets.removeMount("ldap");
      assert.equal(entry(dnOf(textAt(other, "data", "username"))), undefined);
    });

    it("as far as that is possible, and say what was not", async () => {
      const twice = `dn: cn=gone,${users}\nchangetype: delete\n\n${deletion}`;
      await write({ ...role, deletion_ldif: twice, default_ttl: 60, username_template: "x" });
      await credentials();
      emulator.advance("1m");
      assert.equal(entry(dnOf("x")), undefined);
      assert.equal(
        emulator.inspect().secrets.directoryIssuedAccounts[0]?.deletionFailure,
        'LDAP Result Code 32 "No Such Object": ',
      );
      await write({ deletion_ldif: deletion });
      await credentials();
      emulator.secrets.removeDirectoryConfig();
      emulator.advance("1m");
      assert.ok(entry(dnOf("x")) !== undefined);
      assert.equal(
        emulator.inspect().secrets.directoryIssuedAccounts[1]?.deletionFailure,
        "missing LDAP configuration",
      );
    });
  });
});
