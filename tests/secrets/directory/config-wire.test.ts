import assert from "node:assert/strict";
import { secretsDialects } from "../../../sdk/secrets/dialect";
import { configurationBodies, readConfiguration } from "../../../sdk/secrets/directory/config-wire";
import { useEmulator } from "../../support/use-emulator";
import { secretsClientOf } from "../emulated-client";

const { documented, hashicorp } = secretsDialects;

describe("the body that writes a configuration", () => {
  const given =
    (...names: string[]) =>
    (name: string) =>
      names.includes(name);
  const only = <Body>(bodies: readonly Body[]): Body => {
    assert.equal(bodies.length, 1);
    return bodies[0] ?? assert.fail();
  };
  const bodyOf = (values: Readonly<Record<string, unknown>>, ...names: string[]) =>
    only(configurationBodies({ values, isGiven: given(...names), hasPolicy: false }, documented));

  it("holds what there is to say, and nothing that the service does not know", () => {
    const values = { binddn: "cn=a", url: "", starttls: false, mount: "ldap", caseSensitiveNames: true };
    assert.deepEqual(bodyOf(values), { binddn: "cn=a", url: "", starttls: false });
    assert.deepEqual(bodyOf({ userdn: null, length: undefined }), {});
  });

  it("names the kind of directory as the service does", () => {
    const schemas = ["open", "ad", "racf", undefined];
    const sent = (dialect: typeof documented) =>
      schemas.map(
        (schema) =>
          only(configurationBodies({ values: { schema }, isGiven: given(), hasPolicy: false }, dialect))
            .schema,
      );
    assert.deepEqual(sent(documented), ["open", "ad", "racf", undefined]);
    assert.deepEqual(sent(hashicorp), ["openldap", "ad", "racf", undefined]);
  });

  it("brings the search attribute back to what the kind of directory has", () => {
    const attributes = ["open", "ad", "racf", undefined].map(
      (schema) => bodyOf({ schema, userattr: null }).userattr,
    );
    assert.deepEqual(attributes, ["cn", "userPrincipalName", "racfid", "cn"]);
  });

  const lengths: readonly [string, Readonly<Record<string, unknown>>, string[], object[]][] = [
    ["a length alone", { length: 20, passwordPolicy: "" }, ["length"], [{ length: 20 }]],
    ["a policy alone", { passwordPolicy: "p" }, ["passwordPolicy"], [{ password_policy: "p" }]],
    ["the usual length for one that is cleared", { length: null }, ["length"], [{ length: 64 }]],
    [
      "a policy that the program names",
      { length: 20, passwordPolicy: "p" },
      ["passwordPolicy"],
      [{ password_policy: "p" }],
    ],
    [
      "a policy with a length that was cleared",
      { length: null, passwordPolicy: "p" },
      ["length", "passwordPolicy"],
      [{ password_policy: "p" }],
    ],
    [
      "a policy where the program names neither",
      { length: 20, passwordPolicy: "p" },
      [],
      [{ password_policy: "p" }],
    ],
    ["no length that is only the usual one", { length: 64 }, [], [{}]],
    ["another length that is there", { length: 20 }, [], [{ length: 20 }]],
  ];
  for (const [name, values, names, bodies] of lengths) {
    it(`says ${name}, and never both`, () => {
      const wanted = { values, isGiven: given(...names), hasPolicy: false };
      assert.deepEqual(configurationBodies(wanted, documented), bodies);
    });
  }

  it("takes a policy away in a request of its own before a length replaces it", () => {
    for (const passwordPolicy of ["p", ""]) {
      const wanted = { values: { length: 20, passwordPolicy }, isGiven: given("length"), hasPolicy: true };
      assert.deepEqual(configurationBodies(wanted, documented), [{ password_policy: "" }, { length: 20 }]);
    }
    const cleared = {
      values: { length: 64, passwordPolicy: "" },
      isGiven: given("passwordPolicy"),
      hasPolicy: true,
    };
    assert.deepEqual(configurationBodies(cleared, documented), [{ password_policy: "" }]);
  });

  it("names both in the hashicorp dialect, where a policy that is left out stays", () => {
    const wanted = { values: { length: 20, passwordPolicy: "p" }, isGiven: given("length"), hasPolicy: true };
    assert.deepEqual(configurationBodies(wanted, hashicorp), [{ length: 20, password_policy: "" }]);
    const cleared = { values: { length: null }, isGiven: given("length"), hasPolicy: false };
    assert.deepEqual(configurationBodies(cleared, hashicorp), [{ length: 0 }]);
  });
});

describe("a configuration that is read", () => {
  const emulator = useEmulator();

  const read = async (answer: unknown) => {
    emulator.faults.add({ method: "GET", status: 200, body: answer });
    return readConfiguration(secretsClientOf(emulator), "ldap");
  };

  it("does not tell what the answer does not", async () => {
    assert.deepEqual(await read({ data: { binddn: "cn=a", url: null } }), { binddn: "cn=a", url: null });
  });

  it("has durations in seconds in every spelling of an answer", async () => {
    const state = await read({ data: { request_timeout: "90s", connection_timeout: 5 } });
    assert.deepEqual(state, { requestTimeout: 90, connectionTimeout: 5 });
  });

  it("is undefined when there is none", async () => {
    assert.equal(await readConfiguration(secretsClientOf(emulator), "ldap"), undefined);
  });
});
