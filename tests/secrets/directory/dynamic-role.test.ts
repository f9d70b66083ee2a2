import assert from "node:assert/strict";
import { canonicalForm } from "../../../sdk/resource/fields/field";
import fc from "fast-check";
import { z } from "zod";
import { checkArguments } from "../../../sdk/resource/lifecycle/check";
import {
  dynamicRoleDefinition,
  getDynamicRole,
  listDynamicRoles,
} from "../../../sdk/secrets/directory/dynamic-role";
import { FakeEngine } from "../../support/fake-engine";
import type { Properties } from "../../support/provider-process";
import { useEnvironment } from "../../connection/environment";
import type { JsonValue } from "../../../sdk/base/json";
import { useEmulator } from "../../support/use-emulator";
const dn = "cn={{.Username}},ou=services,dc=acme,dc=example";
const creationLdif = `dn: ${dn}\nchangetype: add\nobjectClass: person\ncn: {{.Username}}\nsn: {{.Username}}\nuserPassword: {{.Password}}\n`;
const deletionLdif = `dn: ${dn}\nchangetype: delete\n`;
const base: Properties = { roleName: "operators", creationLdif, deletionLdif };
const full: Properties = {
  ...base,
  rollbackLdif: deletionLdif,
  usernameTemplate: "ops_{{random 8}}",
  defaultTtl: "1h",
  maxTtl: "8h",
};

const encoded = (text: string): string => Buffer.from(text).toString("base64");

describe("secrets.directory.DynamicRole", () => {
  const emulator = useEmulator();

  const manage = (args: Properties = full) => FakeEngine.create(dynamicRoleDefinition, emulator, args);
  const written = () => emulator.journal.requests({ method: "POST" }).map(({ body }) => body);

  it("a dynamic role is made without what the program leaves out, or leaves empty", async () => {
    const managed = await manage({ ...base, rollbackLdif: "", usernameTemplate: "", maxTtl: null });
    assert.deepEqual(written(), [{ creation_ldif: creationLdif, deletion_ldif: deletionLdif }]);
    const empty = { ...base, rollbackLdif: null, usernameTemplate: null, maxTtl: 0 };
    assert.equal(await managed.up(empty), "same");
  });

  const changes: readonly [Properties, Properties][] = [
    [{ rollbackLdif: encoded(creationLdif) }, { rollback_ldif: encoded(creationLdif) }],
    [
      { maxTtl: 0, usernameTemplate: null, rollbackLdif: null, defaultTtl: null },
      { max_ttl: 0, username_template: "", rollback_ldif: "", default_ttl: "" },
    ],
  ];
  for (const [change, body] of changes) {
    it(`a dynamic role sends only what has changed: ${Object.keys(change).join(", ")}`, async () => {
      const managed = await manage();
      assert.equal(await managed.up({ ...full, ...change }), "updated");
      assert.deepEqual(written().slice(1), [body]);
    });
  }

  it("a dynamic role keeps base64 as the program has it, and returns the plain text", async () => {
    const args = { ...full, creationLdif: encoded(creationLdif) };
    const managed = await manage(args);
    assert.equal(managed.outputs.creationLdif, creationLdif);
    await managed.refresh();
    assert.equal(managed.inputs.creationLdif, encoded(creationLdif));
    assert.equal(await managed.up(args), "same");
    assert.equal(await managed.up(full), "same");
  });

  const problems = (args: Properties): Promise<string[]> =>
    new FakeEngine(dynamicRoleDefinition, emulator).problems({ ...full, ...args });

  const refused: readonly [Properties, RegExp][] = [
    [{ usernameTemplate: "{{nope 3}}" }, /^usernameTemplate .*line 1, column 3: .*nope/],
    [{ usernameTemplate: "x_\n{{.RoleName" }, /^usernameTemplate .*line 2, column 1: /],
    [{ usernameTemplate: "{{end}}".repeat(4) }, /column 1: .* column 8: .* column 15: .*\. And 1 more\.$/],
    [{ creationLdif: "hello" }, /^creationLdif .*line 1, column 1: /],
    [
      { rollbackLdif: encoded("dn: cn={{.Username\n") },
      /^rollbackLdif .*in the decoded text, line 1, column \d+: /,
    ],
    [{ maxTtl: 1.5 }, /^maxTtl must be a whole number of seconds, or have a unit$/],
  ];
  for (const [args, problem] of refused) {
    it(`a preview of a dynamic role refuses ${JSON.stringify(args)}`, async () => {
      const found = await problems(args);
      assert.equal(found.length, 1, found.join());
      assert.match(found[0] ?? "", problem);
      assert.equal(emulator.journal.count(), 0);
    });
  }

  const accepted: readonly Properties[] = [
    { creationLdif: `${creationLdif}unicodePwd:: {{printf "%q" .Password | utf16le | base64}}\n` },
    { usernameTemplate: "", rollbackLdif: "" },
    // All of this is LDIF by RFC 2849, and the document forbids none of it.
    { creationLdif: `DN: cn={{.Username}}\nChangeType: add\ncn: {{.Username}}\ndescription:\n` },
    { deletionLdif: "dn: cn={{.Username}}\nchangetype: modify\ndelete: Mail\nmail: x\n-\n" },
  ];
  for (const args of accepted) {
    it(`a preview of a dynamic role accepts ${JSON.stringify(args)}`, async () => {
      assert.deepEqual(await problems(args), []);
    });
  }

  it("a preview of a dynamic role warns of what works but looks wrong, and of a default above the longest time", () => {
    const judge = (args: Properties) =>
      checkArguments(dynamicRoleDefinition, z, "documented", { ...base, ...args });
    const { failures, warnings } = judge({ usernameTemplate: "everybody" });
    assert.deepEqual([failures, warnings.length], [[], 1]);
    assert.match(warnings[0] ?? "", /^usernameTemplate may be wrong: line 1, column 1: /);
    const actual = judge({ defaultTtl: "2h", maxTtl: "1h" });
    assert.deepEqual(actual, {
      failures: [],
      warnings: ["defaultTtl is longer than maxTtl, which limits the life of accounts"],
    });
  });
});

describe("secrets.directory.getDynamicRole", () => {
  const emulator = useEmulator();

  useEnvironment(() => emulator.environment);
  const ldif = "dn: cn={{.Username}},dc=acme,dc=example\nchangetype: delete\n";

  it("getDynamicRole reads a role under its name as written, its LDIF plain", async () => {
    await new FakeEngine(dynamicRoleDefinition, emulator).up({
      roleName: "operators",
      creationLdif: Buffer.from(ldif).toString("base64"),
      deletionLdif: ldif,
      defaultTtl: "1h",
    });
    assert.deepEqual(await getDynamicRole({ roleName: "operators" }), {
      mount: "ldap",
      roleName: "operators",
      creationLdif: ldif,
      deletionLdif: ldif,
      rollbackLdif: "",
      usernameTemplate: "",
      defaultTtl: 3600,
      maxTtl: 0,
    });
  });
});

describe("the canonical form of LDIF", () => {
  const plain = "dn: cn={{.Username}},dc=acme\nchangetype: delete";
  const ldif = (text: JsonValue): JsonValue | undefined =>
    canonicalForm(dynamicRoleDefinition.arguments.creationLdif ?? {}, text);

  it("the canonical form of LDIF is that of its base64, however that is wrapped", () => {
    const line = fc.stringMatching(/^[a-z]{1,8}: [a-z0-9 {}.ü]{0,40}$/);
    fc.assert(
      fc.property(fc.array(line, { minLength: 1 }), fc.integer({ min: 1, max: 80 }), (lines, width) => {
        const text = lines.join("\n");
        const encoded = Buffer.from(text).toString("base64");
        const wrapped = encoded.replace(new RegExp(`.{${width}}`, "g"), "$&\n");
        assert.equal(ldif(encoded), ldif(text));
        assert.equal(ldif(wrapped), ldif(text));
      }),
    );
  });

  it("the canonical form of LDIF depends on what is inside, not on line ends and white space around", () => {
    for (const text of [
      `${plain}\n`,
      `\n\n${plain}`,
      plain.replace("\n", "\r\n"),
      plain.replace("\n", "\r"),
    ]) {
      assert.equal(ldif(text), plain);
    }
    for (const text of [plain.replace("\n", "\n\n"), plain.replace("\n", "\n "), plain.replace("dn", "DN")]) {
      assert.notEqual(ldif(text), ldif(plain));
    }
  });

  it("the canonical form of LDIF is null for nothing, and for what is no text that text", () =>
    assert.deepEqual([ldif(""), ldif(" \n"), ldif(null), ldif(5)], [null, null, null, 5]));
});

describe("secrets.directory.listDynamicRoles", () => {
  const emulator = useEmulator({ dialect: "hashicorp" });
  useEnvironment(() => emulator.environment);

  it("listDynamicRoles lists the roles of the products, which import-file finds too, and is refused in the documented dialect", async () => {
    assert.deepEqual(await listDynamicRoles(), { names: [] });
    await FakeEngine.create(dynamicRoleDefinition, emulator, base);
    assert.deepEqual(await listDynamicRoles({ mount: "ldap" }), { names: ["operators"] });
    process.env.SECRETS_DIALECT = "documented";
    await assert.rejects(listDynamicRoles(), /no list of dynamic roles/);
  });
});
