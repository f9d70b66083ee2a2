import assert from "node:assert/strict";
import { useEmulator } from "../../../support/use-emulator";
import { at, textAt } from "../../call";
import { assertRefused, numbered } from "../refusals";
import { addEntries, binddn, DirectoryClient, dnOf, settings, users } from "./directory";

const account = `cn={{.Username}},${users}`;
const creation = `dn: ${account}\nchangetype: add\nobjectClass: person\ncn: {{.Username}}\nuserPassword: {{.Password}}\n`;
const deletion = `dn: ${account}\nchangetype: delete\n`;
const role = { creation_ldif: creation, deletion_ldif: deletion };
const base64 = (text: string): string => Buffer.from(text, "utf8").toString("base64");

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
    it("are read as they are, with nothing for what is not set", async () => {
      await write(role);
      assert.deepEqual(await ldap.read("role/dyn"), {
        creation_ldif: creation,
        default_ttl: 0,
        deletion_ldif: deletion,
        max_ttl: 0,
        rollback_ldif: "",
        username_template: "",
      });
    });

    it("change only what is sent, and lose what is sent empty", async () => {
      await write({
        ...role,
        rollback_ldif: deletion,
        username_template: "u",
        default_ttl: "1h",
        max_ttl: 86_400,
      });
      await write({ default_ttl: "2h" });
      await write({});
      assert.deepEqual(emulator.inspect().secrets.directoryDynamicRoles, [
        {
          mount: "ldap",
          name: "dyn",
          creationLdif: creation,
          deletionLdif: deletion,
          rollbackLdif: deletion,
          usernameTemplate: "u",
          defaultTtl: 7_200,
          maxTtl: 86_400,
        },
      ]);
      await write({ rollback_ldif: "", username_template: "", default_ttl: "", max_ttl: "" });
      assert.deepEqual(await ldap.read("role/dyn"), {
        creation_ldif: creation,
        default_ttl: 0,
        deletion_ldif: deletion,
        max_ttl: 0,
        rollback_ldif: "",
        username_template: "",
      });
    });

    it("are decoded from base64", async () => {
      await write({
        creation_ldif: base64(creation),
        deletion_ldif: base64(deletion),
        rollback_ldif: base64(deletion),
      });
      const read = await ldap.read("role/dyn");
      assert.deepEqual(
        [at(read, "creation_ldif"), at(read, "deletion_ldif"), at(read, "rollback_ldif")],
        [creation, deletion, deletion],
      );
    });

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

    it("are not refused with a broken template for names, nor with a default above the maximum", async () => {
      await write({ ...role, username_template: "{{nope 3}}", default_ttl: "2h", max_ttl: "1h" });
      await write({ username_template: "{{.RoleName" });
    });

    it("are refused with unknown attributes and wrong kinds", async () => {
      assertRefused(
        await ldap.send("POST", "role/dyn", { ...role, role_name: "dyn" }),
        400,
        /unrecognized .*role_name/,
      );
      assertRefused(await ldap.send("POST", "role/dyn", { ...role, default_ttl: -1 }), 400, /"default_ttl"/);
      assertRefused(await ldap.send("POST", "role/dyn", { creation_ldif: 3 }), 400, /"creation_ldif"/);
    });

    it("keep the case of their names; are absent with 404; are deleted also then", async () => {
      await write(role, "DyN");
      assert.equal(at(await ldap.read("role/DyN"), "creation_ldif"), creation);
      await ldap.done("DELETE", "role/dyn");
      assert.equal(at(await ldap.read("role/DyN"), "creation_ldif"), creation);
      for (const path of ["role/dyn", "creds/dyn"]) {
        const reply = await ldap.send("GET", path);
        assert.deepEqual([reply.status, reply.body], [404, { errors: [] }]);
      }
      await ldap.done("DELETE", "role/dyn");
    });

    it("can be changed and removed behind a program's back", async () => {
      assert.throws(
        () => emulator.secrets.changeDirectoryDynamicRole("dyn", {}),
        /no directory dynamic role "dyn"/,
      );
      await write(role);
      assert.equal(emulator.secrets.changeDirectoryDynamicRole("dyn", { defaultTtl: 60 }).defaultTtl, 60);
      assert.equal(at(await ldap.read("role/dyn"), "default_ttl"), 60);
      emulator.secrets.removeDirectoryDynamicRole("dyn");
      assert.equal((await ldap.send("GET", "role/dyn")).status, 404);
    });
  });

  describe("issue credentials", () => {
    it("for an account that is then in the directory", async () => {
      await write({
        ...role,
        default_ttl: "1h",
        username_template: "u_{{.RoleName}}_{{.DisplayName}}_{{random 6}}",
      });
      const token = emulator.secrets.addToken({ displayName: "ada" });
      const reply = await new DirectoryClient(emulator, "ldap", token).send("GET", "creds/dyn");
      assert.equal(reply.status, 200);
      assert.match(textAt(reply.body, "lease_id"), /^ldap\/creds\/dyn\/[A-Za-z0-9]{24}$/);
      assert.deepEqual([at(reply.body, "renewable"), at(reply.body, "lease_duration")], [true, 3_600]);
      const username = textAt(reply.body, "data", "username");
      assert.match(username, /^u_dyn_ada_[A-Za-z0-9]{6}$/);
      assert.deepEqual(at(reply.body, "data", "distinguished_names"), [dnOf(username)]);
      assert.deepEqual(entry(dnOf(username)), {
        dn: dnOf(username),
        password: textAt(reply.body, "data", "password"),
        attributes: { objectClass: ["person"], cn: [username] },
        mayManage: false,
      });
      assert.deepEqual(emulator.inspect().secrets.directoryIssuedAccounts, [
        {
          mount: "ldap",
          leaseId: textAt(reply.body, "lease_id"),
          roleName: "dyn",
          username,
          distinguishedNames: [dnOf(username)],
          deletionFailure: null,
        },
      ]);
    });

    it("each time for another account, with a name of its own when there is no template", async () => {
      await write(role);
      const [one, other] = [await credentials(), await credentials()];
      assert.match(textAt(one, "data", "username"), /^v_[^_]+_dyn_[A-Za-z0-9]{10}_1707491045$/);
      assert.notEqual(textAt(one, "data", "username"), textAt(other, "data", "username"));
      assert.notEqual(textAt(one, "data", "password"), textAt(other, "data", "password"));
    });

    it("with the fields that the documents name", async () => {
      const description = [
        "RoleName",
        "DisplayName",
        "IssueTime",
        "IssueTimeSeconds",
        "ExpirationTime",
        "ExpirationTimeSeconds",
      ]
        .map((field) => `{{.${field}}}`)
        .join(" ");
      await write({
        ...role,
        creation_ldif: `${creation}description: ${description}\n`,
        default_ttl: 60,
        username_template: "x",
      });
      await credentials();
      assert.deepEqual(entry(dnOf("x"))?.attributes["description"], [
        "dyn root 2024-02-09T15:04:05Z 1707491045 2024-02-09T15:05:05Z 1707491105",
      ]);
    });

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

    it("for as long as role and mount allow", async () => {
      emulator.secrets.addMount({
        type: "directory",
        path: "short",
        defaultLeaseTtl: "2h",
        maxLeaseTtl: "3h",
      });
      const short = new DirectoryClient(emulator, "short");
      await short.write("config", settings);
      const durationWith = async (body: object): Promise<unknown> => {
        await short.write("role/dyn", { ...role, default_ttl: 0, max_ttl: 0, ...body });
        return at((await short.send("GET", "creds/dyn")).body, "lease_duration");
      };
      assert.equal(await durationWith({}), 7_200);
      assert.equal(await durationWith({ default_ttl: "1h" }), 3_600);
      assert.equal(await durationWith({ default_ttl: "1h", max_ttl: "30m" }), 1_800);
      assert.equal(await durationWith({ max_ttl: "1h" }), 3_600);
      assert.equal(await durationWith({ default_ttl: "1d", max_ttl: "1d" }), 10_800);
      await write(role);
      assert.equal(at(await credentials(), "lease_duration"), 768 * 3_600);
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

    it("not without configuration, policy or the right password of the bind account", async () => {
      await write(role);
      await ldap.write("config", { password_policy: "strong" });
      await refusedCredentials('no password policy "strong" found');
      emulator.secrets.changeDirectoryEntry(binddn, { password: "changed" });
      await refusedCredentials('LDAP Result Code 49 "Invalid Credentials": ');
      await ldap.done("DELETE", "config");
      await refusedCredentials("missing LDAP configuration");
    });
  });

  describe("remove accounts", () => {
    it("when the time is over, also when the role has changed or is gone", async () => {
      await write({ ...role, default_ttl: "1h", username_template: "{{random 5}}" });
      const names = [];
      for (let count = 0; count < 2; count += 1) {
        names.push(dnOf(textAt(await credentials(), "data", "username")));
      }
      await write({ deletion_ldif: `dn: cn=other,${users}\nchangetype: delete\n` });
      await ldap.done("DELETE", "role/dyn");
      emulator.advance("59m");
      assert.ok(names.every((name) => entry(name) !== undefined));
      emulator.advance("1m");
      assert.ok(names.every((name) => entry(name) === undefined));
      assert.deepEqual(emulator.inspect().secrets.directoryIssuedAccounts, []);
    });

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
