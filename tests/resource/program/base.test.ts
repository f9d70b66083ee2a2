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

const exported: Readonly<Record<string, unknown>> = provisioning;
const classes = Object.entries(exported).flatMap(([name, value]): [string, ResourceClass][] =>
  typeof value === "function" && "definition" in value ? [[name, value as ResourceClass]] : [],
);

describe("a resource under Pulumi's mocks", () => {
  const permissions = { canUpdate: true, canDestroy: true, canCreateWorkspace: true };
  const mocked = useMocks({ outputs: { permissions } });

  async function inputsOf(resource: pulumi.Resource): Promise<Readonly<Record<string, unknown>>> {
    await declared(resource);
    return mocked.registered.at(-1)?.inputs ?? assert.fail("nothing was registered");
  }

  /** The options with which the engine hears of a resource. */
  function optionsOf(
    declare: (options: pulumi.CustomResourceOptions) => pulumi.Resource,
    options: pulumi.CustomResourceOptions = {},
  ): pulumi.CustomResourceOptions {
    let seen: pulumi.CustomResourceOptions = {};
    declare({
      ...options,
      transformations: [
        ({ opts }) => {
          seen = opts;
          return undefined;
        },
      ],
    });
    return seen;
  }

  it("a resource registers what the program gave, and what the engine needs, and nothing else", async () => {
    const project = new Project("payments", { organization: "acme", name: "payments" });
    const found = await inputsOf(project);
    assert.deepEqual(found, {
      organization: "acme",
      name: "payments",
      __provider: stub,
      __urn: `urn:pulumi:stack::project::${token}::payments`,
    });
    const actual = mocked.registered.map(({ type, name, id }) => [type, name, id]);
    assert.deepEqual(actual, [[token, "payments", ""]]);
  });

  it("a resource formats no stack for each of the SDK's promises, and leaves all other stacks alone", async () => {
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
      const read = (): undefined => {
        inside = new Error("inside").stack;
      };
      const project = new Project("stacks", { organization: "acme", name: "a" }, { transformations: [read] });
      assert.match(String(inside), /base\.test\.ts/);
      assert.ok(!formatted.includes("debuggablePromise"));
      const refuse = (): never => assert.fail("refused");
      assert.throws(
        () => new Project("refused", { organization: "acme", name: "b" }, { transformations: [refuse] }),
        ({ stack }: Error) => String(stack).includes("base.test.ts"),
      );
      assert.equal(stacks.prepareStackTrace, recording);
      await declared(project);
    } finally {
      stacks.prepareStackTrace = former;
    }
  });

  it("a resource has outputs, those that the service computes too", async () => {
    const project = new Project("payments", { organization: "acme", name: pulumi.output("payments") });
    assert.equal(await valueOf(project.id), "payments-id");
    assert.equal(await valueOf(project.name), "payments");
    assert.equal(await valueOf(project.organization), "acme");
    assert.deepEqual(await valueOf(project.permissions), permissions);
  });

  for (const [name, Class] of classes) {
    it(`a resource has every output on the instance: ${name}`, async () => {
      const { definition } = Class;
      const resource = new Class("subject", {});
      const members = resource as unknown as Readonly<Record<string, unknown>>;
      // A class field without "declare" would put undefined in place of the output.
      for (const output of [...Object.keys(definition.arguments), ...Object.keys(definition.outputs)]) {
        assert.ok(pulumi.Output.isInstance(members[output]), `${name}.${output} is an output`);
      }
      await declared(resource);
    });
  }

  it("a resource shows progress under the URN that it has below its parent", async () => {
    const parent = new pulumi.ComponentResource("acme:platform:Team", "team");
    const project = new Project("payments", { organization: "acme", name: "payments" }, { parent });
    const inputs = await inputsOf(project);
    assert.equal(inputs.__urn, `urn:pulumi:stack::project::acme:platform:Team$${token}::payments`);
    assert.equal(inputs.__urn, await valueOf(project.urn));
  });

  it("a resource can use what comes from another one below the same parent", async () => {
    const parent = new pulumi.ComponentResource("acme:platform:Team", "team");
    const project = new Project("payments", { organization: "acme", name: "payments" }, { parent });
    const args = { projectId: project.id, workspaceIds: ["ws-1"] };
    const workspaces = new provisioning.ProjectWorkspaces("payments", args, { parent });
    // Had the URN made the first depend on its parent, and so on the second, neither would ever be registered.
    assert.equal((await inputsOf(workspaces)).projectId, "payments-id");
  });

  describe("with secrets", () => {
    const args = { workspaceId: "ws-1", name: "deploys", destinationType: "generic" } as const;

    it("a resource sends the arguments that are always secret as secrets, and their outputs are secret", async () => {
      const configuration = new NotificationConfiguration("deploys", {
        ...args,
        url: "https://hooks.example.com/canary",
        token: pulumi.secret("canary"),
      });
      const cleared = new NotificationConfiguration("cleared", { ...args, url: null, token: undefined });
      const { url, ...others } = await inputsOf(cleared);
      assert.deepEqual([url, "token" in others], [null, false]);
      await declared(configuration);
      const { inputs } = mocked.registered.find(({ name }) => name === "deploys") ?? assert.fail();
      assert.equal(secretOf(inputs.url), "https://hooks.example.com/canary");
      assert.equal(secretOf(inputs.token), "canary");
      assert.equal(secretOf(inputs.name), undefined);
      assert.equal(inputs.__secrets, undefined, "the library knows them without being told");
      assert.deepEqual(
        await Promise.all([configuration.url, configuration.token, configuration.name].map(pulumi.isSecret)),
        [true, true, false],
      );
    });

    it("a program tells its provider by name what it itself marked as secret", async () => {
      const project = new Project("payments", {
        organization: pulumi.secret("canary"),
        name: pulumi.secret(Promise.resolve("canary")),
      });
      const inputs = await inputsOf(project);
      assert.deepEqual(inputs.__secrets, ["organization", "name"]);
      assert.equal(secretOf(inputs.organization), "canary");
    });

    it("a program tells its provider also of a secret deep inside an argument", async () => {
      const args: object = { organization: "acme", name: "x", tags: [{ key: pulumi.secret("canary") }] };
      const inputs = await inputsOf(new Project("payments", args as provisioning.ProjectArgs));
      assert.deepEqual(inputs.__secrets, ["tags"]);
    });

    it("a resource asks the engine to keep all secret outputs encrypted, beside those the program names", () => {
      const { additionalSecretOutputs } = optionsOf(
        (options) => new NotificationConfiguration("deploys", args, options),
        { additionalSecretOutputs: ["name"] },
      );
      assert.deepEqual(additionalSecretOutputs?.toSorted(), ["deliveryResponses", "name", "token", "url"]);
    });
  });

  it("a resource from JavaScript does not let a program choose its own provider text", async () => {
    const args: object = { organization: "acme", name: "payments", __provider: "exports.handler=()=>evil()" };
    const inputs = await inputsOf(new Project("payments", args as provisioning.ProjectArgs));
    assert.equal(inputs.__provider, stub);
  });

  it("a resource from JavaScript changes neither the arguments nor the options that it is given", async () => {
    const args = Object.freeze({ organization: "acme", name: "payments" });
    const options = Object.freeze({
      protect: true,
      additionalSecretOutputs: Object.freeze(["name"]) as string[],
    });
    await declared(new Project("one", args, options), new Project("two", args, options));
    assert.equal(mocked.registered.length, 2);
  });

  it("a provider is not told of secrets where no argument can hold one", async () => {
    const args: object = { organization: "acme", name: "payments", defaultAgentPoolId: null };
    const inputs = await inputsOf(new Project("payments", args as provisioning.ProjectArgs));
    assert.deepEqual(Object.keys(inputs).toSorted(), [
      "__provider",
      "__urn",
      "defaultAgentPoolId",
      "name",
      "organization",
    ]);
    const known = pulumi.output("payments");
    const project = new Project("known", { organization: "acme", name: known });
    assert.equal((await inputsOf(project)).__secrets, undefined);
  });

  describe("and what only its program knows", () => {
    const args = { organization: "acme", name: "payments" };
    const runOf = async (options: pulumi.CustomResourceOptions): Promise<unknown> =>
      (await inputsOf(new Project("payments", args, options))).__run;

    it("a provider learns the names of the arguments whose changes are ignored, whatever part of them", async () => {
      assert.deepEqual(await runOf({ ignoreChanges: ["name", "tags[0].key", "settings.mode"] }), {
        ignored: ["name", "tags", "settings"],
      });
    });

    it("a provider learns that a move to another provider replaces, where the program asks for that", async () => {
      assert.deepEqual(await runOf({ replaceOnChanges: ["provider"] }), { followsProvider: true });
      assert.deepEqual(await runOf({ replaceOnChanges: ["name", "*"] }), { followsProvider: true });
      assert.equal(await runOf({ replaceOnChanges: ["name"] }), undefined);
    });
  });

  const role = (options: pulumi.CustomResourceOptions): Role =>
    new Role("deploys", { backend: "nomad", name: "deploys", policies: ["read"] } as never, options);
  const credential = (options: pulumi.CustomResourceOptions): DynamicCredential =>
    new DynamicCredential("reports", { roleName: "reports" }, options);

  it("the engine is asked to delete first what has a name that only one object can have", () => {
    assert.equal(optionsOf(role).deleteBeforeReplace, true);
    assert.equal(optionsOf(credential).deleteBeforeReplace, undefined);
  });

  it("the engine is asked to do as the program says, where it says so", () =>
    assert.equal(optionsOf(role, { deleteBeforeReplace: false }).deleteBeforeReplace, false));

  it("the engine is asked to adopt what the plugin manages, but not what is only read", () => {
    const declare = (options: pulumi.CustomResourceOptions): pulumi.Resource =>
      new Project("payments", { organization: "a", name: "b" }, options);
    const type = "trivium:provisioning:Project";
    assert.deepEqual(optionsOf(declare).aliases, [`urn:pulumi:stack::project::${type}::payments`]);
    const parent = new pulumi.ComponentResource("acme:Team", "team");
    assert.deepEqual(optionsOf(declare, { parent }).aliases, [{ type }]);
    assert.deepEqual(optionsOf((options) => Project.get("existing", "prj-1", options)).aliases, []);
  });

  describe("with the plugin", () => {
    beforeEach(() => pulumi.runtime.setAllConfig({ "trivium:adapter": "plugin" }));

    it("a resource of the plugin registers what the program gave, and nothing else", async () => {
      const project = new Project("payments", { organization: "acme", name: pulumi.secret("payments") });
      const { name, ...inputs } = await inputsOf(project);
      assert.deepEqual([inputs, secretOf(name)], [{ organization: "acme" }, "payments"]);
      assert.equal(mocked.registered.at(-1)?.type, "trivium:provisioning:Project");
      assert.equal(Project.isInstance(project), true);
    });

    it("a resource of the plugin adopts what a dynamic provider manages", () => {
      const args = { organization: "acme", name: "payments" };
      const { aliases } = optionsOf((options) => new Project("payments", args, options));
      assert.deepEqual(aliases, [`urn:pulumi:stack::project::${token}::payments`]);
    });

    it("a resource of the plugin can be imported, and have timeouts, without a warning", async () => {
      const args = { organization: "acme", name: "payments" };
      const warnings = await warningsOf(() =>
        declared(
          new Project("imported", args, { import: "prj-1" }),
          new Project("patient", args, { customTimeouts: { create: "1h" } }),
        ),
      );
      assert.deepEqual(warnings, []);
    });

    it("a resource of the plugin refuses to import what cannot be read, and says what to do instead", () => {
      const declareCheckout = (): unknown =>
        new LibraryCheckout("operator", { setName: "operators" }, { import: "x" });
      assert.throws(declareCheckout, {
        message:
          'The option `import` of the LibraryCheckout "operator" is not supported. Remove it: objects of LibraryCheckout cannot be imported.',
      });
    });
  });

  it("a resource of the plugin goes to the provider that it is given", async () => {
    const provider = new Provider("europe", {
      provisioning: { address: "https://eu.example.com", token: "t" },
    });
    const project = new Project("payments", { organization: "acme", name: "payments" }, { provider });
    await inputsOf(project);
    assert.match(
      mocked.registered.at(-1)?.provider ?? "",
      /pulumi:providers:pulumi-nodejs::europe::europe-id$/,
    );
  });

  it("a resource that is only read is asked for by its id and managed by nobody", async () => {
    const project = Project.get("existing", "prj-1");
    assert.deepEqual(await inputsOf(project), { __provider: stub });
    assert.equal(mocked.registered[0]?.id, "prj-1");
    assert.equal(await valueOf(project.id), "prj-1");
    assert.deepEqual(await valueOf(project.permissions), permissions);
  });

  it("a resource that is only read keeps its secret outputs secret", () => {
    const { additionalSecretOutputs } = optionsOf((options) =>
      NotificationConfiguration.get("existing", "nc-1", options),
    );
    assert.deepEqual(additionalSecretOutputs?.toSorted(), ["deliveryResponses", "token", "url"]);
  });

  it("isInstance accepts an instance of its class and of no other", () => {
    const project = new Project("payments", { organization: "acme", name: "payments" });
    assert.equal(Project.isInstance(project), true);
    assert.equal(NotificationConfiguration.isInstance(project), false);
    assert.equal(pulumi.CustomResource.isInstance(project), true);
  });

  it("isInstance accepts one also when another copy of the library made it", () => {
    const [one, two] = [anotherCopy(), anotherCopy()];
    assert.notEqual(one.provisioning.Project, two.provisioning.Project);
    const project = new one.provisioning.Project("payments", { organization: "acme", name: "payments" });
    assert.equal(project instanceof two.provisioning.Project, false);
    assert.equal(two.provisioning.Project.isInstance(project), true);
    assert.equal(Project.isInstance(project), true);
    assert.equal(two.provisioning.NotificationConfiguration.isInstance(project), false);
  });

  it("isInstance accepts no other value", () => {
    for (const value of [undefined, null, token, { __pulumiType: token }, Project]) {
      assert.equal(Project.isInstance(value), false);
    }
  });
});

describe("assertGetSupported", () => {
  const { version } = sdk;
  afterEach(() => assert.ok(Reflect.set(sdk, "version", version)));

  it("assertGetSupported passes with an SDK that can read, and names the needed version otherwise", () => {
    for (const supported of [version, "3.268.0", "3.300.1", "4.0.0", "3.268.0-alpha.1"]) {
      Reflect.set(sdk, "version", supported);
      assertGetSupported("provisioning.Project");
    }
    for (const old of ["3.267.9", "3.216.0"]) {
      Reflect.set(sdk, "version", old);
      assert.throws(() => assertGetSupported("provisioning.Project"), {
        message:
          `provisioning.Project.get requires @pulumi/pulumi 3.268.0 or later, but this program uses ${old}. ` +
          "Run `npm install @pulumi/pulumi@^3.268.0`: without a version, npm installs an older one on Node.js 20. " +
          "The rest of pulumi-trivium works with your version.",
      });
    }
  });
});
