import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import * as trivium from "../../../sdk/index";
import { declared, useMocks, warningsOf } from "../mocks";

const at = "https://service.example";
const organization = "pulumi-nodejs:dynamic/trivium/provisioning:AdminOrganization";
const rotation = "secrets/directory:RootRotation";

describe("the state of its own stack", () => {
  let state: Readonly<Record<string, unknown>>;
  let failures: number;
  const stacks: unknown[] = [];
  const read = ({ inputs }: { readonly inputs: unknown }) => {
    stacks.push(inputs);
    failures -= 1;
    return failures < 0 ? { outputs: state } : assert.fail("the backend is writing");
  };
  const mocked = useMocks({ readsState: true, response: read });

  beforeEach(() => {
    stacks.length = failures = 0;
  });

  const inherited = async (declare: () => pulumi.Resource): Promise<unknown> => {
    await declared(declare());
    return mocked.registered.at(-1)?.inputs.__run;
  };
  const acme = (name = "acme", options = {}) =>
    new trivium.provisioning.AdminOrganization("renamed", { name }, options);
  const config = (mount?: string) =>
    new trivium.secrets.directory.Config("config", { binddn: "cn=a", bindpass: "p", mount });

  it("a stack's own state provides a renamed resource with the data of its former entries, from either adapter", async () => {
    const outputs = { name: "acme", __managed: { isDisabled: true }, __at: at, __private: { was: 1 } };
    state = {
      former: { type: organization, outputs },
      ofPlugin: { type: "trivium:provisioning:AdminOrganization", outputs: { ...outputs, __managed: null } },
      ofAnother: { type: organization, outputs: { ...outputs, name: "other" } },
      ofAnotherType: { type: organization.replace("Admin", ""), outputs },
      withoutType: { outputs },
      withoutOutputs: { type: organization },
      withoutPlace: { type: organization, outputs: { ...outputs, __at: null } },
    };
    const remembered = { at, privateState: { was: 1 }, managed: [] };
    const both = [{ ...remembered, managed: ["isDisabled"] }, remembered];
    assert.deepEqual(await inherited(() => acme()), { inherited: both });
    const ignoring = { ignoreChanges: ["isDisabled"] };
    assert.deepEqual(await inherited(() => acme("unheard-of", ignoring)), { ignored: ["isDisabled"] });
    assert.deepEqual(stacks, [{ stackName: "acme/project/stack" }], "read once");
  });

  it("a stack's own state shows a configuration what another class did with the same mount", async () => {
    const outputs = { mount: "ldap", __at: at, __private: { was: 1 } };
    state = {
      usual: { type: `pulumi-nodejs:dynamic/trivium/${rotation}`, outputs },
      other: { type: `trivium:${rotation}`, outputs: { mount: "other", __at: `${at}/2` } },
    };
    const nothing = { privateState: {}, managed: [] };
    assert.deepEqual(await inherited(config), { inherited: [{ at, ...nothing }] });
    const ofOther = { at: `${at}/2`, ...nothing };
    assert.deepEqual(await inherited(() => config("other")), { inherited: [ofOther] });
  });

  it("a stack's own state is read again while the engine writes it", async () => {
    failures = 2;
    state = { former: { type: organization, outputs: { name: "acme", __at: at, __private: {} } } };
    assert.deepEqual(await inherited(() => acme()), { inherited: [{ at, privateState: {}, managed: [] }] });
    assert.equal(stacks.length, 3);
  });
});

describe("a resource that a preview creates", () => {
  const place = "https://service.example/v1";
  let state: Readonly<Record<string, unknown>>;
  let reads = 0;
  useMocks({ preview: true, readsState: true, response: () => ({ outputs: (reads += 1) && state }) });

  it("a resource that a preview creates does not require state that only changes use", async () => {
    reads = 0;
    await declared(new trivium.provisioning.AdminOrganization("acme", { name: "acme" }));
    assert.equal(reads, 0);
  });

  const { StaticRole } = trivium.secrets.directory;
  const roleArgs = { roleName: "payments", username: "svc", rotationPeriod: "24h" };
  const warned = (
    args: object = {},
    others: object = {},
    former = "trivium:secrets/directory:StaticRole::former",
    options: pulumi.CustomResourceOptions = {},
  ): Promise<readonly string[]> =>
    warningsOf(async () => {
      pulumi.runtime.setAllConfig({ "trivium:secretsAddress": "https://service.example" });
      const outputs = { mount: "ldap", roleName: "payments", __at: place, ...others };
      const type = "pulumi-nodejs:dynamic/trivium/secrets/directory:StaticRole";
      state = {
        [`urn:pulumi:stack::project::${former}`]: { type, outputs },
      };
      await declared(new StaticRole("renamed", { ...roleArgs, ...args }, options));
      await new Promise((resolve) => setTimeout(resolve, 50));
    });

  it("a resource that a preview creates causes a warning with the alias if state has its object under another name", async () => {
    const [warning = "", ...others] = await warned();
    assert.match(
      warning,
      /StaticRole "renamed" is planned as new, but .*"former".*aliases: \[\{ name: "former" \}\]/,
    );
    assert.deepEqual(others, []);
  });

  for (const [former, isMoved, alias] of [
    ["former", true, 'name: "former", parent: pulumi.rootStackResource }].'],
    ["renamed", true, "parent: pulumi.rootStackResource }]."],
    [
      "acme:index:Team$",
      false,
      "parent: formerParent }], where formerParent is the component of type acme:index:Team.",
    ],
  ] as const) {
    it(`a resource that a preview creates causes a warning with an alias that works in every stack: ${alias}`, async () => {
      const parent = isMoved ? new pulumi.ComponentResource("acme:index:Other", "other") : undefined;
      const urn = isMoved
        ? `trivium:secrets/directory:StaticRole::${former}`
        : `${former}trivium:secrets/directory:StaticRole::renamed`;
      const [warning = ""] = await warned({}, {}, urn, parent === undefined ? {} : { parent });
      assert.ok(warning.endsWith(`add the option aliases: [{ ${alias}`), warning);
    });
  }

  for (const [what, args, outputs] of [
    ["another object", { roleName: "search" }, {}],
    ["an object of another mount", {}, { mount: "teams/ldap" }],
    ["an object of another service", {}, { __at: "https://other.example/v1" }],
    ["an object that it adopts", { adopt: true }, {}],
  ] as const) {
    it(`a resource that a preview creates does not cause a warning for ${what}`, async () => {
      assert.deepEqual(await warned(args, outputs), []);
    });
  }
});
