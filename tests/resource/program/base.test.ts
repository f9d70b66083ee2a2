import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import * as provisioning from "../../../sdk/provisioning";
import * as sdk from "@pulumi/pulumi/version";
import { Provider } from "../../../sdk/connection/provider";
import { assertGetSupported } from "../../../sdk/resource/program/base";
import { DynamicCredential } from "../../../sdk/secrets/directory/dynamic-credential";
import { LibraryCheckout } from "../../../sdk/secrets/directory/library-checkout";
import { Role } from "../../../sdk/secrets/scheduler/role";
import { anotherCopy } from "./library-copies";
import { declared, type ResourceClass, secretOf, useMocks, valueOf, warningsOf } from "../mocks";

const { NotificationConfiguration, Project } = provisioning;
const stub = 'exports.handler=()=>require("pulumi-trivium/dynamic").provider("provisioning:Project")';
const token = "pulumi-nodejs:dynamic/trivium/provisioning:Project";

const args = { organization: "acme", name: "payments" };

describe("a resource under Pulumi's mocks", () => {
  const permissions = { canUpdate: true, canDestroy: true, canCreateWorkspace: true };
  const mocked = useMocks({ outputs: { permissions } });

  async function inputsOf(resource: pulumi.Resource): Promise<Readonly<Record<string, unknown>>> {
    await declared(resource);
    return mocked.registered.at(-1)?.inputs ?? assert.fail("nothing was registered");
  }

  /** The options with which the engine hears of a resource. */
  function optionsOf(declare: (options: pulumi.CustomResourceOptions) => unknown, options = {}) {
    let seen: pulumi.CustomResourceOptions = {};
    declare({ ...options, transformations: [({ opts }) => void (seen = opts)] });
    return seen;
  }

  it("a resource registers the program's arguments and what the engine needs, even if JavaScript passes a provider text", async () => {
    const given: object = { ...args, __provider: "exports.handler=()=>evil()" };
    const found = await inputsOf(new Project("payments", given as provisioning.ProjectArgs));
    const __urn = `urn:pulumi:stack::project::${token}::payments`;
    assert.deepEqual(found, { ...args, __provider: stub, __urn });
    const actual = mocked.registered.map(({ type, name, id }) => [type, name, id]);
    assert.deepEqual(actual, [[token, "payments", ""]]);
  });

  for (const [what, declare] of [
    ["name", (text: string) => new Project(`of ${text}`, args)],
    ["id", (text: string) => Project.get("payments", `prj-${text}`)],
    ["import", (text: string) => new Project("payments", args, { import: `prj-${text}` })],
  ] as const) {
    it(`a resource whose ${what} is an output in a string is rejected by name`, () => {
      const text = "Calling [toString] on an [Output<T>] is not supported.";
      assert.throws(() => declare(text), {
        message: new RegExp(
          `^The ${what} of a Project contains the SDK's message about an output in a string`,
        ),
      });
    });
  }

  it("a resource does not format a stack for each of the SDK's promises, and does not change other stacks", async () => {
    const stacks: { prepareStackTrace?: (error: Error, frames: NodeJS.CallSite[]) => unknown } = Error;
    const { prepareStackTrace: former } = stacks;
    const formatted: unknown[] = [];
    const recording: typeof former = (_, frames) => {
      formatted.push(frames[0]?.getFunctionName());
      return frames.map((frame) => frame.getFileName()).join("\n");
    };
    stacks.prepareStackTrace = recording;
    try {
      let inside: string | undefined;
      const read = (): undefined => void (inside = new Error("inside").stack);
      const project = new Project("stacks", args, { transformations: [read] });
      assert.match(String(inside), /base\.test\.ts/);
      assert.ok(!formatted.includes("debuggablePromise"));
      const refuse = (): never => assert.fail("refused");
      assert.throws(
        () => new Project("refused", args, { transformations: [refuse] }),
        ({ stack }: Error) => String(stack).includes("base.test.ts"),
      );
      assert.equal(stacks.prepareStackTrace, recording);
      await declared(project);
    } finally {
      stacks.prepareStackTrace = former;
    }
  });

  for (const [name, Class] of Object.entries(provisioning).filter((each) => "definition" in each[1])) {
    it(`a resource has every output on the instance: ${name}`, async () => {
      const { definition } = Class as unknown as ResourceClass;
      const resource = new (Class as unknown as ResourceClass)("subject", {});
      // A class field without "declare" would put undefined instead of the output.
      for (const output of [...Object.keys(definition.arguments), ...Object.keys(definition.outputs)]) {
        assert.ok(pulumi.Output.isInstance(Reflect.get(resource, output)), `${name}.${output} is an output`);
      }
      await declared(resource);
    });
  }

  it("a resource with a parent shows progress under its URN there, and can use a sibling's outputs", async () => {
    const parent = new pulumi.ComponentResource("acme:platform:Team", "team");
    const project = new Project("payments", args, { parent });
    const { __urn } = await inputsOf(project);
    assert.equal(__urn, `urn:pulumi:stack::project::acme:platform:Team$${token}::payments`);
    assert.equal(__urn, await valueOf(project.urn));
    const more = { projectId: project.id, workspaceIds: ["ws-1"] };
    const workspaces = new provisioning.ProjectWorkspaces("payments", more, { parent });
    // Had the URN made the first depend on its parent, and so on the second, neither would ever be registered.
    assert.equal((await inputsOf(workspaces)).projectId, "payments-id");
  });

  const generic = { workspaceId: "ws-1", name: "deploys", destinationType: "generic" } as const;

  it("a resource sends the arguments that are always secret as secrets, and their outputs are secret", async () => {
    const url = "https://hooks.example.com/canary";
    const more = { ...generic, url, token: pulumi.secret("canary") };
    const configuration = new NotificationConfiguration("deploys", more);
    const inputs = await inputsOf(configuration);
    assert.deepEqual([inputs.url, inputs.token, inputs.name].map(secretOf), [url, "canary", undefined]);
    assert.equal(inputs.__secrets, undefined, "the library knows them without being told");
    const outputs = [configuration.url, configuration.token, configuration.name];
    assert.deepEqual(await Promise.all(outputs.map(pulumi.isSecret)), [true, true, false]);
    const cleared = new NotificationConfiguration("cleared", { ...generic, url: null, token: undefined });
    const found = await inputsOf(cleared);
    assert.deepEqual([found.url, "token" in found], [null, false]);
  });

  it("a program passes its provider the names of values that it marked as secret, at any depth, and nothing if there are none", async () => {
    const canary = pulumi.secret(Promise.resolve("canary"));
    for (const [given, names, organization] of [
      [{ organization: pulumi.secret("canary"), name: canary }, ["organization", "name"], "canary"],
      [{ ...args, tags: [{ key: canary }] }, ["tags"], undefined],
      [{ ...args, name: pulumi.output("payments") }, undefined, undefined],
    ] as const) {
      const inputs = await inputsOf(new Project("payments", given as provisioning.ProjectArgs));
      assert.deepEqual([inputs.__secrets, secretOf(inputs.organization)], [names, organization]);
    }
    const inputs = await inputsOf(new Project("payments", { ...args, defaultAgentPoolId: null }));
    const names = ["__provider", "__urn", "defaultAgentPoolId", "name", "organization"];
    assert.deepEqual(Object.keys(inputs).toSorted(), names);
  });

  it("a resource does not change the arguments or options that are passed to it", async () => {
    const given = Object.freeze({ ...args });
    const additionalSecretOutputs = Object.freeze(["name"]) as string[];
    const options = Object.freeze({ protect: true, additionalSecretOutputs });
    await declared(new Project("one", given, options), new Project("two", given, options));
    assert.equal(mocked.registered.length, 2);
  });

  it("a provider learns from the options which arguments are ignored, and that a provider change replaces", async () => {
    const runOf = async (options: pulumi.CustomResourceOptions): Promise<unknown> =>
      (await inputsOf(new Project("payments", args, options))).__run;
    const ignoreChanges = ["name", "tags[0].key", "settings.mode"];
    assert.deepEqual(await runOf({ ignoreChanges }), { ignored: ["name", "tags", "settings"] });
    assert.deepEqual(await runOf({ replaceOnChanges: ["provider"] }), { followsProvider: true });
    assert.deepEqual(await runOf({ replaceOnChanges: ["name", "*"] }), { followsProvider: true });
    assert.equal(await runOf({ replaceOnChanges: ["name"] }), undefined);
  });

  type Options = pulumi.CustomResourceOptions;
  const declare = (options: Options) => new Project("payments", args, options);

  it("the engine is asked to delete objects with a unique name first, unless the program sets otherwise", () => {
    const role = (options: Options) => new Role("a", { name: "a", policies: ["read"] }, options);
    const credential = (options: Options) => new DynamicCredential("a", { roleName: "a" }, options);
    assert.equal(optionsOf(role).deleteBeforeReplace, true);
    assert.equal(optionsOf(role, { deleteBeforeReplace: false }).deleteBeforeReplace, false);
    assert.equal(optionsOf(credential).deleteBeforeReplace, undefined);
  });

  it("the engine is asked to encrypt all secret outputs, in addition to those that the program names, even of read resources", () => {
    const secretsOf = (...asked: Parameters<typeof optionsOf>) =>
      optionsOf(...asked).additionalSecretOutputs?.toSorted();
    const named = { additionalSecretOutputs: ["name"] };
    const made = secretsOf((options) => new NotificationConfiguration("a", generic, options), named);
    assert.deepEqual(made, ["deliveryResponses", "name", "token", "url"]);
    const read = secretsOf((options) => NotificationConfiguration.get("a", "nc-1", options));
    assert.deepEqual(read, ["deliveryResponses", "token", "url"]);
  });

  it("the engine is asked to adopt what the other adapter manages, but not read resources", () => {
    const type = "trivium:provisioning:Project";
    assert.deepEqual(optionsOf(declare).aliases, [`urn:pulumi:stack::project::${type}::payments`]);
    const parent = new pulumi.ComponentResource("acme:Team", "team");
    assert.deepEqual(optionsOf(declare, { parent }).aliases, [{ type }]);
    assert.deepEqual(optionsOf((options) => Project.get("existing", "prj-1", options)).aliases, []);
    pulumi.runtime.setAllConfig({ "trivium:adapter": "plugin" });
    assert.deepEqual(optionsOf(declare).aliases, [`urn:pulumi:stack::project::${token}::payments`]);
  });

  describe("with the plugin", () => {
    beforeEach(() => pulumi.runtime.setAllConfig({ "trivium:adapter": "plugin" }));

    it("a resource of the plugin registers only the program's arguments", async () => {
      const project = new Project("payments", { ...args, name: pulumi.secret("payments") });
      const { name, ...inputs } = await inputsOf(project);
      assert.deepEqual([inputs, secretOf(name)], [{ organization: "acme" }, "payments"]);
      assert.equal(mocked.registered.at(-1)?.type, "trivium:provisioning:Project");
      assert.equal(Project.isInstance(project), true);
    });

    it("a resource of the plugin can be imported, and have timeouts, without a warning", async () => {
      const options = [{ import: "prj-1" }, { customTimeouts: { create: "1h" } }];
      const warnings = await warningsOf(() => declared(...options.map(declare)));
      assert.deepEqual(warnings, []);
    });

    it("a resource of the plugin rejects the import of an object that cannot be read, and says what to do instead", () =>
      assert.throws(() => new LibraryCheckout("operator", { setName: "operators" }, { import: "x" }), {
        message:
          'The option `import` of the LibraryCheckout "operator" is not supported. Remove it: objects of LibraryCheckout cannot be imported.',
      }));
  });

  it("a resource uses the provider that is passed to it", async () => {
    const provisioning = { address: "https://eu.example.com", token: "t" };
    await inputsOf(declare({ provider: new Provider("europe", { provisioning }) }));
    const { provider = "" } = mocked.registered.at(-1) ?? {};
    assert.match(provider, /pulumi:providers:pulumi-nodejs::europe::europe-id$/);
  });

  it("a resource that is only read is requested by its ID and not managed", async () => {
    const project = Project.get("existing", "prj-1");
    assert.deepEqual(await inputsOf(project), { __provider: stub });
    assert.equal(mocked.registered[0]?.id, "prj-1");
    assert.equal(await valueOf(project.id), "prj-1");
    assert.deepEqual(await valueOf(project.permissions), permissions);
  });

  it("isInstance accepts an instance of its class, also when another copy of the library made it, and nothing else", () => {
    const [one, two] = [anotherCopy().provisioning, anotherCopy().provisioning];
    const project = new one.Project("payments", args);
    assert.equal(project instanceof two.Project, false);
    for (const each of [new Project("payments", args), project]) {
      assert.ok([Project, two.Project, pulumi.CustomResource].every((Class) => Class.isInstance(each)));
      const others = [NotificationConfiguration, two.NotificationConfiguration];
      assert.ok(!others.some((Class) => Class.isInstance(each)));
    }
    for (const value of [undefined, null, token, { __pulumiType: `${token}s` }, Project]) {
      assert.equal(Project.isInstance(value), false);
    }
  });

  it("isInstance works on the objects that policy packs pass, for the types of both adapters", () => {
    const classes = [Project, NotificationConfiguration, Role] as const;
    const resources = [new Project("payments", args), new pulumi.ComponentResource("acme:Team", "team")];
    const isProject = Reflect.get(Project, "isInstance") as (value: unknown) => boolean;
    assert.deepEqual(resources.filter(isProject), resources.slice(0, 1));
    for (const Class of classes) {
      const { definition, isInstance } = Class as unknown as {
        readonly definition: { readonly type: string };
        readonly isInstance: (value: unknown) => boolean;
      };
      for (const each of classes) {
        const { type } = each.definition;
        for (const __pulumiType of [`trivium:${type}`, `pulumi-nodejs:dynamic/trivium/${type}`]) {
          assert.equal(isInstance({ __pulumiType }), type === definition.type);
        }
      }
    }
    const { isInstance: isProvider } = Provider as { readonly isInstance: (value: unknown) => boolean };
    for (const name of ["trivium", "pulumi-nodejs"]) {
      assert.equal(isProvider({ __pulumiType: `pulumi:providers:${name}` }), true);
    }
    assert.equal(isProvider({ __pulumiType: "pulumi:providers:other" }), false);
  });
});

describe("assertGetSupported", () => {
  const { version } = sdk;
  afterEach(() => assert.ok(Reflect.set(sdk, "version", version)));

  it("assertGetSupported passes with an SDK that supports reads, and otherwise names the required version", () => {
    for (const supported of [version, "3.268.0", "3.300.1", "4.0.0", "3.268.0-alpha.1"]) {
      Reflect.set(sdk, "version", supported);
      assertGetSupported("provisioning.Project");
    }
    for (const old of ["3.267.9", "3.216.0"]) {
      Reflect.set(sdk, "version", old);
      const message =
        `provisioning.Project.get requires @pulumi/pulumi 3.268.0 or later, but this program uses ${old}. ` +
        "Run `npm install @pulumi/pulumi@^3.268.0`: without a version, npm installs an older one on Node.js 20. " +
        "The rest of pulumi-trivium works with your version.";
      assert.throws(() => assertGetSupported("provisioning.Project"), { message });
    }
  });
});
