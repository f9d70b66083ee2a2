import assert from "node:assert/strict";
import { definitionIn } from "../../../sdk/resource/definition";
import fc from "fast-check";
import { z } from "zod";
import type { JsonValue } from "../../../sdk/base/json";
import { canonicalForm } from "../../../sdk/resource/fields/field";
import { checkArguments } from "../../../sdk/resource/lifecycle/check";
import { directory } from "../../../sdk/secrets";
import { dynamicRoleDefinition } from "../../../sdk/secrets/directory/dynamic-role";
import { FakeEngine } from "../../support/fake-engine";
import type { Properties } from "../../support/provider-process";
import { useSecrets } from "../emulated-client";

const dn = "dn: cn={{.Username}},ou=services,dc=acme,dc=example";
const creationLdif = `${dn}\nchangetype: add\nobjectClass: person\ncn: {{.Username}}\nuserPassword: {{.Password}}\n`;
const deletionLdif = `${dn}\nchangetype: delete\n`;
const base: Properties = { roleName: "operators", creationLdif, deletionLdif };
const more = {
  rollbackLdif: deletionLdif,
  usernameTemplate: "ops_{{random 8}}",
  defaultTtl: "1h",
  maxTtl: "8h",
};
const full: Properties = { ...base, ...more };
const encoded = (text: string): string => Buffer.from(text).toString("base64");

describe("secrets.directory.DynamicRole", () => {
  const emulator = useSecrets();

  const manage = (args: Properties = full) => FakeEngine.create(dynamicRoleDefinition, emulator, args);
  const written = () => emulator.journal.requests({ method: "POST" }).map(({ body }) => body);

  it("a dynamic role is created without arguments that the program omits or leaves empty", async () => {
    const managed = await manage({ ...base, rollbackLdif: "", usernameTemplate: "", maxTtl: null });
    assert.deepEqual(written(), [{ creation_ldif: creationLdif, deletion_ldif: deletionLdif }]);
    const empty = { ...base, rollbackLdif: null, usernameTemplate: null, maxTtl: 0 };
    assert.equal(await managed.up(empty), "same");
  });

  const cleared = { maxTtl: 0, usernameTemplate: null, rollbackLdif: null, defaultTtl: null };
  for (const [change, body] of [
    [{ rollbackLdif: encoded(creationLdif) }, { rollback_ldif: encoded(creationLdif) }],
    [cleared, { max_ttl: 0, username_template: "", rollback_ldif: "", default_ttl: "" }],
  ] as const) {
    it(`a dynamic role sends only what has changed: ${Object.keys(change).join(", ")}`, async () => {
      const managed = await manage();
      assert.equal(await managed.up({ ...full, ...change }), "updated");
      assert.deepEqual(written().slice(1), [body]);
    });
  }

  const undecoded = encoded("dn: cn={{.Username\n");
  const password = `${creationLdif}unicodePwd:: {{printf "%q" .Password | utf16le | base64}}\n`;
  const previews: readonly [Properties, problem?: RegExp][] = [
    [{ usernameTemplate: "{{nope 3}}" }, /^usernameTemplate .*line 1, column 3: .*nope/],
    [{ usernameTemplate: "x_\n{{.RoleName" }, /^usernameTemplate .*line 2, column 1: /],
    [{ usernameTemplate: "{{end}}".repeat(4) }, /column 1: .* column 8: .* column 15: .*\. And 1 more\.$/],
    [{ creationLdif: "hello" }, /^creationLdif .*line 1, column 1: /],
    [{ rollbackLdif: undecoded }, /^rollbackLdif .*in the decoded text, line 1, column \d+: /],
    [{ maxTtl: 1.5 }, /^maxTtl must be a whole number of seconds, or have a unit$/],
    [{ creationLdif: password }],
    [{ usernameTemplate: "", rollbackLdif: "" }],
    // All of this is LDIF by RFC 2849, and the document forbids none of it.
    [{ creationLdif: `DN: cn={{.Username}}\nChangeType: add\ncn: {{.Username}}\ndescription:\n` }],
    [{ deletionLdif: "dn: cn={{.Username}}\nchangetype: modify\ndelete: Mail\nmail: x\n-\n" }],
  ];
  for (const [args, problem] of previews) {
    it(`a preview of a dynamic role ${problem === undefined ? "accepts" : "refuses"} ${JSON.stringify(args)}`, async () => {
      const found = await new FakeEngine(dynamicRoleDefinition, emulator).problems({ ...full, ...args });
      assert.match(found.join("\n"), problem ?? /^$/);
      assert.deepEqual([found.length, emulator.journal.count()], [problem === undefined ? 0 : 1, 0]);
    });
  }

  const tooLong = /^defaultTtl is longer than maxTtl, which limits the lifetime of accounts$/;
  for (const [args, warning] of [
    [{ usernameTemplate: "everybody" }, /^usernameTemplate might be wrong: line 1, column 1: /],
    [{ defaultTtl: "2h", maxTtl: "1h" }, tooLong],
  ] as const) {
    it(`a preview of a dynamic role warns about templates that are valid but look wrong: ${JSON.stringify(args)}`, () => {
      const checked = checkArguments(definitionIn(dynamicRoleDefinition, "documented"), z, {
        ...base,
        ...args,
      });
      assert.deepEqual([checked.failures, checked.warnings.length], [[], 1]);
      assert.match(checked.warnings.join(), warning);
    });
  }

  it("getDynamicRole reads a role under its name as written, with plain LDIF", async () => {
    await manage({ ...base, creationLdif: encoded(creationLdif), defaultTtl: "1h" });
    const role = {
      ...base,
      mount: "ldap",
      rollbackLdif: "",
      usernameTemplate: "",
      defaultTtl: 3600,
      maxTtl: 0,
    };
    assert.deepEqual(await directory.getDynamicRole({ roleName: "operators" }), role);
  });
});

describe("the canonical form of LDIF", () => {
  const plain = "dn: cn={{.Username}},dc=acme\nchangetype: delete";
  const ldif = (text: JsonValue): JsonValue | undefined =>
    canonicalForm(definitionIn(dynamicRoleDefinition, "documented").arguments.creationLdif ?? {}, text);

  it("the canonical form of LDIF is the same for its base64, however that is wrapped", () => {
    const line = fc.stringMatching(/^[a-z]{1,8}: [a-z0-9 {}.ü]{0,40}$/);
    fc.assert(
      fc.property(fc.array(line, { minLength: 1 }), fc.integer({ min: 1, max: 80 }), (lines, width) => {
        const text = lines.join("\n");
        const wrapped = encoded(text).replace(new RegExp(`.{${width}}`, "g"), "$&\n");
        assert.deepEqual([ldif(encoded(text)), ldif(wrapped)], [ldif(text), ldif(text)]);
      }),
    );
  });

  const same = [`${plain}\n`, `\n\n${plain}`, plain.replace("\n", "\r\n"), plain.replace("\n", "\r")];
  const others = [plain.replace("\n", "\n\n"), plain.replace("\n", "\n "), plain.replace("dn", "DN")];
  for (const text of [...same, ...others]) {
    it(`the canonical form of LDIF ignores line endings and surrounding white space: ${JSON.stringify(text)}`, () =>
      assert.equal(ldif(text) === plain, same.includes(text)));
  }

  it("the canonical form of LDIF is null for an empty text, and leaves other values unchanged", () =>
    assert.deepEqual([ldif(""), ldif(" \n"), ldif(null), ldif(5)], [null, null, null, 5]));
});
