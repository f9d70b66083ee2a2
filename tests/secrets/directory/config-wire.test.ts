import assert from "node:assert/strict";
import { secretsDialects } from "../../../sdk/secrets/dialect";
import { configurationBody, readConfiguration } from "../../../sdk/secrets/directory/config-wire";
import { type Emulator, startEmulator } from "../../../sdk/testing";
import { secretsClientOf } from "../emulated-client";

const { documented, hashicorp } = secretsDialects;

describe("the body that writes a configuration", () => {
  const given =
    (...names: string[]) =>
    (name: string) =>
      names.includes(name);
  const bodyOf = (values: Readonly<Record<string, unknown>>, ...names: string[]) =>
    configurationBody(values, given(...names), documented);

  it("holds what there is to say, and nothing that the service does not know", () => {
    const values = { binddn: "cn=a", url: "", starttls: false, mount: "ldap", caseSensitiveNames: true };
    assert.deepEqual(bodyOf(values), { binddn: "cn=a", url: "", starttls: false });
    assert.deepEqual(bodyOf({ userdn: null, length: undefined }), {});
  });

  it("names the kind of directory as the service does", () => {
    const schemas = ["open", "ad", "racf", undefined];
    const sent = (dialect: typeof documented) =>
      schemas.map((schema) => configurationBody({ schema }, given(), dialect).schema);
    assert.deepEqual(sent(documented), ["open", "ad", "racf", undefined]);
    assert.deepEqual(sent(hashicorp), ["openldap", "ad", "racf", undefined]);
  });

  it("brings the search attribute back to what the kind of directory has", () => {
    const attributes = ["open", "ad", "racf", undefined].map(
      (schema) => bodyOf({ schema, userattr: null }).userattr,
    );
    assert.deepEqual(attributes, ["cn", "userPrincipalName", "racfid", "cn"]);
  });

  const lengths: readonly [string, Readonly<Record<string, unknown>>, string[], object][] = [
    ["a length alone", { length: 20, passwordPolicy: "" }, ["length"], { length: 20, password_policy: "" }],
    ["a policy alone", { passwordPolicy: "p" }, ["passwordPolicy"], { password_policy: "p" }],
    [
      "a policy that the program names",
      { length: 20, passwordPolicy: "p" },
      ["passwordPolicy"],
      { password_policy: "p" },
    ],
    [
      "a policy with a length that was cleared",
      { length: 0, passwordPolicy: "p" },
      ["length", "passwordPolicy"],
      { password_policy: "p" },
    ],
    [
      "a length that the program names",
      { length: 20, passwordPolicy: "p" },
      ["length"],
      { length: 20, password_policy: "" },
    ],
    [
      "a policy where the program names neither",
      { length: 20, passwordPolicy: "p" },
      [],
      { password_policy: "p" },
    ],
  ];
  for (const [name, values, names, body] of lengths) {
    it(`says ${name}, never both`, () => {
      assert.deepEqual(bodyOf(values, ...names), body);
    });
  }
});

describe("a configuration that is read", () => {
  let emulator: Emulator;
  before(async () => {
    emulator = await startEmulator();
  });
  after(async () => emulator.close());
  beforeEach(() => emulator.reset());

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
