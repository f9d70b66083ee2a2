import assert from "node:assert/strict";
import { programArguments } from "../../../sdk/command-line/import-file/arguments";
import type { Dialect } from "../../../sdk/base/settings";
import type { AnyResourceDefinition } from "../../../sdk/resource/definition";
import type { JsonObject, JsonValue } from "../../../sdk/base/json";
import { notificationConfigurationDefinition } from "../../../sdk/provisioning/notification-configuration";
import { projectDefinition } from "../../../sdk/provisioning/project";
import { configDefinition } from "../../../sdk/secrets/directory/config";
import { dynamicRoleDefinition } from "../../../sdk/secrets/directory/dynamic-role";
import { accessDefinition } from "../../../sdk/secrets/scheduler/access";
import { roleDefinition } from "../../../sdk/secrets/scheduler/role";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { format } from "prettier";
import { literal, textLiteral } from "../../../sdk/command-line/import-file/literal";
import { inCamelCase, readableName, UniqueNames } from "../../../sdk/command-line/import-file/names";

const argumentsOf = (
  definition: AnyResourceDefinition,
  values: JsonObject,
  dialect: Dialect = "documented",
) => programArguments(definition, dialect, values);

describe("the arguments of a program for an object", () => {
  it("are those that differ from the service's defaults, and those that have to be given", () => {
    const { plain, secrets, untold, problems } = argumentsOf(roleDefinition, {
      mount: "scheduler",
      name: "deploy",
      policies: ["job-submit"],
      global: false,
      type: "client",
      lease: "",
    });
    assert.deepEqual(plain, { name: "deploy", policies: ["job-submit"] });
    assert.deepEqual([secrets, untold, problems], [[], [], []]);
  });

  it("are durations as people write them, where they are durations", () => {
    const { plain } = argumentsOf(dynamicRoleDefinition, {
      mount: "teams/ldap",
      roleName: "operators",
      creationLdif: "dn: cn={{.Username}}\nchangetype: add\nobjectClass: person",
      deletionLdif: "dn: cn={{.Username}}\nchangetype: delete",
      rollbackLdif: "",
      defaultTtl: 5400,
      maxTtl: 0,
    });
    assert.deepEqual(Object.keys(plain), ["mount", "roleName", "creationLdif", "deletionLdif", "defaultTtl"]);
    assert.equal(plain.defaultTtl, "90m");
  });

  it("come from configuration where they are secret, told or not", () => {
    const generic = { workspaceId: "ws-1", name: "n", destinationType: "generic", enabled: false };
    const { plain, secrets, untold } = argumentsOf(notificationConfigurationDefinition, {
      ...generic,
      url: "https://hooks.example.com/x",
      triggers: [],
      userIds: [],
    });
    assert.deepEqual(plain, { workspaceId: "ws-1", name: "n", destinationType: "generic" });
    assert.deepEqual(secrets, [
      { name: "url", optional: false },
      { name: "token", optional: true },
    ]);
    assert.deepEqual(untold, []);
  });

  it("leave out what the object cannot have", () => {
    const email = { workspaceId: "ws-1", name: "n", destinationType: "email", enabled: true };
    const { plain, secrets, untold } = argumentsOf(notificationConfigurationDefinition, {
      ...email,
      url: null,
      triggers: ["run:errored"],
      userIds: ["user-1"],
    });
    assert.deepEqual(plain, { ...email, triggers: ["run:errored"], userIds: ["user-1"] });
    assert.deepEqual([secrets, untold], [[], []]);
  });

  it("name what the service does not tell", () => {
    const { secrets, untold } = argumentsOf(configDefinition, {
      mount: "ldap",
      binddn: "cn=binder",
      url: "ldap://a",
    });
    assert.deepEqual(secrets, [{ name: "bindpass", optional: false }]);
    assert.ok(
      ["userdn", "clientTlsCert", "clientTlsKey"].every((name) => untold.includes(name)),
      String(untold),
    );
  });

  it("leave out a length of passwords that the documents give to all configurations, and keep others", () => {
    const configuration = { mount: "ldap", binddn: "cn=binder", url: "ldap://a", length: 64 };
    for (const [values, dialect, expected] of [
      [configuration, "documented", ["binddn", "url"]],
      [{ ...configuration, passwordPolicy: "strong" }, "documented", ["binddn", "url", "passwordPolicy"]],
      [{ ...configuration, length: 20 }, "documented", ["binddn", "url", "length"]],
      // The products tell it only where somebody has set it.
      [configuration, "hashicorp", ["binddn", "url", "length"]],
    ] as const) {
      const { plain, problems } = argumentsOf(configDefinition, values, dialect);
      assert.deepEqual([Object.keys(plain), problems], [expected, []]);
    }
  });

  it("have to be given where the dialect asks for them", () => {
    const values = { mount: "scheduler", address: "https://scheduler.example.com" };
    assert.deepEqual(argumentsOf(accessDefinition, values).secrets, [{ name: "token", optional: true }]);
    assert.deepEqual(argumentsOf(accessDefinition, values, "hashicorp").secrets, [
      { name: "token", optional: false },
    ]);
  });

  it("are refused as the library would refuse the program", () => {
    assert.match(
      argumentsOf(projectDefinition, { organization: "acme", name: "no" }).problems.join(),
      /^name must have at least 3 characters$/,
    );
    assert.match(
      argumentsOf(projectDefinition, { name: "payments" }).problems.join(),
      /^organization is required$/,
    );
  });
});

const evaluated = (text: string): unknown =>
  JSON.parse(JSON.stringify(runInNewContext(`(${text})`))) as unknown;

describe("values in program text", () => {
  it("are read back as what they were", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
        const plain = JSON.parse(JSON.stringify(value)) as JsonValue;
        assert.deepEqual(evaluated(literal(plain, "", 0)), plain);
      }),
      { examples: [[{ ["__proto__"]: "" }], [{ "\n": 0 }]] },
    );
  });

  it("are texts that can do nothing else, whatever is in them", () => {
    const part = fc.constantFrom(
      "`",
      "${",
      "}",
      "\\",
      '"',
      "'",
      "\n",
      "\r",
      "\u2028",
      "\u202e",
      "\0",
      "*/",
      "x",
    );
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const text = parts.join("");
        const written = textLiteral(text);
        assert.equal(runInNewContext(written), text);
        assert.doesNotMatch(written, /[^\P{C}\n]|\u2028/u);
      }),
    );
  });

  it("keep the lines of a text", () => {
    assert.equal(textLiteral("dn: {{.Username}}\nx: ${y}`\\"), "`dn: {{.Username}}\nx: \\${y}\\`\\\\`");
  });

  it("are laid out as a formatter would", async () => {
    const value = {
      list: ["run:needs_attention", "run:completed", "run:errored", "assessment:drifted"],
      short: ["a", "b"],
      nested: { "with space": 'say "x"', both: `"'`, empty: [], none: {} },
      number: 1.5,
      nothing: null,
    };
    const text = `x(${literal(value, "", 2)});\n`;
    assert.equal(await format(text, { parser: "typescript" }), text);
  });
});

describe("names of imported resources", () => {
  for (const [text, name] of [
    ["payments", "payments"],
    ["Payments Production", "Payments-Production"],
    ["teams/eu/ldap", "teams-eu-ldap"],
    ["Größe  (neu)", "Größe-neu"],
    ["a::b", "a-b"],
    ["支付", "支付"],
    ["!", "project"],
    ["", "project"],
  ] as const) {
    it(`make ${name} of ${JSON.stringify(text)}`, () => {
      assert.equal(readableName(text, "project"), name);
    });
  }

  it("are each given once", () => {
    const names = new UniqueNames("-");
    assert.deepEqual(
      ["web", "web", "web-2", "web", "api"].map((name) => names.take(name)),
      ["web", "web-2", "web-2-2", "web-3", "api"],
    );
  });

  it("begin the keys of secrets", () => {
    assert.equal(inCamelCase("Payments-Production.eu_2"), "paymentsProductionEu2");
    assert.equal(inCamelCase("Zürich-2"), "zurich2");
    assert.equal(inCamelCase("支付"), "");
  });
});
